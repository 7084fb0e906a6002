/// Which pages of 64 tokens hold a sequence: what all backends keep alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/memory.h"

namespace ingle::backend {

/// Pages that `tokens` take.
constexpr size_t pagesFor(uint32_t tokens) {
    return (size_t{tokens} + kPageTokens - 1) / kPageTokens;
}

/// `Page` is shared between a sequence and its forks, and comes back to its pool when the last one lets go of
/// it. A null page was given back: no token to come sees it.
template <class Page>
struct SequencePages {
    std::vector<Page> pages;
    uint32_t length = 0;     ///< tokens fed so far
    uint32_t firstKept = 0;  ///< the first token that still has a page

    /// The last page is half full and others write there, too: whoever feeds tokens needs a copy of it.
    /// `users`: how many may share it.
    bool mustCopyLast(uint32_t tokens, long users = 1) const {
        return length % kPageTokens != 0 && tokens > length && pages.back().use_count() > users;
    }
    /// Counts tokens that were fed, and gives back pages that no token to come sees.
    void advance(uint32_t tokens, const MemorySpec& spec) {
        length += tokens;
        const uint32_t kept = spec.firstKept(length);
        for (; firstKept < kept; firstKept += kPageTokens) pages[firstKept / kPageTokens].reset();
    }
    /// Only the first `tokens` stay.
    void cut(uint32_t tokens) {
        pages.resize(std::min(pages.size(), pagesFor(tokens)));
        length = tokens;
        firstKept = std::min(firstKept, length);
    }
    /// For tokens that follow from `first` on: only what is before it stays, and nothing where tokens before
    /// it are missing, which nobody sees then.
    void continueAt(uint32_t first) {
        if (first > length || first < firstKept) {
            pages.assign(pagesFor(first), nullptr);
            length = first;
            firstKept = first;
        }
        cut(first);
    }
    /// The first `tokens`, in the same pages.
    SequencePages beginning(uint32_t tokens) const {
        const size_t count = std::min(pages.size(), pagesFor(tokens));
        return {{pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(count)}, tokens, firstKept};
    }
};

}  // namespace ingle::backend
