/// What is beside OpenAI's interface of how the next token is chosen.
#include "app/bridge/sampler_fields.h"

#include <gtest/gtest.h>

namespace ingle::bridge {
namespace {

using nlohmann::json;

json requestOf(const SamplerParams& sampler) {
    json request;
    addSampler(request, sampler);
    return request;
}

TEST(SamplerFields, AreSentWhereTheyDoSomething) {
    const json all = requestOf({.topK = 7, .typicalP = 0.9f, .minP = 0.1f, .repeatPenalty = 1.2f});
    EXPECT_EQ(all["top_k"], 7);
    EXPECT_EQ(all["min_p"], 0.1);
    EXPECT_EQ(all["typical_p"], 0.9);
    EXPECT_EQ(all["repetition_penalty"], 1.2);
    EXPECT_EQ(all["repeat_penalty"], 1.2);
    const json none = requestOf({.topK = 0, .minP = 0});
    EXPECT_GT(none["top_k"], 1'000'000) << "all, of whatever vocabulary";
    EXPECT_EQ(none["min_p"], 0) << "and not what the server has by itself";
    EXPECT_FALSE(none.contains("typical_p"));
    EXPECT_FALSE(none.contains("repetition_penalty"));
}

TEST(SamplerFields, ARefusalNamesThem) {
    const json request = requestOf({.repeatPenalty = 1.2f});
    EXPECT_EQ(refusedFields(request, R"({"error": "unknown: top_k, 'min_p', typical_p"})"),
              (FieldNames{"min_p", "top_k"}))
        << "of those that it has";
    EXPECT_EQ(refusedFields(request, "no_top_k, top_k2, temperature"), FieldNames{});
    EXPECT_EQ(refusedFields(request, ""), FieldNames{});
    EXPECT_EQ(refusedFields(request, "top_k"), FieldNames{"top_k"});
}

TEST(SamplerFields, WordsSayWhatIsLeftOut) {
    EXPECT_EQ(wordsOf({}, {}), "");
    EXPECT_EQ(wordsOf({"top_k"}, {}), "top-k");
    EXPECT_EQ(wordsOf({"top_k", "min_p", "repetition_penalty", "repeat_penalty"}, {}),
              "top-k, min-p and the repetition penalty");
    EXPECT_EQ(wordsOf({"repeat_penalty"}, {{"repetition_penalty", 1.2}}), "") << "it is there, too";
}

}  // namespace
}  // namespace ingle::bridge
