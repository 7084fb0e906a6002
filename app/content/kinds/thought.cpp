/// What the model thought before it answered.
#include "app/content/verbatim.h"

namespace ingle::content {

extern const BlockKind thought_kind;
const BlockKind thought_kind = {
    .name = "thought",
    .hold = Hold::Firm,
    .part = PartKind::Thought,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return quotedMarkdown(block, {}); },
};

}  // namespace ingle::content
