/// The call of a tool; the label says of which.
#include "app/content/verbatim.h"

namespace ingle::content::tool_call_kind {

extern const BlockKind kind = {
    .name = "tool_call",
    .hold = Hold::Firm,
    .part = PartKind::ToolCall,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return fencedMarkdown(block.text.text, "tool_call"); },
};

}  // namespace ingle::content::tool_call_kind
