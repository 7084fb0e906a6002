/// Lines on the pipe: cutting a byte stream into lines of bounded length, and requests that are too long for
/// one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/protocol/messages.h"
#include "ingle/result.h"

namespace ingle::protocol {

/// Largest request that may travel as a file. Anything longer is refused by sender and receiver.
inline constexpr size_t kMaxFileBytes = 64u << 20;

/// The line to send for `request`, without newline. A request longer than kMaxLineBytes is written to a new
/// file (0600) in `spoolDir`, which must exist, and the line is {"file": path}; the receiver deletes the
/// file. Errors: Io when the file cannot be written; InvalidArgument beyond kMaxFileBytes.
Result<std::string> frameRequest(const Request& request, const std::string& spoolDir);

/// The request of a received line; a {"file": path} line reads the file and deletes it.
/// Errors: Io when the file cannot be read; Corrupt as decodeRequest.
Result<Request> unframeRequest(std::string_view line);

/// Cuts a byte stream into lines. Holds at most kMaxLineBytes of an unfinished line: a longer one is reported
/// once as an error and skipped to its end.
class LineSplitter {
  public:
    void append(std::string_view bytes);
    /// The next complete line without its newline, or nothing until more bytes arrive. Empty lines are
    /// skipped. Errors:
    /// InvalidArgument for a line over kMaxLineBytes.
    std::optional<Result<std::string>> next();

  private:
    std::string m_pending;
    size_t m_start = 0;       ///< of the first line not given out yet
    size_t m_scanned = 0;     ///< up to here that line has no newline
    bool m_skipping = false;  ///< in the rest of a line that was too long
};

}  // namespace ingle::protocol
