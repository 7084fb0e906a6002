#include "engine/session/conversations/sequence_finder.h"

#include <algorithm>

namespace ingle::session {

Result<CachedSequence> SequenceFinder::find(const SequenceText& text, Running running) {
    return makingRoom([&] { return fromMemoryOrDisk(text, running); });
}

size_t SequenceFinder::longestInMemory(const SequenceText& text, Running running) const {
    size_t longest = m_idle.longestPrefix(text, m_model.memorySpec());
    for (const CachedSequence* sequence : running)
        longest = std::max(longest, sequence->usablePrefix(text, m_model.memorySpec()));
    return longest;
}

Result<CachedSequence> SequenceFinder::fromMemoryOrDisk(const SequenceText& text, Running running) {
    const std::span<const TokenId> ids = text.ids;
    const size_t onDisk = std::min(m_snapshots.longestPrefix(restorable(ids)), ids.size() - 1);
    if (onDisk >= longestInMemory(text, running) + kWorthFetching) {
        INGLE_TRY_ASSIGN(CachedSequence sequence, fromDisk(ids));
        if (!sequence.ids.empty()) return sequence;
    }
    return fromMemory(text, running);
}

Result<CachedSequence> SequenceFinder::fromMemory(const SequenceText& text, Running running) {
    const backend::MemorySpec& spec = m_model.memorySpec();
    const size_t idle = m_idle.longestPrefix(text, spec);
    for (const CachedSequence* sequence : running) {
        const size_t prefix = sequence->usablePrefix(text, spec);
        if (prefix > idle && prefix == longestInMemory(text, running)) return sequence->fork(prefix);
    }
    INGLE_TRY_ASSIGN(CachedSequence sequence, m_idle.take(text, spec));
    if (sequence.memory) return sequence;
    sequence.prefixTokens = text.prefixTokens;
    INGLE_TRY_ASSIGN(sequence.memory, m_model.memory().createSequence());
    return sequence;
}

Result<CachedSequence> SequenceFinder::fromDisk(std::span<const TokenId> ids) {
    CachedSequence sequence;
    INGLE_TRY_ASSIGN(sequence.memory, m_model.memory().createSequence());
    INGLE_TRY_ASSIGN(size_t restored, m_snapshots.restore(restorable(ids), *sequence.memory));
    restored = std::min(restored, ids.size() - 1);
    INGLE_TRY(sequence.memory->truncate(static_cast<uint32_t>(restored)));
    sequence.ids.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(restored));
    return sequence;
}

std::span<const TokenId> SequenceFinder::restorable(std::span<const TokenId> ids) const {
    const auto last = static_cast<uint32_t>(ids.size() - 1);
    const bool forgetsLast = m_model.memorySpec().statesReachBack(last + 1) <= last;
    return forgetsLast ? ids : ids.first(last);
}

}  // namespace ingle::session
