#include "engine/backend/step_limits.h"

#include <algorithm>
#include <cmath>

namespace ingle::backend {
namespace {

Status cancelled() {
    return fail(ErrorCode::Cancelled, "the step was cancelled");
}

}  // namespace

StepLimits::StepLimits(const Plan& plan)
    : maxTokens(plan.maxTokens),
      maxLogitRows(plan.maxLogitRows),
      numParts(std::max(static_cast<uint32_t>(plan.parts.size()), 1U)) {
    for (const Op& op : plan.ops) {
        if (op.code == OpCode::Embed)
            vocabSize = static_cast<uint32_t>(plan.weights[op.weights[0]].tensor->shape.dims[1]);
        if (op.code == OpCode::InputRows) inputWidth = std::get<InputRowsParams>(op.params).width;
        if (op.code == OpCode::PictureRows) pictureWidth = std::get<PictureRowsParams>(op.params).width;
        if (op.code == OpCode::Attention) mask = std::max(mask, std::get<AttentionParams>(op.params).mask);
    }
}

Status StepLimits::check(const Step& step) const {
    size_t rows = 0;
    for (const SequenceRun& run : step.runs) rows += run.numRows;
    if (rows != step.tokens.size() || rows == 0 || rows > maxTokens || step.runs.size() > rows) {
        return fail(ErrorCode::InvalidArgument, "a step of {} tokens in {} rows; at most {} fit",
                    step.tokens.size(), rows, maxTokens);
    }
    if (step.logitRows.size() > maxLogitRows) {
        return fail(ErrorCode::InvalidArgument, "logits of {} rows wanted; at most {} fit",
                    step.logitRows.size(), maxLogitRows);
    }
    if (step.part >= numParts)
        return fail(ErrorCode::InvalidArgument, "part {} of a plan of {}", step.part, numParts);
    INGLE_TRY(checkInput(step, rows));
    for (const SequenceRun& run : step.runs) {
        if (run.numGuesses > 0 && run.numGuesses >= run.numRows)
            return fail(ErrorCode::InvalidArgument, "{} guesses among {} rows", run.numGuesses, run.numRows);
        INGLE_TRY(checkMask(run));
    }
    for (const TokenId token : step.tokens) {
        if (vocabSize && (token < 0 || static_cast<uint32_t>(token) >= *vocabSize)) {
            return fail(ErrorCode::InvalidArgument, "token {} is outside the vocabulary of {}", token,
                        *vocabSize);
        }
    }
    return step.cancelled && step.cancelled() ? cancelled() : Status();
}

Status StepLimits::checkInput(const Step& step, size_t rows) const {
    size_t pictureRows = 0;
    for (const SequenceRun& run : step.runs) pictureRows += run.isPicture ? run.numRows : 0;
    if (pictureRows > 0 && pictureWidth == 0 && inputWidth == 0)
        return fail(ErrorCode::InvalidArgument, "{} rows of a picture for a model that takes none",
                    pictureRows);
    if (step.inputRows.size() != rows * inputWidth + pictureRows * pictureWidth)
        return fail(ErrorCode::InvalidArgument, "{} numbers are given for {} rows of {}",
                    step.inputRows.size(), inputWidth > 0 ? rows : pictureRows,
                    std::max(inputWidth, pictureWidth));
    const bool takesCoordinates = inputWidth > 0 || pictureWidth > 0;
    if (!step.coordinates.empty() && (!takesCoordinates || step.coordinates.size() != rows))
        return fail(ErrorCode::InvalidArgument, "coordinates of {} tokens among {}", step.coordinates.size(),
                    rows);
    return {};
}

Status StepLimits::checkMask(const SequenceRun& run) const {
    if (mask == Mask::Causal) return {};
    const uint32_t before = run.sequence->length();
    if (mask == Mask::Before && before == 0) {
        return fail(ErrorCode::InvalidArgument, "{} rows that see those of earlier steps, and there are none",
                    run.numRows);
    }
    if (mask == Mask::Full && before > 0) {
        return fail(ErrorCode::InvalidArgument,
                    "{} tokens after {}, where all of a text's tokens are fed in one step", run.numRows,
                    before);
    }
    const uint32_t prefixFed = before > 0 ? before : run.numRows;
    if (mask == Mask::Prefix && run.prefixTokens > prefixFed) {
        return fail(ErrorCode::InvalidArgument, "a prefix of {} tokens of which {} are fed in one step",
                    run.prefixTokens, prefixFed);
    }
    return {};
}

Status endCancelled(const Step& step, const MemorySpec& memory) {
    for (const SequenceRun& run : step.runs) {
        const uint32_t length = run.sequence->length();
        if (length < memory.statesReachBack(length + run.numRows)) INGLE_TRY(run.sequence->truncate(0));
    }
    return cancelled();
}

Status checkFinite(std::span<const float> logits, std::string_view message) {
    if (std::ranges::all_of(logits, [](float value) { return std::isfinite(value); })) return {};
    return fail(ErrorCode::Device, "{}", message);
}

}  // namespace ingle::backend
