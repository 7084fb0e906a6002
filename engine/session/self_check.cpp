#include "engine/session/self_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/graph/lower.h"
#include "engine/session/backends.h"
#include "engine/session/model.h"

namespace ingle::session {
namespace {

/// sum((a-b)^2) / sum(b^2) that logits may differ by where activations stay floats. Adding in another order
/// costs 1e-12. A device may cut off the digits that f16 has no room for where the processor rounds: 2^-10 of
/// each key, value and scale of an 8-bit block, so 1e-6 of what attention gives; ten times that.
constexpr double kMaxError = 1e-5;
/// Where they may be rounded to bytes: a step of max/127 errs by step^2/12 in the mean, of each of 32 values
/// whose squares add up to max^2 at least, so 32 / (12 * 127^2) = 1.7e-4 a product. About ten in a row lead
/// to the logits of two layers, which is 2e-3; five times that, for rows in which large values cancel.
constexpr double kMaxErrorOfBytes = 1e-2;

/// Rows of two sequences in one step, and how many of the last ones give logits.
struct CheckStep {
    std::array<uint32_t, 2> rows;
    uint32_t logits;
};
/// A piece of a prompt, an answer, and answers beside each other, in each number of rows for which kernels
/// differ (1, 2, 4, 8, more).
constexpr CheckStep kSteps[] = {{{19, 0}, 1}, {{1, 0}, 1}, {{1, 0}, 1},
                                {{1, 1}, 2},  {{1, 2}, 3}, {{2, 5}, 7}};
constexpr uint32_t kMaxRows = 19;
constexpr uint32_t kMaxLogits = 7;

/// Tokens that a device is asked to choose, ahead of the host, where it can; and those it has on their way
/// when that ends.
constexpr uint32_t kChoices = 5;
constexpr uint32_t kUntold = 2;
/// In errors of a logit: how far the choice may be behind the best one. The errors of both add up to sqrt(2)
/// of one in the mean; four times that.
constexpr double kMaxBehind = 6;

/// The steps on one backend.
class CheckRun {
  public:
    static Result<CheckRun> create(backend::Backend& backend, const models::BoundModel& model,
                                   const LoadOptions& options) {
        CheckRun run;
        INGLE_TRY_ASSIGN(run.m_memory, backend.createMemory(model.family->memory(model.config),
                                                            {options.kv, 2 * backend::kPageTokens}));
        graph::Builder builder;
        model.family->build(builder, model.config, model.weights);
        const graph::LowerOptions lower{kMaxRows, kMaxLogits,
                                        options.fuse ? graph::Fusion::On : graph::Fusion::Off};
        INGLE_TRY_ASSIGN(run.m_program, backend.compile(graph::lower(builder.take(), lower), *run.m_memory));
        for (auto& sequence : run.m_sequences) {
            INGLE_TRY_ASSIGN(sequence, run.m_memory->createSequence());
        }
        run.m_vocabSize = model.config.vocabSize;
        return run;
    }

    /// The logits of the step, back to back.
    Result<std::vector<float>> logits(const CheckStep& step) {
        std::vector<TokenId> tokens;
        std::vector<backend::SequenceRun> runs;
        for (size_t i = 0; i < step.rows.size(); ++i) {
            if (step.rows[i] == 0) continue;
            runs.push_back({m_sequences[i].get(), step.rows[i]});
            for (uint32_t row = 0; row < step.rows[i]; ++row) tokens.push_back(nextToken());
        }
        return run(tokens, runs, step.logits);
    }

    /// The logits after `token` in the first sequence.
    Result<std::vector<float>> logitsAfter(TokenId token) {
        const backend::SequenceRun one{m_sequences[0].get(), 1};
        return run({&token, 1}, {&one, 1}, 1);
    }

    /// The first sequence goes on with `token` and the best tokens after it. Null: the host has to choose.
    Result<std::unique_ptr<backend::DecodeQueue>> decodeAhead(TokenId token) {
        return m_program->decodeAhead({.sequence = m_sequences[0].get(),
                                       .token = token,
                                       .sampler = {.temperature = 0},
                                       .numIds = m_vocabSize,
                                       .maxSteps = kChoices + kUntold});
    }

