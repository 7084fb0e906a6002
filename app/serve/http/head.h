/// The head of a request (RFC 9112, 2 to 6), read in the one way in which every proxy reads it: what another
/// program might read as another request is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "app/serve/http/message.h"

namespace ingle::serve::http {

/// Looks for the end of a head in bytes that come piece by piece.
class HeadScanner {
  public:
    enum class Found { Nothing, End, Malformed };  ///< Malformed: a NUL, or half of a line's end

    /// `bytes`: all that came since reset(), which begin with the request's line.
    Found scan(std::string_view bytes);
    /// Bytes up to the end of the empty line, after Found::End.
    size_t end() const { return m_scanned; }
    void reset() { m_scanned = 0; }

  private:
    size_t m_scanned = 0;
};

struct Head {
    Request request;
    uint64_t length = 0;     ///< of the body
    bool isChunked = false;  ///< then `length` is not known
    bool isOld = false;      ///< HTTP/1.0: its client knows no chunks
    bool keepsOpen = true;   ///< the client means to ask again
    bool expectsContinue = false;
};

/// `text`: up to its empty line, as HeadScanner found it. Errors: what the client is told before the
/// connection is closed.
tl::expected<Head, Response> readHead(std::string_view text);

}  // namespace ingle::serve::http
