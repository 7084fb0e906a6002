#include "engine/tokenizer/stream_decoder.h"

#include <algorithm>

#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Valid UTF-8 for any bytes; an incomplete end counts as invalid.
std::string toValidUtf8(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const Utf8Part part = firstUtf8Part(bytes);
        text += part.kind == Utf8Kind::Character ? bytes.substr(0, part.bytes) : kReplacement;
        bytes.remove_prefix(part.bytes);
    }
    return text;
}

/// Bytes at the end that may still become a code point.
size_t incompleteTail(std::string_view bytes) {
    for (size_t size = std::min<size_t>(bytes.size(), 3); size > 0; --size) {
        const Utf8Part part = firstUtf8Part(bytes.substr(bytes.size() - size));
        if (part.kind == Utf8Kind::Incomplete && part.bytes == size) return size;
    }
    return 0;
}

/// Where the stop string that is complete first begins. Of those that end at one place the longest counts, so
/// that the answer does not depend on how the bytes were split into pushes.
size_t findStop(std::string_view bytes, const std::vector<std::string>& stops) {
    size_t begin = std::string_view::npos;
    size_t end = std::string_view::npos;
    for (const std::string& stop : stops) {
        const size_t at = bytes.find(stop);
        if (at == std::string_view::npos) continue;
        const size_t stopEnd = at + stop.size();
        if (stopEnd > end || (stopEnd == end && at > begin)) continue;
        begin = at;
        end = stopEnd;
    }
    return begin;
}

/// Bytes at the end that are the beginning of a stop string.
size_t stopPrefixTail(std::string_view bytes, const std::vector<std::string>& stops) {
    size_t longest = 0;
    for (const std::string& stop : stops)
        for (size_t size = std::min(bytes.size(), stop.size() - 1); size > longest; --size)
            if (bytes.ends_with(std::string_view(stop).substr(0, size))) longest = size;
    return longest;
}

}  // namespace

StreamDecoder::StreamDecoder(std::vector<std::string> stops) : m_stops(std::move(stops)) {
    std::erase(m_stops, "");
}

void StreamDecoder::add(std::string_view bytes, Token token) {
    if (token == Token::Sign) m_signs.push_back(m_pending.size());
    m_pending += bytes;
}

std::string StreamDecoder::pass(std::string_view bytes, Token token) {
    add(bytes, token);
    return take(m_pending.size() - incompleteTail(m_pending));
}

StreamDecoder::Output StreamDecoder::push(std::string_view bytes, Token token) {
    if (m_stopped) return {"", true};
    add(bytes, token);
    size_t decided = findStop(m_pending, m_stops);
    m_stopped = decided != std::string::npos;
    if (!m_stopped) {
        decided = m_pending.size() - stopPrefixTail(m_pending, m_stops);
        decided -= incompleteTail(std::string_view(m_pending).substr(0, decided));
    }
    return {take(decided), m_stopped};
}

std::string StreamDecoder::take(size_t size) {
    std::string text;
    size_t done = 0;
    const auto end = std::ranges::lower_bound(m_signs, size);
    for (auto sign = m_signs.begin(); sign != end; ++sign) {
        text += toValidUtf8(std::string_view(m_pending).substr(done, *sign - done)) + kSign;
        done = *sign;
    }
    text += toValidUtf8(std::string_view(m_pending).substr(done, size - done));
    m_signs.erase(m_signs.begin(), end);
    for (size_t& sign : m_signs) sign -= size;
    m_pending.erase(0, size);
    return text;
}

std::string StreamDecoder::finish() {
    if (m_stopped) return "";
    return take(m_pending.size());
}

}  // namespace ingle::tokenizer
