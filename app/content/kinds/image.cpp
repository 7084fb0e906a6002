/// A picture: the label says where it is kept, the text what it shows.
#include "app/content/verbatim.h"

namespace ingle::content {

extern const BlockKind image_kind;
const BlockKind image_kind = {
    .name = "image",
    .hold = Hold::Firm,
    .part = PartKind::Image,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return "![" + block.text.text + "](" + block.label + ")"; },
};

}  // namespace ingle::content
