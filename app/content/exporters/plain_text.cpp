/// All that blocks say, with the marks of list items and no other markup.
#include "app/content/exporter.h"
#include "app/content/lines.h"

namespace ingle::content {
namespace {

std::string write(std::span<const Block> blocks) {
    return inLines(blocks, {.block = [](const Block& block) { return plainText(block); }, .quoteMark = ""});
}

}  // namespace

extern const Exporter plain_text_exporter{
    .name = "",
    .write = write,
};

}  // namespace ingle::content
