#include "engine/backend/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace ingle::backend {
namespace {

/// Two layers whose rows do not fill a block of Q8_0, and a recurrent state.
const MemorySpec kSpec{{{40, 24}, {8, 8}}, {{"state", 5, 0}}};

SavedState zeros(KvType kv, uint32_t tokens) {
    SavedState state{.kvType = kv, .range = {3, tokens}};
    state.bytes.resize(cacheBytesPerToken(kSpec, kv) * tokens + 5 * sizeof(float));
    return state;
}

TEST(SavedStates, areFiniteUnlessAnyValueIsNot) {
    for (const KvType kv : {KvType::F32, KvType::F16, KvType::Q8}) {
        SCOPED_TRACE(static_cast<int>(kv));
        EXPECT_TRUE(isFinite(zeros(kv, 0), kSpec));
        const SavedState good = zeros(kv, 3);
        EXPECT_TRUE(isFinite(good, kSpec));
        const size_t blockBytes = cacheFormat(kv).blockBytes;
        const size_t stateAt = good.bytes.size() - 5 * sizeof(float);
        for (size_t at = 0; at < stateAt; at += blockBytes) {
            SavedState bad = good;
            // The value itself, or the scale that a block of Q8_0 begins with.
            std::memset(bad.bytes.data() + at, 0xff, std::min<size_t>(blockBytes, 4));
            EXPECT_FALSE(isFinite(bad, kSpec)) << at;
        }
        for (size_t at = stateAt; at < good.bytes.size(); at += sizeof(float)) {
            SavedState bad = good;
            const float infinite = std::numeric_limits<float>::infinity();
            std::memcpy(bad.bytes.data() + at, &infinite, sizeof infinite);
            EXPECT_FALSE(isFinite(bad, kSpec)) << at;
        }
    }
}

TEST(SavedStates, ofAnotherSizeAreRefused) {
    SavedState state = zeros(KvType::F16, 2);
    state.bytes.pop_back();
    EXPECT_FALSE(isFinite(state, kSpec));
    state.bytes.resize(state.bytes.size() + 2);
    EXPECT_FALSE(isFinite(state, kSpec));
}

}  // namespace
}  // namespace ingle::backend
