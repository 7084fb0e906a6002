/// How the keys of a page lie where they are blocks of Q8_0. Plain data.
#pragma once

#include <cstddef>

#include "engine/kernels/activation_block.h"
#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// One block of 32 dimensions of all 64 keys: their scales (halves), then for every four dimensions the
/// numbers of each key, 8 bits each. So a product takes four numbers of many keys at once.
struct TurnedBlock {
    static constexpr size_t kGroup = 4;
    static constexpr size_t kGroups = kActivationBlock / kGroup;
    static constexpr size_t kScaleBytes = 2;
    static constexpr size_t kNumbersAt = kAttentionKeys * kScaleBytes;
    static constexpr size_t kGroupBytes = kAttentionKeys * kGroup;
    static constexpr size_t kBytes = kNumbersAt + kGroups * kGroupBytes;
    /// Of one key's block where blocks lie in rows: its scale, then its numbers.
    static constexpr size_t kRowBytes = kScaleBytes + kActivationBlock;
    static_assert(kBytes == kAttentionKeys * kRowBytes);
};

}  // namespace ingle::kernels
