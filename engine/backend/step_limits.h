/// What every backend asks of a step and of its results.
#pragma once

#include <optional>

#include "engine/backend/backend.h"

namespace ingle::backend {

/// Which steps a program can run.
struct StepLimits {
    uint32_t maxTokens = 0;
    uint32_t maxLogitRows = 0;
    std::optional<uint32_t> vocabSize = {};  ///< tokens are below it; none: nothing reads them
    uint32_t inputWidth = 0;                 ///< of Step::inputRows, of each token; 0: it has none …
    uint32_t pictureWidth = 0;               ///< … and of each token of a picture
    Mask mask = Mask::Causal;                ///< of the attention that sees most
    uint32_t numParts = 1;                   ///< at least: a plan without parts is one

    explicit StepLimits(const Plan& plan);
    /// Errors: InvalidArgument (more rows than fit, runs that are not the tokens, a token outside the
    /// vocabulary, input rows that are not as many, tokens that see each other but are not fed in one step);
    /// Cancelled before it began.
    Status check(const Step& step) const;

  private:
    Status checkMask(const SequenceRun& run) const;
    Status checkInput(const Step& step, size_t rows) const;
};

/// What run() returns once `step` is cancelled on its way: sequences whose states may be half a step further,
/// and cannot go back, are emptied. Errors: Cancelled; those of truncate().
Status endCancelled(const Step& step, const MemorySpec& memory);

/// Errors: Device, with this message, when a logit is infinite or no number.
Status checkFinite(std::span<const float> logits, std::string_view message);

}  // namespace ingle::backend
