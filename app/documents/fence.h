/// Markdown's fences.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace ingle::documents {

/// The text between two lines that do not stand in it. It does not end in a line end, and neither does the
/// result.
inline std::string fenced(std::string_view text) {
    size_t longest = 2, run = 0;
    for (const char each : text) {
        run = each == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    std::string result = fence + '\n';
    result += text;
    return result + '\n' + fence;
}

}  // namespace ingle::documents
