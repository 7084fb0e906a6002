/// The page at `/`.
#pragma once

#include <string_view>

namespace ingle::serve {

/// HTML in which NONCE stands for what the response's Content-Security-Policy names.
extern const std::string_view kPage;

}  // namespace ingle::serve
