#include "app/documents/passages.h"

#include <algorithm>
#include <string_view>

#include "ingle/utf8.h"

namespace ingle::documents {
namespace {

/// Where a passage ends that begins at `begin` and may go on to `end`.
size_t endOf(std::string_view text, size_t begin, size_t end) {
    const size_t paragraph = text.find("\n\n", begin + kPassageBytes);
    const size_t most = begin + kMostPassageBytes;
    if (paragraph < std::min(end, most)) return std::min(paragraph + 2, end);
    if (end <= most) return end;
    const std::string_view enough = text.substr(begin, kMostPassageBytes);
    for (const char separator : {'\n', ' '}) {
        const size_t found = enough.rfind(separator);
        if (found != std::string_view::npos && found >= kPassageBytes) return begin + found + 1;
    }
    size_t cut = most;
    while (!isBoundary(text, cut)) --cut;
    return cut;
}

}  // namespace

std::vector<Passage> passagesOf(const Document& document) {
    const std::string_view text = document.text;
    std::vector<Passage> passages;
    uint32_t page = 0;
    std::string heading;
    auto place = document.places.begin();
    for (size_t begin = 0; begin < text.size();) {
        for (; place != document.places.end() && place->offset <= begin; ++place) {
            if (place->kind == PlaceKind::Page)
                page = place->number;
            else
                heading = place->words;
        }
        const auto next = std::find_if(place, document.places.end(), [&](const Place& each) {
            return each.kind != PlaceKind::Page || each.offset - begin >= kPassageBytes;
        });
        const size_t section = next == document.places.end() ? text.size() : next->offset;
        const size_t end = endOf(text, begin, section);
        passages.push_back({begin, end, page, heading});
        begin = end;
    }
    return passages;
}

}  // namespace ingle::documents
