#include "app/history/text/snippet.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "app/history/text/text_folding.h"
#include "ingle/utf8.h"

namespace ingle::history {
namespace {

constexpr size_t kColumnsBefore = 24;
constexpr size_t kColumnsInAll = 160;
constexpr size_t kNear = 120;  // bytes within which matches count as one place

struct Match {
    size_t begin;
    size_t end;
};

/// Text without marks and separators, and where the matches stand in it.
struct Unmarked {
    explicit Unmarked(std::string_view marked) {
        text.reserve(marked.size());
        for (const char byte : marked) {
            if (byte == '\x01') {
                matches.push_back({text.size(), text.size()});
            } else if (byte == '\x02') {
                if (!matches.empty()) matches.back().end = text.size();
            } else if (byte != kSeparator) {
                text += byte == '\n' || byte == '\t' ? ' ' : byte;
            }
        }
        if (matches.empty()) matches.push_back({0, 0});
    }

    /// The first match of those that stand closest together.
    Match best() const {
        size_t best = 0;
        size_t bestCount = 0;
        for (size_t first = 0, last = 0; first < matches.size(); ++first) {
            while (last < matches.size() && matches[last].begin < matches[first].begin + kNear) ++last;
            if (last - first > bestCount) {
                best = first;
                bestCount = last - first;
            }
        }
        return matches[best];
    }

    std::string text;
    std::vector<Match> matches;
};

/// The start of the character that ends in front of `at`.
size_t previous(std::string_view text, size_t at) {
    do --at;
    while (at > 0 && !isBoundary(text, at));
    return at;
}

size_t next(std::string_view text, size_t at) {
    do ++at;
    while (at < text.size() && !isBoundary(text, at));
    return at;
}

size_t columnsOf(size_t bytes) {
    return bytes > 2 ? 2 : 1;  // three bytes and more: CJK, mostly
}

}  // namespace

std::string snippetAround(std::string_view marked) {
    const Unmarked whole(marked);
    const std::string_view text = whole.text;
    const Match hit = whole.best();

    size_t begin = hit.begin;
    for (size_t columns = 0; begin > 0 && columns < kColumnsBefore;) {
        const size_t before = previous(text, begin);
        columns += columnsOf(begin - before);
        begin = before;
    }
    // Whole words, where there is one that ends before the hit.
    if (begin > 0) {
        const size_t space = text.find(' ', begin);
        if (space < hit.begin) begin = space + 1;
    }
    size_t end = begin;
    for (size_t columns = 0; end < text.size() && columns < kColumnsInAll;) {
        const size_t behind = next(text, end);
        columns += columnsOf(behind - end);
        end = behind;
    }

    std::string snippet = begin > 0 ? "…" : "";
    size_t written = begin;
    for (const Match& match : whole.matches) {
        if (match.end <= begin || match.begin >= end || match.begin == match.end) continue;
        const size_t from = std::max(match.begin, begin);
        const size_t to = std::min(match.end, end);
        snippet += text.substr(written, from - written);
        ((snippet += '\x01') += text.substr(from, to - from)) += '\x02';
        written = to;
    }
    snippet += text.substr(written, end - written);
    if (end < text.size()) snippet += "…";
    return snippet;
}

}  // namespace ingle::history
