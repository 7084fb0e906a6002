/// How enumerators and token ids are written in the file. Private to app/history.
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
