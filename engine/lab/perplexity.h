/// How well a model predicts a text.
#pragma once

#include <string>
#include <string_view>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::lab {

struct PerplexityResult {
    double perplexity = 0;     ///< exp(mean of -ln p(token))
    double standardError = 0;  ///< of the perplexity, from the spread of -ln p over tokens
    uint64_t numTokens = 0;    ///< tokens that were predicted
};

/// The text's tokens in windows of `windowTokens` (0: 512, at most the context) that do not overlap; each
/// starts from an empty state with BOS if the vocabulary asks for it. The first half of a window is read
/// only, the second half is predicted, so that every prediction has half a window of context at least. The
/// last tokens that fill no window are left out. Errors: those of loading; InvalidArgument when the text is
/// shorter than a window; Unsupported without a tokenizer.
Result<PerplexityResult> perplexity(const std::string& path, const LoadOptions& load, std::string_view text,
                                    uint32_t windowTokens, const ProgressFn& progress);

/// What a model says of a text beside what another one, mostly the one it was made of, says. P are the
/// probabilities of the base, Q the model's.
struct DivergenceResult {
    PerplexityResult perplexity;  ///< of the model
    PerplexityResult base;
    double ratio = 1;  ///< of the two perplexities
    double ratioError = 0;
    double mean = 0;  ///< of the Kullback-Leibler divergence, sum of P ln(P/Q) in nats, over the positions
    double meanError = 0;
    double median = 0;
    double worstPercent = 0;  ///< 99 of 100 positions lie below it
    double largest = 0;
    double sameBest = 0;     ///< share of positions at which both find the same token likeliest
    double rmsOfChange = 0;  ///< root of the mean of (Q(token) - P(token))², of the tokens of the text
};

/// Both are loaded at once. Windows as above. Errors: those of perplexity(); InvalidArgument when the two cut
/// the text into other tokens or have other vocabularies.
Result<DivergenceResult> divergence(const std::string& path, const std::string& basePath,
                                    const LoadOptions& load, std::string_view text, uint32_t windowTokens,
                                    const ProgressFn& progress);

}  // namespace ingle::lab
