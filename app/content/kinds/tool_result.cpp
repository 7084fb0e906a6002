/// What a tool said; the label says which.
#include "app/content/verbatim.h"

namespace ingle::content::tool_result_kind {

extern const BlockKind kind = {
    .name = "tool_result",
    .hold = Hold::Firm,
    .part = PartKind::ToolResult,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return fencedMarkdown(block.text.text, "tool_result"); },
};

}  // namespace ingle::content::tool_result_kind
