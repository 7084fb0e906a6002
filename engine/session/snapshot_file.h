/// One record of the snapshot store as a file: a header, then the state compressed with Zstandard.
///
/// Layout (little-endian): 8 bytes "INGLSNAP", u32 version (SavedState::kVersion), u32 kv type, u32 first
/// token, u32 number of tokens, u64 bytes of the state, u64 bytes of the compressed state, u64 XXH3 of the
/// compressed state, seeded with that of the 40 bytes before; then the compressed state.
#pragma once

#include <string>
#include <vector>

#include "engine/backend/memory.h"

namespace ingle::session {

/// Replaces the file at once. Errors: Io (disk full).
Status writeSnapshot(const std::string& path, const backend::SavedState& state);

/// `stateBytes` is what the state must have: nothing larger is ever allocated. Errors: Io (missing), Corrupt
/// (damaged, of another version or size).
Result<backend::SavedState> readSnapshot(const std::string& path, KvType kv, backend::TokenRange range,
                                         uint64_t stateBytes);

}  // namespace ingle::session
