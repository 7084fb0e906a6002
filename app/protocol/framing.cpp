#include "app/protocol/framing.h"

#include <algorithm>
#include <utility>

namespace ingle::protocol {
namespace {

constexpr char kPiece = '+';
constexpr char kLastPiece = '.';
constexpr size_t kPieceBytes = kMaxLineBytes - 1;  // and the mark

}  // namespace

Result<std::string> frame(std::string message) {
    if (message.size() <= kMaxLineBytes) return std::move(message) + "\n";
    if (message.size() > kMaxMessageBytes) {
        return fail(ErrorCode::InvalidArgument, "The message is too long: {} bytes of at most {}.",
                    message.size(), kMaxMessageBytes);
    }
    std::string bytes;
    bytes.reserve(message.size() + 2 * (message.size() / kPieceBytes + 1));
    for (size_t at = 0; at < message.size(); at += kPieceBytes) {
        bytes += message.size() - at > kPieceBytes ? kPiece : kLastPiece;
        bytes.append(message, at, kPieceBytes);
        bytes += '\n';
    }
    return bytes;
}

void LineSplitter::append(std::string_view bytes) {
    m_pending.erase(0, m_start);
    m_scanned -= m_start;
    m_start = 0;
    if (m_skipping) {
        const size_t end = bytes.find('\n');
        if (end == std::string_view::npos) return;
        bytes.remove_prefix(end);
        m_skipping = false;
    }
    m_pending += bytes;
}

std::optional<Result<std::string>> LineSplitter::next() {
    m_start = std::min(m_pending.find_first_not_of('\n', m_start), m_pending.size());
    m_scanned = std::max(m_scanned, m_start);
    const size_t end = std::min(m_pending.find('\n', m_scanned), m_pending.size());
    const size_t begin = m_start;
    m_scanned = end;
    if (end - begin > kMaxLineBytes) {
        m_skipping = end == m_pending.size();
        m_start = end;
        return fail(ErrorCode::InvalidArgument, "A line of the host protocol is longer than {} bytes.",
                    kMaxLineBytes);
    }
    if (end == m_pending.size()) return std::nullopt;
    m_start = end;
    return m_pending.substr(begin, end - begin);
}

std::optional<Result<std::string>> MessageReader::next() {
    while (auto line = m_lines.next()) {
        if (!*line) return line;
        const char mark = (**line)[0];
        if (mark != kPiece && mark != kLastPiece) return line;
        if (!m_skipping && m_long.size() + (*line)->size() - 1 > kMaxMessageBytes) {
            m_skipping = mark == kPiece;
            std::string().swap(m_long);
            return fail(ErrorCode::InvalidArgument, "A message of the host protocol is longer than {} bytes.",
                        kMaxMessageBytes);
        }
        if (!m_skipping) m_long.append(**line, 1);
        if (mark == kPiece) continue;
        if (!std::exchange(m_skipping, false)) return std::exchange(m_long, {});
    }
    return std::nullopt;
}

}  // namespace ingle::protocol
