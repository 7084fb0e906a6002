/// What a token reads, and how fast an answer is foretold from that. Whether it comes true is measured by
/// tests/e2e/speed_measure.py.
#include "engine/session/loading/speed_forecast.h"

#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "engine/session/loading/model.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

class SpeedForecast : public testing::Test {
  protected:
    TokenReads readsOf(lab::SynthOptions options, uint32_t earlierTokens, KvType kv = KvType::F16) {
        const std::string path = m_folder.file("model.gguf");
        EXPECT_TRUE(lab::writeSynthModel(options, path));
        m_model = openModel(test::opened(path), {.kv = kv}).value();
        return tokenReads(lowerModel(*m_model, {}, 1, 1), m_model->shape.memory, kv, earlierTokens);
    }
    uint64_t fileBytes(std::string_view part) const {
        uint64_t bytes = 0;
        for (const auto& [name, tensor] : m_model->file.tensors)
            if (name.find(part) != std::string::npos && tensor.shape.numRows() > 1)
                bytes += tensor.data.size();
        return bytes;
    }
    static uint64_t sum(const TokenReads& reads) {
        uint64_t bytes = 0;
        for (const auto& [format, count] : reads.weights) bytes += count;
        return bytes;
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<OpenedModel> m_model;
};

TEST_F(SpeedForecast, aTokenReadsEveryMatrixButTheEmbedding) {
    const TokenReads reads = readsOf({.family = "llama", .quant = "Q8_0"}, 100);
    EXPECT_EQ(sum(reads), fileBytes("") - fileBytes("token_embd"));
    EXPECT_EQ(reads.cache, 100 * backend::cacheBytesPerToken(m_model->shape.memory, KvType::F16));
    EXPECT_LT(readsOf({.family = "llama", .quant = "Q8_0"}, 100, KvType::Q8).cache, reads.cache);
}

TEST_F(SpeedForecast, ofExpertsOnlyThoseChosen) {
    lab::SynthOptions options{.family = "llama", .quant = "Q8_0"};
    options.sizes.numExperts = 8;
    options.sizes.numExpertsUsed = 2;
    const TokenReads reads = readsOf(options, 0);
    EXPECT_EQ(sum(reads), fileBytes("") - fileBytes("token_embd") - fileBytes("_exps") * 6 / 8);
}

TEST_F(SpeedForecast, statesAreReadAndWritten) {
    const TokenReads reads = readsOf({.family = "rwkv7", .quant = "Q8_0"}, 100);
    EXPECT_EQ(reads.cache, 2 * conversationBytes(m_model->shape, KvType::F16, 0));
    // In chunks they are read, but little of them is written.
    const uint64_t chunked = readsOf({.family = "lfm2", .quant = "Q8_0"}, 0).cache;
    EXPECT_GT(chunked, 0u);
    EXPECT_LT(chunked, conversationBytes(m_model->shape, KvType::F16, 0));
}

TEST(ForetoldSeconds, theSlowerOfMemoryAndKernelCounts) {
    TokenReads reads{.weights = {{"Q4_K", 1000}, {"IQ1_S", 100}}, .cache = 200, .numOps = 10};
    const ReadSpeeds speeds{.memoryBytesPerSecond = 1000,
                            .formatBytesPerSecond = {{"Q4_K", 5000}, {"IQ1_S", 50}},
                            .secondsPerOp = 0.01};
    EXPECT_DOUBLE_EQ(foretoldSeconds(reads, speeds), 1.0 + 2.0 + 0.2 + 0.1);
    reads.weights = {{"Q2_K", 1000}};  // not measured
    EXPECT_DOUBLE_EQ(foretoldSeconds(reads, speeds), 1.0 + 0.2 + 0.1);
}

}  // namespace
}  // namespace ingle::session
