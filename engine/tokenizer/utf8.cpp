#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

struct Lead {
    size_t bytes;                        // of the whole sequence; 0: no sequence begins so
    unsigned char secondMin, secondMax;  // excludes overlong forms, surrogates and what lies above U+10FFFF
};

Lead classifyLead(unsigned char byte) {
    if (byte < 0x80) return {1, 0, 0};
    if (byte < 0xC2) return {0, 0, 0};
    if (byte < 0xE0) return {2, 0x80, 0xBF};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};
    if (byte < 0xF0) return {3, 0x80, 0xBF};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte < 0xF4) return {4, 0x80, 0xBF};
    if (byte == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

}  // namespace

Utf8Part firstUtf8Part(std::string_view text) {
    const Lead lead = classifyLead(static_cast<unsigned char>(text[0]));
    if (lead.bytes == 0) return {Utf8Kind::Invalid, 1};
    for (size_t i = 1; i < lead.bytes; ++i) {
        if (i == text.size()) return {Utf8Kind::Incomplete, i};
        const auto byte = static_cast<unsigned char>(text[i]);
        const unsigned char min = i == 1 ? lead.secondMin : 0x80;
        const unsigned char max = i == 1 ? lead.secondMax : 0xBF;
        if (byte < min || byte > max) return {Utf8Kind::Invalid, i};
    }
    return {Utf8Kind::Character, lead.bytes};
}

}  // namespace ingle::tokenizer
