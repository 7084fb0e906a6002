#include "engine/grammar/token_trie.h"

#include <algorithm>
#include <numeric>

namespace ingle::grammar {

TokenTrie::TokenTrie(const std::vector<std::string>& bytes) : m_numIds(bytes.size()) {
    std::vector<size_t> order(bytes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, [&](size_t a, size_t b) { return bytes[a] < bytes[b]; });
    const std::string* before = nullptr;
    for (const size_t id : order) {
        const std::string& text = bytes[id];
        if (text.empty()) continue;
        size_t shared = 0;
        if (before) shared = static_cast<size_t>(std::ranges::mismatch(*before, text).in2 - text.begin());
        m_entries.push_back({static_cast<uint32_t>(m_bytes.size()), static_cast<uint32_t>(text.size()),
                             static_cast<uint32_t>(shared), static_cast<TokenId>(id)});
        m_bytes += text;
        m_longest = std::max(m_longest, text.size());
        before = &text;
    }
}

std::vector<bool> TokenTrie::allowed(Matcher& matcher, Matcher::State state) const {
    std::vector<bool> out(m_numIds);
    std::vector<Matcher::State> along(m_longest + 1);  // after so many bytes of the present token
    along[0] = state;
    size_t alive = 0;  // bytes of it that led somewhere
    for (const Entry& entry : m_entries) {
        // Behind a byte that led nowhere nothing is allowed.
        if (entry.shared > alive) continue;
        alive = entry.shared;
        while (alive < entry.size) {
            const auto byte = static_cast<uint8_t>(m_bytes[entry.begin + alive]);
            const Matcher::State to = matcher.next(along[alive], byte);
            if (to == Matcher::kDead) break;
            along[++alive] = to;
        }
        if (alive == entry.size) out[static_cast<size_t>(entry.id)] = true;
    }
    return out;
}

}  // namespace ingle::grammar
