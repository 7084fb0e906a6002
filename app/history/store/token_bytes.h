/// Token ids as a blob: 32-bit little-endian numbers. Private to app/history.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "ingle/types.h"

namespace ingle::history {

static_assert(std::endian::native == std::endian::little);

inline std::span<const std::byte> tokenBytes(const std::vector<TokenId>& ids) {
    return std::as_bytes(std::span(ids));
}

inline void appendTokens(std::vector<TokenId>& ids, const void* bytes, size_t count) {
    const size_t added = count / sizeof(TokenId);
    if (added == 0) return;
    ids.resize(ids.size() + added);
    std::memcpy(ids.data() + ids.size() - added, bytes, added * sizeof(TokenId));
}

}  // namespace ingle::history
