/// Pictures side by side: the label says where they are kept, with a space between two, and each line of the
/// text what one shows.
#include "app/content/verbatim.h"

namespace ingle::content::image_kind {
namespace {

/// Where they are kept tells nobody else anything.
std::string markdown(const Block& block) {
    std::string out = "![";
    for (const char c : block.text.text) {
        if (c == '\n') {
            out += "]()\n![";
            continue;
        }
        if (c == '[' || c == ']' || c == '\\') out += '\\';
        out += c;
    }
    return out + "]()";
}

}  // namespace

extern const BlockKind kind = {
    .name = "image",
    .hold = Hold::Firm,
    .part = PartKind::Image,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = markdown,
};

}  // namespace ingle::content::image_kind
