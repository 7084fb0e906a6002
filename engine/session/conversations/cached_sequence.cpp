#include "engine/session/conversations/cached_sequence.h"

#include <algorithm>
#include <numeric>

namespace ingle::session {

size_t commonPrefix(std::span<const TokenId> a, std::span<const TokenId> b) {
    return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

size_t commonBeginning(const SequenceText& a, const SequenceText& b) {
    const size_t common = commonPrefix(a.ids, b.ids);
    const bool samePrefix = a.prefixTokens == b.prefixTokens && common >= a.prefixTokens;
    return samePrefix ? common : 0;
}

size_t CachedSequence::usablePrefix(const SequenceText& wanted, const backend::MemorySpec& spec) const {
    const size_t common =
        commonBeginning(text(), {wanted.ids.first(wanted.ids.size() - 1), wanted.prefixTokens});
    if (common == 0 || common == ids.size()) return common;
    return backend::checkTruncation(spec, *memory, static_cast<uint32_t>(common)) ? common : 0;
}

Result<CachedSequence> CachedSequence::fork(size_t tokens) const {
    CachedSequence copy{.prefixTokens = prefixTokens};
    INGLE_TRY_ASSIGN(copy.memory, memory->fork(static_cast<uint32_t>(tokens)));
    copy.ids.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(tokens));
    return copy;
}

Status CachedSequence::moveTo(backend::MemoryPool& pool) {
    INGLE_TRY_ASSIGN(const backend::SavedState state, memory->save());
    INGLE_TRY_ASSIGN(auto moved, pool.createSequence());
    INGLE_TRY(moved->restore(state));
    memory = std::move(moved);
    return {};
}

Result<CachedSequence> SequenceCache::take(const SequenceText& wanted, const backend::MemorySpec& spec) {
    const auto best = std::ranges::max_element(
        m_sequences, {}, [&](const CachedSequence& sequence) { return sequence.usablePrefix(wanted, spec); });
    if (best == m_sequences.end()) return CachedSequence{};
    const size_t prefix = best->usablePrefix(wanted, spec);
    if (prefix == 0) return CachedSequence{};
    m_sequences.splice(m_sequences.begin(), m_sequences, best);
    // What goes on from a state leaves nothing of it.
    if (prefix < best->ids.size() || spec.hasStates()) return best->fork(prefix);
    CachedSequence whole = std::move(*best);
    m_sequences.pop_front();
    return whole;
}

size_t SequenceCache::longestPrefix(const SequenceText& wanted, const backend::MemorySpec& spec) const {
    size_t longest = 0;
    for (const CachedSequence& sequence : m_sequences)
        longest = std::max(longest, sequence.usablePrefix(wanted, spec));
    return longest;
}

void SequenceCache::put(CachedSequence sequence) {
    if (sequence.ids.empty()) return;
    m_sequences.push_front(std::move(sequence));
    while (m_sequences.size() > kMaxSequences || (m_maxTokens > 0 && numTokens() > m_maxTokens)) dropOldest();
}

bool SequenceCache::dropOldest() {
    if (m_sequences.empty()) return false;
    m_sequences.pop_back();
    return true;
}

void SequenceCache::moveTo(backend::MemoryPool& pool) {
    m_sequences.remove_if([&](CachedSequence& sequence) { return !sequence.moveTo(pool); });
}

size_t SequenceCache::numTokens() const {
    return std::accumulate(
        m_sequences.begin(), m_sequences.end(), size_t{0},
        [](size_t sum, const CachedSequence& sequence) { return sum + sequence.ids.size(); });
}

}  // namespace ingle::session
