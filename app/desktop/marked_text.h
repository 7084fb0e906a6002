/// Parts as one text with marks, for the view, which still reads marks.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ingle/part.h"

namespace ingle::desktop {

/// Grows at its end only while parts do; `closing` receives what closes a mark that is open there.
inline std::string markedText(std::span<const Part> parts, std::string* closing = nullptr) {
    std::string text;
    std::string_view end;
    for (const Part& part : parts) {
        const bool thought = part.kind == PartKind::Thought;
        const bool call = part.kind == PartKind::ToolCall;
        (text += end) += thought ? "<think>\n" : call ? "\n```tool_call\n" : "";
        text += part.text;
        end = thought ? "\n</think>\n\n" : call ? "\n```\n" : "";
    }
    if (closing != nullptr) *closing = end;
    return text;
}

}  // namespace ingle::desktop
