#include "engine/backend/vulkan/matvec/attention_kernels.h"

#include <gtest/gtest.h>

#include "engine/backend/vulkan/recording/op_recording.h"

namespace ingle::backend::vulkan {
namespace {

/// Many wide heads, as latents have, need more scratch memory than others: without it a row of theirs would
/// keep less of a device busy.
TEST(AttentionKernels, scratchMemoryHoldsTheSplitsThatADeviceLikes) {
    const AttentionKernels kernels{DeviceInfo{}};
    const auto splits = [&](const AttentionSize& size, uint64_t scratchBytes) {
        return kernels.rows(size, AttentionKernels::splitsIn(scratchBytes, size)).splits;
    };
    const AttentionSize latents{
        .keyDim = 576, .valueDim = 512, .numHeads = 128, .headsPerKv = 128, .numTokens = 1};
    EXPECT_EQ(splits(latents, kScratchBytes), 7u);
    EXPECT_EQ(splits(latents, AttentionKernels::scratchFor(latents)), 17u);
    EXPECT_LT(splits(latents, AttentionKernels::scratchFor(latents) - (1 << 20)), 17u);
    for (const uint32_t heads : {8u, 32u, 64u}) {
        const AttentionSize usual{
            .keyDim = 128, .valueDim = 128, .numHeads = heads, .headsPerKv = 8, .numTokens = 1};
        EXPECT_LE(AttentionKernels::scratchFor(usual), kScratchBytes);
        EXPECT_EQ(splits(usual, kScratchBytes), splits(usual, UINT32_MAX));
    }
    // As many for up to eight rows.
    AttentionSize eight = latents;
    eight.numTokens = 8;
    EXPECT_EQ(splits(eight, AttentionKernels::scratchFor(latents)), 17u);
}

}  // namespace
}  // namespace ingle::backend::vulkan
