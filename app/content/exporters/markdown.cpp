/// Markdown that reads as these blocks again.
#include "app/content/block_kind.h"
#include "app/content/exporter.h"
#include "app/content/lines.h"

namespace ingle::content::markdown_exporter {
namespace {

std::string write(std::span<const Block> blocks) {
    return inLines(
        blocks, {.block = [](const Block& block) { return block.kind->markdown(block); }, .quoteMark = "> "});
}

}  // namespace

extern const Exporter exporter{
    .name = "Markdown",
    .write = write,
};

}  // namespace ingle::content::markdown_exporter
