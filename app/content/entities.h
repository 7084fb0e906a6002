/// Character references of HTML, which Markdown allows.
#pragma once

#include <string>
#include <string_view>

namespace ingle::content {

/// `entity`: with '&' and ';'. Numbers (decimal, hexadecimal) and the names that texts use; any other is
/// returned as it is. Source: HTML Living Standard, section 13.5.
std::string decodeEntity(std::string_view entity);

}  // namespace ingle::content
