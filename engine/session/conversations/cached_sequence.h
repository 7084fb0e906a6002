/// Sequences with the tokens they hold, and which of them a new prompt can start from.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "ingle/types.h"

namespace ingle::session {

size_t commonPrefix(std::span<const TokenId> a, std::span<const TokenId> b);

/// What a sequence holds, or is to hold.
struct SequenceText {
    std::span<const TokenId> ids;
    uint32_t prefixTokens = 0;  ///< see backend::SequenceRun
};

/// How many tokens both begin with that mean the same in both: tokens of a prefix mean what all of it makes
/// of them, so those of different prefixes have none in common.
size_t commonBeginning(const SequenceText& a, const SequenceText& b);

/// The memory of a conversation and which tokens are in it.
struct CachedSequence {
    std::unique_ptr<backend::SequenceMemory> memory;
    std::vector<TokenId> ids;
    uint32_t prefixTokens = 0;  ///< see backend::SequenceRun; they are in it as a whole, or none is

    SequenceText text() const { return {ids, prefixTokens}; }
    /// How many tokens of `wanted` it can be the beginning of; not all of them, since the last one must be
    /// fed to get logits.
    size_t usablePrefix(const SequenceText& wanted, const backend::MemorySpec& spec) const;
    /// A sequence of its own that begins with the first `tokens`.
    Result<CachedSequence> fork(size_t tokens) const;
    /// Lives in `pool` from then on. After an error it is as before.
    Status moveTo(backend::MemoryPool& pool);
};

/// Sequences nobody is using, the last used first. One thread.
class SequenceCache {
  public:
    /// Keeps at most kMaxSequences, and no more than `maxTokens` in all (0: no such limit).
    explicit SequenceCache(size_t maxTokens) : m_maxTokens(maxTokens) {}

    static constexpr size_t kMaxSequences = 8;

    /// The one with the longest usable prefix: forked, or taken out if all of it is used and its pages serve
    /// others as well afterwards. An empty `ids` when none has any.
    Result<CachedSequence> take(const SequenceText& wanted, const backend::MemorySpec& spec);
    /// The longest usable prefix take() would find.
    size_t longestPrefix(const SequenceText& wanted, const backend::MemorySpec& spec) const;
    void put(CachedSequence sequence);
    /// Drops the one that was not used for longest. False when there is none.
    bool dropOldest();
    void clear() { m_sequences.clear(); }
    /// All live in `pool` from then on; those that cannot are dropped.
    void moveTo(backend::MemoryPool& pool);

  private:
    size_t numTokens() const;

    size_t m_maxTokens;
    std::list<CachedSequence> m_sequences;
};

}  // namespace ingle::session
