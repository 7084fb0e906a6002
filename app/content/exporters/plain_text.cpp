/// All that blocks say, with the marks of list items and no other markup.
#include "app/content/exporter.h"
#include "app/content/lines.h"

namespace ingle::content::plain_text_exporter {
namespace {

std::string write(std::span<const Block> blocks) {
    return inLines(blocks, {.block = [](const Block& block) { return plainText(block); }, .quoteMark = ""});
}

}  // namespace

extern const Exporter exporter{
    .name = "",
    .write = write,
};

}  // namespace ingle::content::plain_text_exporter
