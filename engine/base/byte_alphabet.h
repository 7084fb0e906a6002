/// The printable characters in which byte-level vocabularies write the bytes of their tokens. Source: GPT-2's
/// published encoder.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ingle::base {

/// The character of each byte: itself for printable Latin-1, else U+0100 onwards in order.
const std::array<std::string, 256>& byteAlphabet();

std::string inByteAlphabet(std::string_view bytes);

}  // namespace ingle::base
