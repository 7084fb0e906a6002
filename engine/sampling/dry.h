/// DRY ("don't repeat yourself", by p-e-w, 2024): a token that would go on with what was written before is
/// penalised, the more the longer the repetition is already.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ingle/types.h"

namespace ingle::sampling {

/// Subtracts dryMultiplier * dryBase ^ (length - dryAllowed) from the logit of each token that followed what
/// `history` ends with, where at least dryAllowed tokens agree; the longest such place counts. No repetition
/// is longer than `unbroken`. Ids outside the vocabulary are ignored.
void penaliseRepetitions(std::span<float> logits, const SamplerParams& params,
                         std::span<const TokenId> history, size_t unbroken);

/// How many of the last tokens no text of `breakers` interrupts; at most as many as make a difference.
size_t tokensSinceBreak(std::span<const TokenId> history, const std::vector<std::string>& breakers,
                        const std::function<std::string(TokenId)>& bytesOf);

}  // namespace ingle::sampling
