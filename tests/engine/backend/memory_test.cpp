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

TEST(Memory, statesInChunksGoBackWithinThem) {
    const StateSpec latest{"wkv", 8};
    const StateSpec chunked{.name = "delta", .elems = 8 + 32 * 2, .ring = ChunkRing{32, 2}};
    struct Row {
        std::vector<StateSpec> states;
        uint32_t tokens, reach;
    };
    const Row rows[] = {{{}, 100, 0},        {{latest}, 100, 100}, {{latest, chunked}, 100, 100},
                        {{chunked}, 0, 0},   {{chunked}, 1, 1},    {{chunked}, 31, 1},
                        {{chunked}, 32, 1},  {{chunked}, 33, 33},  {{chunked}, 64, 33},
                        {{chunked}, 65, 65}, {{chunked}, 100, 97}};
    for (const auto& [states, tokens, reach] : rows)
        EXPECT_EQ((MemorySpec{.kv = {}, .states = states}.statesReachBack(tokens)), reach) << tokens;
}

/// Only what means something is saved: it follows from the tokens, not from what was forgotten.
TEST(Memory, guessesStayWithinAChunk) {
    const MemorySpec chunks{.states = {{.name = "s", .elems = 70, .ring = ChunkRing{kChunkTokens, 2, 0}}}};
    EXPECT_EQ(chunks.mostGuesses(0), 0u);
    EXPECT_EQ(chunks.mostGuesses(1), 31u);
    EXPECT_EQ(chunks.mostGuesses(31), 1u);
    EXPECT_EQ(chunks.mostGuesses(32), 0u);
    EXPECT_EQ(chunks.mostGuesses(33), 31u);
    for (uint32_t tokens = 1; tokens < 100; ++tokens) {
        const uint32_t most = chunks.mostGuesses(tokens);
        EXPECT_LE(chunks.statesReachBack(tokens + most), tokens);
        EXPECT_GT(chunks.statesReachBack(tokens + most + 1), tokens);
    }
    EXPECT_GT(MemorySpec{}.mostGuesses(32), 1000u);
}

TEST(SavedStates, ofChunksHoldTheRowsSince) {
    // 32 rows and the two before a chunk's first.
    const StateSpec spec{.name = "conv", .elems = 3 + 34 * 2, .ring = ChunkRing{34, 2}};
    std::vector<float> state(spec.elems);
    for (size_t i = 0; i < state.size(); ++i) state[i] = static_cast<float>(i + 1);
    struct Row {
        uint32_t tokens, first, count;
    };
    for (const auto& [tokens, first, count] :
         {Row{0, 0, 0}, Row{1, 0, 1}, Row{32, 0, 32}, Row{33, 30, 3}, Row{64, 30, 34}, Row{70, 62, 8}}) {
        SCOPED_TRACE(tokens);
        EXPECT_EQ(savedStateBytes(spec, tokens), (3 + 2 * count) * sizeof(float));
        std::vector<std::byte> saved(savedStateBytes(spec, tokens));
        packState(spec, tokens, state, saved.data());
        std::vector<float> back(spec.elems, -1);
        unpackState(spec, tokens, saved.data(), back);
        std::vector<float> expected(spec.elems);
        std::copy_n(state.begin(), 3, expected.begin());
        for (uint32_t p = first; p < first + count; ++p)
            std::copy_n(state.begin() + 3 + p % 34 * 2, 2, expected.begin() + 3 + p % 34 * 2);
        EXPECT_EQ(back, expected);
    }
}

}  // namespace
}  // namespace ingle::backend
