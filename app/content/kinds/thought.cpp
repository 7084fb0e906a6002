/// What the model thought before it answered.
#include "app/content/verbatim.h"

namespace ingle::content::thought_kind {

extern const BlockKind kind = {
    .name = "thought",
    .hold = Hold::Firm,
    .part = PartKind::Thought,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return quotedMarkdown(block, {}); },
};

}  // namespace ingle::content::thought_kind