  private:
    /// The logits of the last `numLogits` rows, back to back.
    Result<std::vector<float>> run(std::span<const TokenId> tokens,
                                   std::span<const backend::SequenceRun> runs, uint32_t numLogits) {
        const auto numRows = static_cast<uint32_t>(tokens.size());
        std::vector<uint32_t> logitRows;
        for (uint32_t row = numRows - numLogits; row < numRows; ++row) logitRows.push_back(row);
        INGLE_TRY(m_program->run({tokens, runs, logitRows}));
        std::vector<float> logits;
        for (uint32_t i = 0; i < numLogits; ++i) {
            INGLE_TRY_ASSIGN(const std::span<const float> row, m_program->readLogits(i));
            logits.insert(logits.end(), row.begin(), row.end());
        }
        return logits;
    }

    /// Spread over the vocabulary; any would do.
    TokenId nextToken() {
        m_token = (m_token + 7919) % m_vocabSize;
        return static_cast<TokenId>(m_token);
    }

    std::unique_ptr<backend::MemoryPool> m_memory;
    std::unique_ptr<backend::Program> m_program;
    std::array<std::unique_ptr<backend::SequenceMemory>, 2> m_sequences;
    uint32_t m_vocabSize = 0;
    uint32_t m_token = 0;
};

double errorOf(std::span<const float> logits, std::span<const float> expected) {
    double error = 0, total = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        error += (double{logits[i]} - expected[i]) * (double{logits[i]} - expected[i]);
        total += double{expected[i]} * expected[i];
    }
    return error == 0 ? 0 : error / total;
}

/// The tokens that `device` chooses by itself are the best ones, as far as its logits may be off.
Status checkChoices(CheckRun& tried, CheckRun& right, TokenId token, double maxError,
                    const backend::Backend& device) {
    INGLE_TRY_ASSIGN(const auto queue, tried.decodeAhead(token));
    if (!queue) return {};
    for (uint32_t i = 0; i < kChoices; ++i) {
        INGLE_TRY_ASSIGN(const auto expected, right.logitsAfter(token));
        INGLE_TRY_ASSIGN(token, queue->next());
        double squares = 0;
        for (const float logit : expected) squares += double{logit} * logit;
        const double errorOfOne = std::sqrt(maxError * squares / static_cast<double>(expected.size()));
        const double behind = double{std::ranges::max(expected)} - expected[static_cast<size_t>(token)];
        if (behind <= kMaxBehind * errorOfOne) continue;
        return fail(ErrorCode::Device, "{} chooses wrong tokens (the logit of one is {:.2g} below the best)",
                    device.deviceName(), behind);
    }
    return {};
}

}  // namespace

Status checkDevice(backend::Backend& device, const OpenedModel& model, const LoadOptions& options) {
    const models::BoundModel small = models::withOneLayerOfEachKind(model.bound);
    LoadOptions exact = options;
    exact.activations = ActivationType::F32;
    INGLE_TRY_ASSIGN(const auto processor, createProcessor(exact));
    INGLE_TRY_ASSIGN(CheckRun right, CheckRun::create(*processor, small, options));
    INGLE_TRY_ASSIGN(CheckRun tried, CheckRun::create(device, small, options));
    const double maxError = device.roundsActivations() ? kMaxErrorOfBytes : kMaxError;
    const auto compare = [&](const CheckStep& step) -> Status {
        INGLE_TRY_ASSIGN(const auto expected, right.logits(step));
        INGLE_TRY_ASSIGN(const auto logits, tried.logits(step));
        const double error = errorOf(logits, expected);
        if (error <= maxError) return {};
        return fail(ErrorCode::Device, "{} computes wrong values (steps of {} tokens: relative error {:.1e})",
                    device.deviceName(), step.rows[0] + step.rows[1], error);
    };
    for (const CheckStep& step : kSteps) INGLE_TRY(compare(step));
    const auto anyToken = static_cast<TokenId>(small.config.vocabSize / 2);
    INGLE_TRY(checkChoices(tried, right, anyToken, maxError, device));
    // The sequence is as if the steps that were not told of had never been.
    return compare({{1, 0}, 1});
}

}  // namespace ingle::session
