/// A passage that an answer rests on: the label says where it is from.
#include "app/content/verbatim.h"

namespace ingle::content::source_kind {

extern const BlockKind kind = {
    .name = "source",
    .hold = Hold::Firm,
    .part = PartKind::Source,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return quotedMarkdown(block, block.label); },
};

}  // namespace ingle::content::source_kind
