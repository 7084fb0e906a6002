/// Markdown's fences.
#pragma once

#include <string>
#include <string_view>

namespace ingle::documents {

/// The text between two lines that do not stand in it. It does not end in a line end, and neither does the
/// result.
inline std::string fenced(std::string_view text) {
    std::string fence = "```";
    while (text.find(fence) != std::string_view::npos) fence += '`';
    std::string result = fence + '\n';
    result += text;
    return result + '\n' + fence;
}

}  // namespace ingle::documents
