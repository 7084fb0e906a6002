/// Messages on a byte stream: one line each, or several pieces where one is too long for a line.
///
/// A line that begins with '{' is a whole message. A line that begins with '+' is a piece of a long one, '.'
/// its last piece; the pieces, without those marks, together are the message. One long message at a time;
/// whole messages may stand between its pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::protocol {

/// Longest line, without its newline.
inline constexpr size_t kMaxLineBytes = 1u << 20;
/// Longest message in all its pieces. Anything longer is refused by sender and receiver.
inline constexpr size_t kMaxMessageBytes = 64u << 20;

/// The bytes to send for an encoded message, newlines included.
/// Errors: InvalidArgument beyond kMaxMessageBytes.
Result<std::string> frame(std::string message);

/// Cuts a byte stream into lines. Holds at most kMaxLineBytes of an unfinished line: a longer one is reported
/// once as an error and skipped to its end.
class LineSplitter {
  public:
    void append(std::string_view bytes);
    /// The next complete line without its newline, or nothing until more bytes arrive. Empty lines are
    /// skipped. Errors: InvalidArgument for a line over kMaxLineBytes.
    std::optional<Result<std::string>> next();

  private:
    std::string m_pending;
    size_t m_start = 0;       ///< of the first line not given out yet
    size_t m_scanned = 0;     ///< up to here that line has no newline
    bool m_skipping = false;  ///< in the rest of a line that was too long
};

/// Puts messages together again. Holds at most kMaxMessageBytes and a line.
class MessageReader {
  public:
    void append(std::string_view bytes) { m_lines.append(bytes); }
    /// The next whole message, or nothing until more bytes arrive. Errors: InvalidArgument for a line or a
    /// message that is too long; it is reported once and what follows it is read.
    std::optional<Result<std::string>> next();

  private:
    LineSplitter m_lines;
    std::string m_long;       ///< pieces so far
    bool m_skipping = false;  ///< in the rest of a message that was too long
};

}  // namespace ingle::protocol
