/// Server-sent events: a stream of bytes cut into events.
/// Source: WHATWG HTML, section 9.2.6 "Interpreting an event stream".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"

namespace ingle {

/// Takes a stream that may be cut anywhere. Lines end with CR, LF or both; `data` lines of one event are
/// joined by LF; comments and fields other than `data` are left out, and an event that the stream's end cuts
/// off never comes. One thread.
class SseParser {
  public:
    /// Longest line, and longest data of one event.
    static constexpr size_t kMaxLineBytes = 1u << 20;
    static constexpr size_t kMaxEventBytes = 4u << 20;

    /// Adds the data of each event that became complete to `events`. Errors: Corrupt for what is too long;
    /// nothing may be pushed after that.
    Status push(std::string_view bytes, std::vector<std::string>& events);

  private:
    Status endLine(std::vector<std::string>& events);

    std::string m_line;
    std::string m_data;
    bool m_hasData = false;      ///< there was a data line, which may be empty
    bool m_isFirst = true;       ///< of all lines: a byte order mark may stand before it
    bool m_afterReturn = false;  ///< a LF now belongs to the CR before it
};

}  // namespace ingle
