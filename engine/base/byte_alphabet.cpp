#include "engine/base/byte_alphabet.h"

#include "ingle/utf8.h"

namespace ingle::base {
namespace {

std::array<std::string, 256> makeByteAlphabet() {
    const auto isPrintable = [](unsigned byte) {
        return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    };
    std::array<std::string, 256> alphabet;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        alphabet[byte] = encodeUtf8(isPrintable(byte) ? byte : next++);
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
