#include "app/content/block_kind.h"

#include <algorithm>

#include "app/content/unfinished.h"

namespace ingle::content {

void Leaf::addLine(std::string_view line) {
    if (lines++ > 0) text.push_back('\n');
    text.append(line);
}

std::string Leaf::shown(Stage stage) const {
    return stage == Stage::Growing ? closed(text) : text;
}

std::span<const BlockKind* const> markdownKinds() {
    static const std::vector<const BlockKind*> kinds = [] {
        std::vector<const BlockKind*> out;
        std::copy_if(allBlockKinds().begin(), allBlockKinds().end(), std::back_inserter(out),
                     [](const BlockKind* kind) { return kind->begins != nullptr; });
        std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
        return out;
    }();
    return kinds;
}

const BlockKind* kindOfPart(PartKind part) {
    const auto found = std::find_if(allBlockKinds().begin(), allBlockKinds().end(),
                                    [&](const BlockKind* kind) { return kind->part == part; });
    return found == allBlockKinds().end() ? nullptr : *found;
}

}  // namespace ingle::content
