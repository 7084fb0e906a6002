/// Finds the sequence that a new prompt begins with: the longest beginning of it that need not be read again,
/// in memory or on disk.
#pragma once

#include <functional>
#include <span>

#include "engine/session/conversations/cached_sequence.h"
#include "engine/session/loading/model.h"
#include "engine/session/snapshots/model_snapshots.h"

namespace ingle::session {

/// Reading fewer tokens than this again is quicker than fetching them from disk or waiting for them.
inline constexpr size_t kWorthFetching = 32;

/// One thread.
class SequenceFinder {
  public:
    /// Those that are in use, and may be forked.
    using Running = std::span<const CachedSequence* const>;

    /// All outlive this. `idle`: sequences that nobody uses.
    SequenceFinder(Model& model, ModelSnapshots& snapshots, SequenceCache& idle)
        : m_model(model), m_snapshots(snapshots), m_idle(idle) {}

    /// A sequence that holds as much of `text` as memory or disk can give; idle ones make room for it.
    /// Errors: OutOfMemory, Device.
    Result<CachedSequence> find(const SequenceText& text, Running running);
    /// How much of `text` memory holds.
    size_t longestInMemory(const SequenceText& text, Running running) const;

    /// Tries again while memory is full, each time with fewer idle sequences.
    template <typename Attempt>
    auto makingRoom(Attempt attempt) {
        for (;;) {
            auto result = attempt();
            const bool full = !result && result.error().code == ErrorCode::OutOfMemory;
            if (!full || !m_idle.dropOldest()) return result;
        }
    }

  private:
    Result<CachedSequence> fromMemoryOrDisk(const SequenceText& text, Running running);
    Result<CachedSequence> fromMemory(const SequenceText& text, Running running);
    Result<CachedSequence> fromDisk(std::span<const TokenId> ids);
    /// What may be restored for a prompt. Its last token is fed in any case, to get logits: what can forget
    /// it again is restored with it.
    std::span<const TokenId> restorable(std::span<const TokenId> ids) const;

    Model& m_model;
    ModelSnapshots& m_snapshots;
    SequenceCache& m_idle;
};

}  // namespace ingle::session
