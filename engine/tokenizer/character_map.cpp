#include "engine/tokenizer/character_map.h"

#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

// Far above the rules of Unicode (NFKC gives at most 33 bytes); a damaged map may hold loops and long texts.
constexpr size_t kMaxRuleBytes = 256;

uint32_t readU32(std::string_view bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < sizeof value; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    return value;
}

uint32_t offsetOf(uint32_t node) {
    return (node >> 10) << ((node & 0x200) >> 6);
}
uint32_t labelOf(uint32_t node) {
    return node & 0x800000FF;
}
bool hasValue(uint32_t node) {
    return (node & 0x100) != 0;
}
uint32_t valueOf(uint32_t node) {
    return node & 0x7FFFFFFF;
}

tl::unexpected<Error> damaged() {
    return fail(ErrorCode::Corrupt, "the character map of the tokenizer is damaged");
}

}  // namespace

Result<CharacterMap> CharacterMap::create(std::string_view bytes) {
    CharacterMap map;
    if (bytes.empty()) return map;
    if (bytes.size() < sizeof(uint32_t)) return damaged();
    const size_t nodeBytes = readU32(bytes);
    bytes.remove_prefix(sizeof(uint32_t));
    // The last NUL ends the replacement at any offset.
    if (nodeBytes == 0 || nodeBytes % sizeof(uint32_t) != 0 || nodeBytes >= bytes.size() ||
        bytes.back() != '\0')
        return damaged();
    for (size_t at = 0; at < nodeBytes; at += sizeof(uint32_t))
        map.m_nodes.push_back(readU32(bytes.substr(at)));
    map.m_replacements = bytes.substr(nodeBytes);
    return map;
}

Result<std::string> CharacterMap::apply(std::string_view text) const {
    if (m_nodes.empty()) return std::string(text);
    std::string out;
    while (!text.empty()) {
        INGLE_TRY_ASSIGN(Match match, longestMatch(text));
        if (match.bytes == 0) {
            match.bytes = firstUtf8Part(text).bytes;
            match.replacement = text.substr(0, match.bytes);
        }
        out += match.replacement;
        text.remove_prefix(match.bytes);
    }
    return out;
}

Result<CharacterMap::Match> CharacterMap::longestMatch(std::string_view text) const {
    Match match;
    uint32_t place = offsetOf(m_nodes[0]);
    for (size_t i = 0; i < text.size() && i < kMaxRuleBytes && text[i] != '\0'; ++i) {
        const auto byte = static_cast<uint8_t>(text[i]);
        place ^= byte;
        if (place >= m_nodes.size()) return damaged();
        const uint32_t node = m_nodes[place];
        if (labelOf(node) != byte) break;
        place ^= offsetOf(node);
        if (!hasValue(node)) continue;
        if (place >= m_nodes.size()) return damaged();
        const uint32_t start = valueOf(m_nodes[place]);
        if (start >= m_replacements.size()) return damaged();
        match = {i + 1, std::string_view(m_replacements.c_str() + start)};
    }
    if (match.replacement.size() > kMaxRuleBytes) return damaged();
    return match;
}

}  // namespace ingle::tokenizer
