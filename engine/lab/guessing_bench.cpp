#include "engine/lab/guessing_bench.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/lab/forced_guesses.h"
#include "engine/session/conversations/scheduler.h"

namespace ingle::lab {
namespace {

constexpr int kPairs = 5;
constexpr TokenId kPromptTokens = 8;

/// Remembers the ids and how it went.
class BenchSink final : public GenerateSink {
  public:
    void onPlan(const PromptPlan&) override {}
    void onProgress(uint32_t, uint32_t) override {}
    void onTokens(const TokenChunk& chunk) override {
        ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
    }
    void onDone(const GenerateResult& result) override { stats = result.stats; }
    void onError(const Error& error) override { status = tl::unexpected(error); }

    std::vector<TokenId> ids;
    GenerateStats stats;
    Status status;
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

Result<GuessingResult> benchGuessing(session::Model& model, uint32_t newTokens, std::optional<double> right) {
    session::Scheduler scheduler(model, nullptr);
    GenerateRequest request{.sampler = {.temperature = 0}, .maxTokens = newTokens};
    for (TokenId id = 1; id <= kPromptTokens; ++id) request.rawTokens.push_back(id);
    // Without an argument with the guesses that the model has anyway, else with those of the argument.
    const auto answer = [&](auto... speculation) -> Result<BenchSink> {
        BenchSink sink;
        scheduler.submit(request, sink, std::move(speculation)...);
        while (scheduler.step()) {
        }
        INGLE_TRY(sink.status);
        return sink;
    };
    const auto bareAnswer = [&] { return answer(std::unique_ptr<session::Speculation>()); };
    const auto speed = [](const BenchSink& sink) { return sink.stats.newTokens * 1e3 / sink.stats.decodeMs; };
    INGLE_TRY_ASSIGN(const BenchSink known, bareAnswer());
    GuessingResult result;
    std::vector<double> speeds, bareSpeeds, ratios;
    for (int pair = 0; pair < kPairs; ++pair) {
        INGLE_TRY_ASSIGN(const BenchSink guessing,
                         right ? answer(std::make_unique<session::Speculation>(
                                     std::make_unique<ForcedGuesses>(known.ids, *right)))
                               : answer());
        INGLE_TRY_ASSIGN(const BenchSink bare, bareAnswer());
        if (guessing.ids != known.ids || bare.ids != known.ids)
            return fail(ErrorCode::Corrupt, "an answer with guesses is another one than without");
        speeds.push_back(speed(guessing));
        bareSpeeds.push_back(speed(bare));
        ratios.push_back(speeds.back() / bareSpeeds.back());
        result.guessedTokens += guessing.stats.guessedTokens;
        result.takenTokens += guessing.stats.takenTokens;
    }
    result.tokensPerSecond = median(speeds);
    result.bareTokensPerSecond = median(bareSpeeds);
    result.ratio = median(ratios);
    result.leastRatio = std::ranges::min(ratios);
    result.mostRatio = std::ranges::max(ratios);
    return result;
}

}  // namespace ingle::lab
