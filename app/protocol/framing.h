/// Sends messages over a byte stream: one line for each, or several pieces for one that is too long for a
/// line.
///
/// A line that begins with '{' is a whole message. A line that begins with '+' is a piece of a long message,
/// and one that begins with '.' is its last piece. The pieces without these marks, joined, are the message.
/// There is one long message at a time; whole messages may stand between its pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::protocol {

/// The longest line, in bytes, without its newline.
inline constexpr size_t kMaxLineBytes = 1u << 20;
/// The longest message, in bytes, in all its pieces. Sender and receiver refuse anything longer.
inline constexpr size_t kMaxMessageBytes = 96u << 20;

/// Returns the bytes to send for an encoded message, with newlines.
/// Errors: InvalidArgument beyond kMaxMessageBytes.
Result<std::string> frame(std::string message);

/// Cuts a byte stream into lines. It holds at most kMaxLineBytes of an unfinished line: a longer line is one
/// error, and is skipped to its end.
class LineSplitter {
  public:
    void append(std::string_view bytes);
    /// Returns the next complete line without its newline, or nothing until more bytes arrive. Empty lines
    /// are skipped. Errors: InvalidArgument for a line over kMaxLineBytes.
    std::optional<Result<std::string>> next();

  private:
    std::string m_pending;
    size_t m_start = 0;       ///< where the first line begins that was not returned yet
    size_t m_scanned = 0;     ///< that line has no newline before this byte
    bool m_skipping = false;  ///< whether the rest of a line is skipped that was too long
};

/// Reads messages from a byte stream. It holds at most kMaxMessageBytes and a line.
class MessageReader {
  public:
    void append(std::string_view bytes) { m_lines.append(bytes); }
    /// Returns the next whole message, or nothing until more bytes arrive. Errors: InvalidArgument for a line
    /// or a message that is too long. It is one error, and what follows can be read.
    std::optional<Result<std::string>> next();

  private:
    LineSplitter m_lines;
    std::string m_long;       ///< the pieces of a long message so far
    bool m_skipping = false;  ///< whether the rest of a message is skipped that was too long
};

}  // namespace ingle::protocol
