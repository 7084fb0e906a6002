#include "engine/lab/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/temporary_folder.h"

namespace ingle::lab {
namespace {

const std::vector<TokenId> kTokens{1, 5, 9, 200};

class Traces : public testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(writeSynthModel({.family = "llama", .quant = "F32"}, m_path));
    }
    Trace trace(LoadOptions options = {}) { return traceModel(m_path, options, kTokens).value(); }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_F(Traces, endWithTheLogitsAndNameEveryValueOnce) {
    const Trace traced = trace();
    std::vector<float> logits;
    const auto engine = Engine::load(m_path, {}, nullptr).value();
    ASSERT_TRUE(engine->logits(kTokens, 0, [&](std::span<const float> row) {
        logits.insert(logits.end(), row.begin(), row.end());
    }));
    EXPECT_EQ(traced.back().rows, logits);
    std::vector<std::string> names;
    for (const TracedValue& value : traced) {
        names.push_back(value.name);
        EXPECT_EQ(value.rows.size(), kTokens.size() * value.width) << value.name;
    }
    EXPECT_NE(std::ranges::find(names, "blk.1.attn_norm"), names.end());
    EXPECT_NE(std::ranges::find(names, "blk.0.v"), names.end());  // the last of three stacked linears
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST_F(Traces, survivePlainAndFusedGraphsAlike) {
    const auto differences = compareTraces(trace({.fuse = true}), trace({.fuse = false}));
    EXPECT_GT(differences.size(), 10u);
    for (const TraceDifference& difference : differences)
        EXPECT_EQ(difference.maxAbsDifference, 0) << difference.name;
}

TEST_F(Traces, areReadBackAsWrittenAndDifferencesAreSeen) {
    Trace traced = trace();
    ASSERT_TRUE(writeTrace(traced, m_folder.file("dump")));
    const Trace read = readTrace(m_folder.file("dump")).value();
    ASSERT_EQ(read.size(), traced.size());
    for (size_t i = 0; i < read.size(); ++i) {
        EXPECT_EQ(read[i].name, traced[i].name);
        EXPECT_EQ(read[i].rows, traced[i].rows);
    }
    traced[3].rows[1] += 0.5f;
    const auto differences = compareTraces(traced, read);
    EXPECT_NEAR(differences[3].maxAbsDifference, 0.5, 1e-6);
    EXPECT_GT(differences[3].nmse, 0);
    EXPECT_EQ(differences[2].maxAbsDifference, 0);
}

TEST_F(Traces, whatIsNoTraceIsOneSentence) {
    EXPECT_FALSE(readTrace(m_folder.file("nowhere")));
    ASSERT_TRUE(writeTrace(trace(), m_folder.file("dump")));
    std::ofstream(m_folder.file("dump/0000-embed.f32"), std::ios::app) << "x";
    EXPECT_FALSE(readTrace(m_folder.file("dump")));
    EXPECT_FALSE(traceModel(m_path, {}, {}));
}

}  // namespace
}  // namespace ingle::lab
