/// Names of files.
#pragma once

#include <algorithm>
#include <string_view>

namespace ingle::documents {

/// Whether the name ends so, in any case of letters; `ending` has its dot and small letters.
inline bool endsIn(std::string_view name, std::string_view ending) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return name.size() >= ending.size() &&
           std::ranges::equal(name.substr(name.size() - ending.size()), ending, {}, small);
}

}  // namespace ingle::documents
