/// Names of parameterised tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace ingle::test {

/// GoogleTest takes letters, digits and underscores only.
inline std::string testName(std::string_view text) {
    std::string name(text);
    std::ranges::replace(name, '-', '_');
    return name;
}

}  // namespace ingle::test
