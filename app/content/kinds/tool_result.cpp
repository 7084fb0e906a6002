/// What a tool said; the label says which.
#include "app/content/verbatim.h"

namespace ingle::content {

extern const BlockKind tool_result_kind;
const BlockKind tool_result_kind = {
    .name = "tool_result",
    .hold = Hold::Firm,
    .part = PartKind::ToolResult,
    .takes = takeVerbatim,
    .build = buildVerbatim,
    .markdown = [](const Block& block) { return fencedMarkdown(block.text.text, "tool_result"); },
};

}  // namespace ingle::content
