#include "engine/backend/step_limits.h"

#include <gtest/gtest.h>

#include <limits>

namespace ingle::backend {
namespace {

/// A vocabulary of ten, four tokens a step, two rows of logits.
Plan smallPlan() {
    static const tensor::Tensor table{.shape = tensor::Shape::of(8, 10)};
    Plan plan;
    plan.weights = {{&table, WeightUse::Matrix}};
    plan.ops = {Op{.code = OpCode::Embed, .weights = {0}}};
    plan.maxTokens = 4;
    plan.maxLogitRows = 2;
    return plan;
}

TEST(StepLimits, stepsThatFitPassAndOthersAreNamed) {
    struct Row {
        std::vector<TokenId> tokens;
        std::vector<uint32_t> rowsOfRuns;
        size_t numLogits;
        std::string_view complaint;  // empty: none
    };
    const Row rows[] = {{{0}, {1}, 1, ""},
                        {{9, 0, 3, 9}, {1, 3}, 2, ""},
                        {{9}, {1}, 0, ""},
                        {{}, {}, 0, "a step of 0 tokens"},
                        {{1, 2, 3, 4, 5}, {5}, 0, "at most 4 fit"},
                        {{1, 2}, {1}, 0, "a step of 2 tokens in 1 rows"},
                        {{1}, {1, 0}, 0, "a step of 1 tokens"},
                        {{1, 2, 3}, {3}, 3, "logits of 3 rows wanted; at most 2 fit"},
                        {{1, 10}, {2}, 0, "token 10 is outside the vocabulary of 10"},
                        {{-1}, {1}, 0, "token -1 is outside"}};
    const StepLimits limits(smallPlan());
    for (const Row& row : rows) {
        SCOPED_TRACE(row.complaint);
        std::vector<SequenceRun> runs;
        for (const uint32_t count : row.rowsOfRuns) runs.push_back({nullptr, count});
        const std::vector<uint32_t> logitRows(row.numLogits);
        const Status checked = limits.check({row.tokens, runs, logitRows});
        EXPECT_EQ(checked.has_value(), row.complaint.empty());
        if (checked) continue;
        EXPECT_EQ(checked.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(checked.error().message.find(row.complaint), std::string::npos) << checked.error().message;
    }
}

TEST(StepLimits, guessesComeBehindATokenThatIsNone) {
    const StepLimits limits(smallPlan());
    const std::vector<TokenId> tokens{1, 2, 3};
    for (const uint32_t guesses : {0u, 1u, 2u, 3u, 4u}) {
        const SequenceRun run{nullptr, 3, 0, guesses};
        EXPECT_EQ(limits.check({tokens, {&run, 1}, {}}).has_value(), guesses < 3) << guesses;
    }
}

TEST(StepLimits, picturesHaveRowsAndOthersHaveNone) {
    Plan plan = smallPlan();
    const std::vector<TokenId> tokens{1, 2, 3};
    const SequenceRun runs[] = {{nullptr, 1}, {.numRows = 2, .isPicture = true}};
    const std::vector<float> rows(2 * 8);
    const std::vector<Coordinates> coordinates(3);
    const auto complaint = [&](const Step& step) {
        const Status checked = StepLimits(plan).check(step);
        return checked ? std::string() : checked.error().message;
    };
    EXPECT_EQ(complaint({tokens, runs, {}}), "2 rows of a picture for a model that takes none");
    EXPECT_EQ(complaint({.tokens = tokens, .runs = {runs, 1}, .logitRows = {}, .coordinates = coordinates}),
              "a step of 3 tokens in 1 rows; at most 4 fit");
    plan.ops.push_back({.code = OpCode::PictureRows, .params = PictureRowsParams{.width = 8}});
    EXPECT_EQ(complaint({.tokens = tokens, .runs = runs, .logitRows = {}, .inputRows = rows}), "");
    EXPECT_EQ(complaint({tokens, runs, {}}), "0 numbers are given for 2 rows of 8");
    EXPECT_EQ(complaint({.tokens = tokens,
                         .runs = runs,
                         .logitRows = {},
                         .inputRows = rows,
                         .coordinates = std::span(coordinates).first(2)}),
              "coordinates of 2 tokens among 3");
}

/// Rows of a vision tower are no tokens.
TEST(StepLimits, whatReadsNoTokensTakesAny) {
    Plan plan = smallPlan();
    plan.ops = {{.code = OpCode::InputRows, .params = InputRowsParams{2}}};
    const std::vector<TokenId> tokens{0, 1000};
    const SequenceRun run{nullptr, 2};
    const std::vector<float> rows(4);
    EXPECT_TRUE(
        StepLimits(plan).check({.tokens = tokens, .runs = {&run, 1}, .logitRows = {}, .inputRows = rows}));
}

TEST(StepLimits, logitsAreNumbers) {
    std::vector<float> logits{0, -3, std::numeric_limits<float>::max()};
    EXPECT_TRUE(checkFinite(logits, "whose fault"));
    for (const float wrong : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()}) {
        logits[1] = wrong;
        const Status checked = checkFinite(logits, "whose fault");
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().code, ErrorCode::Device);
        EXPECT_EQ(checked.error().message, "whose fault");
    }
}

}  // namespace
}  // namespace ingle::backend
