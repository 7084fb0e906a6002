#include "engine/base/byte_alphabet.h"

namespace ingle::base {
namespace {

std::array<std::string, 256> makeByteAlphabet() {
    const auto isPrintable = [](unsigned byte) {
        return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    };
    std::array<std::string, 256> alphabet;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const unsigned codePoint = isPrintable(byte) ? byte : next++;
        if (codePoint < 0x80)
            alphabet[byte] = static_cast<char>(codePoint);
        else
            alphabet[byte] = {static_cast<char>(0xC0 | codePoint >> 6),
                              static_cast<char>(0x80 | (codePoint & 0x3F))};
    }
    return alphabet;
}

}  // namespace

const std::array<std::string, 256>& byteAlphabet() {
    static const auto alphabet = makeByteAlphabet();
    return alphabet;
}

std::string inByteAlphabet(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) text += byteAlphabet()[static_cast<uint8_t>(c)];
    return text;
}

}  // namespace ingle::base
