/// A picture: the label says where it is kept, the text what it shows.
#include "app/content/verbatim.h"

namespace ingle::content::image_kind {

extern const BlockKind kind = {
    .name = "image",
    .hold = Hold::Firm,
    .part = PartKind::Image,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return "![" + block.text.text + "](" + block.label + ")"; },
};

}  // namespace ingle::content::image_kind
