/// One record of the snapshot store as a file: a header, then the state compressed with Zstandard.
///
/// Layout (little-endian): 8 bytes "INGLSNAP", u32 version (SavedState::kVersion), u32 kv type, u32 first
/// token, u32 number of tokens, u64 bytes of the state, u64 bytes of the compressed state, 16 bytes key, u64
/// XXH3 of the compressed state, seeded with that of the 56 bytes before; then the compressed state.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <vector>

#include "engine/backend/memory.h"

namespace ingle::session {

/// 128 bits that stand for a model, its configuration and a prefix of token ids.
struct SnapshotKey {
    std::array<uint64_t, 2> words{};
    auto operator<=>(const SnapshotKey&) const = default;
    std::string hex() const;
};

/// Replaces the file at once. Errors: Io (disk full).
Status writeSnapshot(const std::string& path, const SnapshotKey& key, const backend::SavedState& state);

/// `stateBytes` is what the state must have: nothing larger is ever allocated. Errors: Io (missing), Corrupt
/// (damaged, of another key, version or size).
Result<backend::SavedState> readSnapshot(const std::string& path, const SnapshotKey& key, KvType kv,
                                         backend::TokenRange range, uint64_t stateBytes);

}  // namespace ingle::session
