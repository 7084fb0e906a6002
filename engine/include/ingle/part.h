/// A message is a list of parts: what history, protocol, prompt and view hand to each other. No marks in
/// text.
#pragma once

#include <string>

namespace ingle {

enum class PartKind {
    Text,        ///< Markdown, as the person or the model wrote it
    Thought,     ///< what the model thinks before it answers
    ToolCall,    ///< `data`: which tool; `text`: the call in the model's own form
    ToolResult,  ///< `data`: which tool; `text`: what it said
    Attachment,  ///< `data`: name of the file; `text`: what was read from it
    Image,       ///< `data`: where the picture is kept; `text`: what it shows
    Source,      ///< `data`: address or file; `text`: the passage that was used
};

struct Part {
    PartKind kind = PartKind::Text;
    std::string text;  ///< UTF-8
    std::string data;  ///< belongs to the kind; see there

    bool operator==(const Part&) const = default;
};

}  // namespace ingle
