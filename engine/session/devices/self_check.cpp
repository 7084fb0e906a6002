#include "engine/session/devices/self_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/session/devices/backends.h"
#include "engine/session/devices/check_run.h"

namespace ingle::session {
namespace {

/// A prompt of more than a page, an answer, and answers beside each other, in each number of rows for which
/// kernels differ (1, 2, 4, 8, 16, more).
constexpr CheckStep kSteps[] = {{{19, 0}, 1}, {{19, 0}, 1}, {{19, 0}, 1}, {{19, 0}, 1}, {{1, 0}, 1},
                                {{1, 0}, 1},  {{1, 1}, 2},  {{1, 2}, 3},  {{2, 5}, 7},  {{6, 7}, 7}};
/// Tokens that a device is asked to choose, ahead of the host, where it can.
constexpr uint32_t kChoices = 5;
/// Those it has on their way when that ends.
constexpr uint32_t kUntold = 2;
/// In errors of a logit: how far the choice may be behind the best one. The errors of both add up to sqrt(2)
/// of one in the mean; four times that.
constexpr double kMaxBehind = 6;

/// The tokens that `device` chooses by itself are the best ones, as far as its logits may be off.
Status checkChoices(CheckRun& tried, CheckRun& right, TokenId token, double maxError,
                    const backend::Backend& device) {
    INGLE_TRY_ASSIGN(const auto queue, tried.decodeAhead(token, kChoices + kUntold));
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

/// A prompt in one step of as many rows as `device` likes, less a few, so that tiles of all sizes end early,
/// gives what it gives in small steps. Texts that are only read as a whole have no such steps.
Status checkPrompt(backend::Backend& device, const models::BoundModel& model, uint32_t contextTokens,
                   const LoadOptions& options) {
    constexpr uint32_t kLeftOut = 3;
    const uint32_t maxRows = std::min(device.promptRows(), contextTokens);
    if (maxRows <= backend::Backend::kPromptRows || model.facts().pooling ||
        model.facts().readsPromptsWhole())
        return {};
    INGLE_TRY_ASSIGN(CheckRun tried, CheckRun::create(device, model, contextTokens, options, maxRows));
    const uint32_t numTokens = maxRows - kLeftOut;
    INGLE_TRY_ASSIGN(const auto expected, tried.prompt(numTokens, CheckRun::kMaxRows));
    INGLE_TRY_ASSIGN(const auto logits, tried.prompt(numTokens, numTokens));
    const double error = errorOf(logits, expected);
    if (error <= maxErrorOf(device)) return {};
    return fail(ErrorCode::Device, "{} computes wrong values (steps of {} tokens: relative error {:.1e})",
                device.deviceName(), numTokens, error);
}

/// As checkDevice(), with steps of few rows.
Status checkSteps(backend::Backend& device, const models::BoundModel& small, uint32_t contextTokens,
                  const LoadOptions& options) {
    LoadOptions exact = options;
    exact.activations = ActivationType::F32;
    INGLE_TRY_ASSIGN(const auto processor, createProcessor(exact));
    INGLE_TRY_ASSIGN(CheckRun right, CheckRun::create(*processor, small, contextTokens, options));
    INGLE_TRY_ASSIGN(CheckRun tried, CheckRun::create(device, small, contextTokens, options));
    const double maxError = maxErrorOf(device);
    const auto compare = [&](const CheckStep& step) -> Status {
        INGLE_TRY_ASSIGN(const auto expected, right.logits(step));
        INGLE_TRY_ASSIGN(const auto logits, tried.logits(step));
        const double error = errorOf(logits, expected);
        if (error <= maxError) return {};
        return fail(ErrorCode::Device, "{} computes wrong values (steps of {} tokens: relative error {:.1e})",
                    device.deviceName(), step.rows[0] + step.rows[1], error);
    };
    for (const CheckStep& step : kSteps) INGLE_TRY(compare(step));
    const auto anyToken = static_cast<TokenId>(small.facts().vocabSize / 2);
    INGLE_TRY(checkChoices(tried, right, anyToken, maxError, device));
    // The sequence is as if the steps that were not told of had never been.
    return compare({{1, 0}, 1});
}

}  // namespace

Status checkDevice(backend::Backend& device, const models::BoundModel& model, uint32_t contextTokens,
                   const LoadOptions& options) {
    const models::BoundModel small = models::withOneLayerOfEachKind(model);
    INGLE_TRY(checkSteps(device, small, contextTokens, options));
    return checkPrompt(device, small, contextTokens, options);
}

}  // namespace ingle::session
