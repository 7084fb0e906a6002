/// Bytes in JSON. Source: RFC 4648, section 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ingle::exchange {

std::string toBase64(std::string_view bytes);
/// Nothing where it is no base64 with its padding.
std::optional<std::string> fromBase64(std::string_view text);

}  // namespace ingle::exchange
