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

}  // namespace ingle::lab
