/// Values that one column holds as JSON, and that travel as JSON. For app/history and app/exchange.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/history/chats/messages.h"

namespace ingle::history {

/// Every parameter but the seed, which has a place of its own. What is missing or no number has its default.
struct SamplerJson {
    static constexpr const char* kExpected = "an object";
    static nlohmann::json write(const SamplerParams& sampler);
    /// Nothing of what is no object.
    static std::optional<SamplerParams> read(const nlohmann::json& object);
};

/// Without members where neither engine nor terms are known. What is missing is empty or the default.
struct ReceiptJson {
    static constexpr const char* kExpected = "an object";
    static nlohmann::json write(const AnswerReceipt& receipt);
    /// Nothing of what is no object.
    static std::optional<AnswerReceipt> read(const nlohmann::json& object);
};

std::string textsJson(const std::vector<std::string>& texts);
/// Nothing of what is no list of texts.
std::vector<std::string> textsFromJson(std::string_view json);

}  // namespace ingle::history
