#include "engine/chat/jinja/text.h"

#include <algorithm>
#include <cstring>

#include "engine/tokenizer/utf8.h"

namespace ingle::chat::jinja {
namespace {

using tokenizer::firstUtf8Part;
using tokenizer::Utf8Kind;

/// Non-ASCII characters for which Python's str.isspace() is true: category Zs, and bidirectional types WS, B
/// and S.
constexpr char32_t kWideSpaces[] = {0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
                                    0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A,
                                    0x2028, 0x2029, 0x202F, 0x205F, 0x3000};

/// Eight bytes at a time.
bool isAscii(std::string_view text) {
    uint64_t high = 0;
    for (; text.size() >= sizeof high; text.remove_prefix(sizeof high)) {
        uint64_t bytes = 0;
        std::memcpy(&bytes, text.data(), sizeof bytes);
        high |= bytes;
    }
    for (const char c : text) high |= static_cast<unsigned char>(c);
    return (high & 0x8080808080808080) == 0;
}

}  // namespace

Origin Text::originAt(size_t at) const {
    if (m_runs.empty()) return Origin::Template;
    const auto run = std::ranges::upper_bound(m_runs, at, {}, &Run::end);
    return run == m_runs.end() ? m_runs.back().origin : run->origin;
}

void Text::append(std::string_view bytes, Origin origin) {
    if (bytes.empty()) return;
    m_bytes += bytes;
    const auto end = static_cast<uint32_t>(m_bytes.size());
    if (!m_runs.empty() && m_runs.back().origin == origin)
        m_runs.back().end = end;
    else
        m_runs.push_back({end, origin});
}

void Text::append(const Text& other, size_t begin, size_t size) {
    const size_t end = begin + size;
    auto run = std::ranges::upper_bound(other.m_runs, begin, {}, &Run::end);
    for (size_t at = begin; at < end; ++run) {
        const size_t runEnd = std::min<size_t>(run->end, end);
        append(other.bytes().substr(at, runEnd - at), run->origin);
        at = runEnd;
    }
}

Text Text::slice(size_t begin, size_t size) const {
    Text part;
    part.append(*this, begin, size);
    part.m_isMarkup = m_isMarkup;
    return part;
}

size_t characterSize(std::string_view text) {
    if (static_cast<unsigned char>(text[0]) < 0x80) return 1;
    const auto part = firstUtf8Part(text);
    return part.kind == Utf8Kind::Character ? part.bytes : 1;
}

size_t countCharacters(std::string_view text) {
    size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(characterSize(text));
    return count;
}

Characters::Characters(std::string_view text) : m_count(text.size()) {
    if (isAscii(text)) return;
    for (size_t at = 0; at < text.size(); at += characterSize(text.substr(at)))
        m_starts.push_back(static_cast<uint32_t>(at));
    m_count = m_starts.size();
    m_starts.push_back(static_cast<uint32_t>(text.size()));
}

size_t Characters::cost(std::string_view text) {
    return isAscii(text) ? text.size() / 16 : text.size() * sizeof(uint32_t);
}

bool isSpace(std::string_view character) {
    const char32_t code = codePointOf(character);
    if (code < 0x80) return code == ' ' || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F);
    return std::ranges::find(kWideSpaces, code) != std::end(kWideSpaces);
}

size_t lastCharacter(std::string_view text) {
    // A character has at most four bytes; the longest well-formed one that ends here is it.
    for (size_t size = std::min<size_t>(text.size(), 4); size > 1; --size)
        if (characterSize(text.substr(text.size() - size)) == size) return text.size() - size;
    return text.size() - 1;
}

}  // namespace ingle::chat::jinja
