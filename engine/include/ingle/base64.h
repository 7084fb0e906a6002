/// Base64 encoding and decoding. Source: RFC 4648, section 4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ingle {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes `bytes` as Base64 with padding.
inline std::string toBase64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        uint32_t bits = 0;
        for (size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0u);
        for (size_t i = 0; i < 4; ++i)
            text += i <= group.size() ? kBase64Digits[bits >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

/// Decodes Base64 with padding. Returns nothing if `text` is not that.
inline std::optional<std::string> fromBase64(std::string_view text) {
    static constexpr auto kValues = [] {
        std::array<int8_t, 256> values{};
        values.fill(-1);
        for (size_t i = 0; i < kBase64Digits.size(); ++i)
            values[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<int8_t>(i);
        return values;
    }();
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    uint32_t bits = 0, numBits = 0;
    for (const char digit : text) {
        const int value = kValues[static_cast<unsigned char>(digit)];
        if (value < 0) return std::nullopt;
        bits = bits << 6 | static_cast<uint32_t>(value);
        numBits += 6;
        if (numBits < 8) continue;
        numBits -= 8;
        bytes += static_cast<char>(bits >> numBits & 255);
    }
    return bytes;
}

}  // namespace ingle
