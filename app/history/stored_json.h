/// Values that one column holds as JSON, and that travel as JSON. For app/history and app/exchange.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/history/history.h"
#include "ingle/types.h"

namespace ingle::history {

/// Every parameter but the seed, which has a column of its own: JSON readers differ about 64 bits.
std::string samplerJson(const SamplerParams& sampler);
/// What is missing or no number has its default; so has all of a text that is no JSON.
SamplerParams samplerFromJson(std::string_view json);

/// Empty where neither engine nor terms are known.
std::string receiptJson(const AnswerReceipt& receipt);
/// What is missing is empty or the default; so is all of a text that is no JSON.
AnswerReceipt receiptFromJson(std::string_view json);

std::string textsJson(const std::vector<std::string>& texts);
/// Nothing of what is no list of texts.
std::vector<std::string> textsFromJson(std::string_view json);

}  // namespace ingle::history
