/// Markdown that reads as these blocks again.
#include "app/content/block_kind.h"
#include "app/content/exporter.h"
#include "app/content/lines.h"

namespace ingle::content {
namespace {

std::string write(std::span<const Block> blocks) {
    return inLines(
        blocks, {.block = [](const Block& block) { return block.kind->markdown(block); }, .quoteMark = "> "});
}

}  // namespace

extern const Exporter markdown_exporter{
    .name = "Markdown",
    .write = write,
};

}  // namespace ingle::content
