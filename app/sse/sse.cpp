#include "app/sse/sse.h"

namespace ingle {

Status SseParser::push(std::string_view bytes, std::vector<std::string>& events) {
    while (!bytes.empty()) {
        if (m_afterReturn && bytes.front() == '\n') bytes.remove_prefix(1);
        m_afterReturn = false;
        const size_t end = bytes.find_first_of("\r\n");
        const std::string_view part = bytes.substr(0, end);
        if (m_line.size() + part.size() > kMaxLineBytes)
            return fail(ErrorCode::Corrupt, "a line of its stream is longer than {} bytes", kMaxLineBytes);
        m_line += part;
        if (end == bytes.npos) break;
        m_afterReturn = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        INGLE_TRY(endLine(events));
    }
    return {};
}

Status SseParser::endLine(std::vector<std::string>& events) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    std::string line = std::move(m_line);
    m_line.clear();
    if (m_isFirst && line.starts_with(kMark)) line.erase(0, kMark.size());
    m_isFirst = false;
    if (line.empty()) {
        if (m_hasData) events.push_back(std::move(m_data));
        m_data.clear();
        m_hasData = false;
        return {};
    }
    const size_t colon = line.find(':');
    if (std::string_view(line).substr(0, colon) != "data") return {};
    std::string_view value;
    if (colon != line.npos) value = std::string_view(line).substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (m_data.size() + value.size() > kMaxEventBytes)
        return fail(ErrorCode::Corrupt, "an event of its stream is longer than {} bytes", kMaxEventBytes);
    if (m_hasData) m_data += '\n';
    m_data += value;
    m_hasData = true;
    return {};
}

}  // namespace ingle
