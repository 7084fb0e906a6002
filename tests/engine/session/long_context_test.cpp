/// Attention over more keys than one split: chunks, threads and cache types.
#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

constexpr uint32_t kContext = 1300;

std::unique_ptr<Model> load(const std::string& path, KvType kv, uint32_t threads) {
    return Model::load(test::opened(path), {.threads = threads, .contextTokens = kContext, .kv = kv}, nullptr)
        .value();
}

TEST(LongContext, chunksAndThreadsGiveTheSameBits) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    // One kv head: with several threads a token's attention is shared between them.
    const models::SynthSizes sizes{.dim = 128,
                                   .ffnDim = 96,
                                   .numLayers = 1,
                                   .numHeads = 4,
                                   .numKvHeads = 1,
                                   .vocabSize = 64,
                                   .context = 2048};
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .sizes = sizes, .quant = "F32"}, path));
    std::vector<TokenId> tokens;
    for (uint32_t i = 0; i < 1200; ++i) tokens.push_back(static_cast<TokenId>((i * 37 + i / 64) % 64));
    std::vector<float> withF32;
    for (const KvType kv : {KvType::F32, KvType::F16, KvType::Q8}) {
        const auto model = load(path, kv, 1);
        const std::vector<float> whole = test::logitsInChunks(*model, tokens, 64);
        EXPECT_EQ(test::logitsInChunks(*model, tokens, 1), whole);
        const auto threaded = load(path, kv, 3);
        EXPECT_EQ(test::logitsInChunks(*threaded, tokens, 1), whole);
        EXPECT_EQ(test::logitsInChunks(*threaded, tokens, 50), whole);
        if (withF32.empty()) withF32 = whole;
        constexpr double kRounding = 1e-3;  // of the cache, in 8 bits
        EXPECT_LT(test::nmse(whole, withF32), kRounding);
        // The negative twins: another prompt is further away, and a token of the first split still matters at
        // the end.
        const std::vector<TokenId> reversed(tokens.rbegin(), tokens.rend());
        EXPECT_GT(test::nmse(test::logitsInChunks(*model, reversed, 64), withF32), kRounding);
        std::vector<TokenId> other = tokens;
        other[5] = (other[5] + 1) % 64;
        const std::vector<float> changed = test::logitsInChunks(*model, other, 64);
        EXPECT_FALSE(std::equal(changed.end() - 64, changed.end(), whole.end() - 64));
    }
}

}  // namespace
}  // namespace ingle::session
