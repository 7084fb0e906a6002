/// How enumerators and token ids are written in the file, and enumerators in exports. For app/history and
/// app/exchange.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/history/history.h"

namespace ingle::history {

inline constexpr std::array kRoleNames{std::pair{Role::System, std::string_view("system")},
                                       std::pair{Role::User, std::string_view("user")},
                                       std::pair{Role::Assistant, std::string_view("assistant")}};

inline constexpr std::array kStatusNames{
    std::pair{MessageStatus::Complete, std::string_view("complete")},
    std::pair{MessageStatus::Streaming, std::string_view("streaming")},
    std::pair{MessageStatus::Stopped, std::string_view("stopped")},
    std::pair{MessageStatus::Interrupted, std::string_view("interrupted")},
    std::pair{MessageStatus::Failed, std::string_view("failed")}};

/// None is stored as an empty text.
inline constexpr std::array kStopReasonNames{
    std::pair{StopReason::EndOfText, std::string_view("end_of_text")},
    std::pair{StopReason::MaxTokens, std::string_view("max_tokens")},
    std::pair{StopReason::ContextFull, std::string_view("context_full")},
    std::pair{StopReason::Cancelled, std::string_view("cancelled")}};

inline constexpr std::array kKvNames{std::pair{KvType::F32, std::string_view("f32")},
                                     std::pair{KvType::F16, std::string_view("f16")},
                                     std::pair{KvType::Q8, std::string_view("q8")}};

inline constexpr std::array kActivationNames{std::pair{ActivationType::Auto, std::string_view("auto")},
                                             std::pair{ActivationType::F32, std::string_view("f32")}};

inline constexpr std::array kWhenFullNames{std::pair{WhenFull::DropOldest, std::string_view("drop_oldest")},
                                           std::pair{WhenFull::Refuse, std::string_view("refuse")}};

inline constexpr std::array kThinkingNames{std::pair{Thinking::AsUsual, std::string_view("as_usual")},
                                           std::pair{Thinking::On, std::string_view("on")},
                                           std::pair{Thinking::Off, std::string_view("off")}};

inline constexpr std::array kAnswerFormNames{
    std::pair{AnswerForm::Kind::Free, std::string_view("free")},
    std::pair{AnswerForm::Kind::JsonSchema, std::string_view("json_schema")},
    std::pair{AnswerForm::Kind::Grammar, std::string_view("grammar")}};

inline constexpr std::array kPartKindNames{std::pair{PartKind::Text, std::string_view("text")},
                                           std::pair{PartKind::Thought, std::string_view("thought")},
                                           std::pair{PartKind::ToolCall, std::string_view("tool_call")},
                                           std::pair{PartKind::ToolResult, std::string_view("tool_result")},
                                           std::pair{PartKind::Attachment, std::string_view("attachment")},
                                           std::pair{PartKind::Image, std::string_view("image")},
                                           std::pair{PartKind::Source, std::string_view("source")}};

template <typename Enum, size_t N>
std::string_view storedName(const std::array<std::pair<Enum, std::string_view>, N>& names, Enum value) {
    for (const auto& [enumerator, name] : names) {
        if (enumerator == value) return name;
    }
    return {};
}

template <typename Enum, size_t N>
std::optional<Enum> fromStoredName(const std::array<std::pair<Enum, std::string_view>, N>& names,
                                   std::string_view text) {
    for (const auto& [enumerator, name] : names) {
        if (name == text) return enumerator;
    }
    return std::nullopt;
}

// Token ids are stored as 32-bit little-endian numbers.
static_assert(std::endian::native == std::endian::little);

inline std::span<const std::byte> tokenBytes(const std::vector<TokenId>& ids) {
    return std::as_bytes(std::span(ids));
}

inline void appendTokens(std::vector<TokenId>& ids, const void* bytes, size_t count) {
    const size_t added = count / sizeof(TokenId);
    if (added == 0) return;
    ids.resize(ids.size() + added);
    std::memcpy(ids.data() + ids.size() - added, bytes, added * sizeof(TokenId));
}

}  // namespace ingle::history
