#include "app/serve/http/body_reader.h"

#include <algorithm>
#include <charconv>

namespace ingle::serve::http {
namespace {

constexpr size_t kMostLineBytes = 1024;  // of a chunk's size with its extensions, and of a trailer
constexpr unsigned kMostTrailerBytes = 8 * 1024;

}  // namespace

std::string_view BodyReader::take(std::string_view& bytes) {
    while (m_part != Part::Bytes && m_part != Part::End && m_part != Part::Malformed)
        if (!takeLine(bytes)) return {};
    if (m_part != Part::Bytes) return {};
    const std::string_view taken = bytes.substr(0, std::min<uint64_t>(bytes.size(), m_left));
    bytes.remove_prefix(taken.size());
    m_left -= taken.size();
    if (m_left == 0) m_part = m_isChunked ? Part::AfterBytes : Part::End;
    return taken;
}

BodyReader::State BodyReader::state() const {
    if (m_part == Part::Malformed) return State::Malformed;
    return m_part == Part::End ? State::Whole : State::Unfinished;
}

bool BodyReader::takeLine(std::string_view& bytes) {
    const size_t end = bytes.find('\n');
    if (std::min(end, bytes.size()) > kMostLineBytes) {
        m_part = Part::Malformed;
        return true;
    }
    if (end == bytes.npos) return false;
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    const bool isLine =
        line.ends_with('\r') && line.find('\r') == line.size() - 1 && line.find('\0') == line.npos;
    m_part = isLine ? partAfter(line.substr(0, line.size() - 1)) : Part::Malformed;
    return true;
}

BodyReader::Part BodyReader::partAfter(std::string_view line) {
    switch (m_part) {
        case Part::Size: {
            // What follows a semicolon says nothing here.
            const std::string_view digits = line.substr(0, line.find(';'));
            const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), m_left, 16);
            if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return Part::Malformed;
            return m_left == 0 ? Part::Trailer : Part::Bytes;
        }
        case Part::AfterBytes:
            return line.empty() ? Part::Size : Part::Malformed;
        default:
            m_trailerBytes += static_cast<unsigned>(line.size());
            if (m_trailerBytes > kMostTrailerBytes) return Part::Malformed;
            return line.empty() ? Part::End : Part::Trailer;
    }
}

}  // namespace ingle::serve::http
