#include "engine/base/find_text.h"

#include <vector>

namespace ingle::base {
namespace {

/// Up to this size the library's search is bounded well enough, and faster.
constexpr size_t kShortPart = 16;

/// Knuth, Morris and Pratt, "Fast Pattern Matching in Strings" (1977). `textAt(i)` and `partAt(i)` give the
/// bytes in the direction of the search. Returns `size` when nothing is found.
template <typename TextAt, typename PartAt>
size_t search(size_t size, size_t partSize, TextAt textAt, PartAt partAt) {
    // How much of the part is still there when the byte behind so much of it does not fit.
    std::vector<size_t> shorter(partSize, 0);
    for (size_t i = 1, known = 0; i < partSize; ++i) {
        while (known > 0 && partAt(i) != partAt(known)) known = shorter[known - 1];
        if (partAt(i) == partAt(known)) ++known;
        shorter[i] = known;
    }
    for (size_t i = 0, known = 0; i < size; ++i) {
        while (known > 0 && textAt(i) != partAt(known)) known = shorter[known - 1];
        if (textAt(i) == partAt(known)) ++known;
        if (known == partSize) return i + 1 - partSize;
    }
    return size;
}

}  // namespace

size_t findText(std::string_view text, std::string_view part, size_t from) {
    if (part.size() <= kShortPart || from > text.size() || text.size() - from < part.size())
        return text.find(part, from);
    const std::string_view rest = text.substr(from);
    const size_t at = search(
        rest.size(), part.size(), [&](size_t i) { return rest[i]; }, [&](size_t i) { return part[i]; });
    return at == rest.size() ? std::string_view::npos : from + at;
}

size_t findLastText(std::string_view text, std::string_view part) {
    if (part.size() <= kShortPart || text.size() < part.size()) return text.rfind(part);
    const size_t at = search(
        text.size(), part.size(), [&](size_t i) { return text[text.size() - 1 - i]; },
        [&](size_t i) { return part[part.size() - 1 - i]; });
    return at == text.size() ? std::string_view::npos : text.size() - part.size() - at;
}

}  // namespace ingle::base
