/// Texts in every encoding that the C library's iconv knows → UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ingle::documents {

struct Decoded {
    std::string text;      ///< UTF-8
    size_t numBroken = 0;  ///< bytes that are nothing in the encoding; each is a U+FFFD
};

/// Nothing where iconv does not know the encoding, or may not load what it needs for it any more.
std::optional<Decoded> decodedFrom(const char* encoding, std::string_view bytes);

/// Has iconv load what it needs to read and write an encoding and keep it, for a process that may open no
/// file afterwards.
void keepEncoding(const char* encoding);

}  // namespace ingle::documents
