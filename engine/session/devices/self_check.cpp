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

/// `token` is the best one after these logits, as far as those of `device` may be off.
Status checkChoice(TokenId token, std::span<const float> logits, double maxError,
                   const backend::Backend& device) {
    double squares = 0;
    for (const float logit : logits) squares += double{logit} * logit;
    const double errorOfOne = std::sqrt(maxError * squares / static_cast<double>(logits.size()));
    const double behind = double{std::ranges::max(logits)} - logits[static_cast<size_t>(token)];
    if (behind <= kMaxBehind * errorOfOne) return {};
    return fail(ErrorCode::Device, "{} chooses wrong tokens (the logit of one is {:.2g} below the best)",
                device.deviceName(), behind);
}

/// What `device` chooses by itself after these tokens, each in a sequence of its own.
Status checkChoices(CheckRun& tried, CheckRun& right, std::vector<TokenId> tokens, double maxError,
                    const backend::Backend& device) {
    INGLE_TRY_ASSIGN(const auto queue, tried.decodeAhead(tokens, kChoices + kUntold));
    if (!queue) return {};
    for (uint32_t i = 0; i < kChoices; ++i) {
        INGLE_TRY_ASSIGN(const auto expected, right.logitsAfter(tokens));
        INGLE_TRY_ASSIGN(const auto chosen, queue->next());
        tokens.assign(chosen.begin(), chosen.end());
        const size_t width = expected.size() / tokens.size();
        for (size_t row = 0; row < tokens.size(); ++row)
            INGLE_TRY(
                checkChoice(tokens[row], std::span(expected).subspan(row * width, width), maxError, device));
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
    INGLE_TRY(checkChoices(tried, right, {anyToken}, maxError, device));
    INGLE_TRY(checkChoices(tried, right, {anyToken, anyToken / 2}, maxError, device));
    // The sequences are as if the steps that were not told of had never been.
    return compare({{1, 1}, 2});
}

}  // namespace

Status checkDevice(backend::Backend& device, const models::BoundModel& model, uint32_t contextTokens,
                   const LoadOptions& options) {
    const models::BoundModel small = models::withOneLayerOfEachKind(model);
    INGLE_TRY(checkSteps(device, small, contextTokens, options));
    return checkPrompt(device, small, contextTokens, options);
}

}  // namespace ingle::session
