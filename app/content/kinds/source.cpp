/// A passage that an answer rests on: the label says where it is from.
#include "app/content/verbatim.h"

namespace ingle::content {

extern const BlockKind source_kind;
const BlockKind source_kind = {
    .name = "source",
    .hold = Hold::Firm,
    .part = PartKind::Source,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return quotedMarkdown(block, block.label); },
};

}  // namespace ingle::content
