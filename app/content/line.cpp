#include "app/content/line.h"

#include <algorithm>

#include "ingle/utf8.h"

namespace ingle::content {
namespace {

int widthAt(int column, char space) {
    return space == '\t' ? kCodeIndent - column % kCodeIndent : 1;
}

/// U+FDD0 to U+FDEF are no characters, by definition; formulas are masked with one.
bool isReserved(char32_t character) {
    return character == 0 || (character >= 0xFDD0 && character <= 0xFDEF);
}

}  // namespace

Line::Line(std::string_view text) : m_rest(text) {
    measure();
}

void Line::measure() {
    m_indent = m_spare;
    size_t at = 0;
    for (int column = m_column; at < m_rest.size() && (m_rest[at] == ' ' || m_rest[at] == '\t'); ++at) {
        const int width = widthAt(column, m_rest[at]);
        column += width;
        m_indent += width;
    }
    m_content = m_rest.substr(at);
}

void Line::dropIndent(int columns) {
    const int spare = std::min(columns, m_spare);
    m_spare -= spare;
    columns -= spare;
    while (columns > 0 && !m_rest.empty() && (m_rest[0] == ' ' || m_rest[0] == '\t')) {
        const int width = widthAt(m_column, m_rest[0]);
        m_column += width;
        m_rest.remove_prefix(1);
        m_spare = std::max(0, width - columns);
        columns = std::max(0, columns - width);
    }
    measure();
}

void Line::dropMark(size_t bytes) {
    dropIndent(m_indent);
    m_rest.remove_prefix(bytes);
    m_column += static_cast<int>(bytes);
    measure();
}

std::string Line::withoutIndent(int columns) const {
    Line rest = *this;
    rest.dropIndent(columns);
    return std::string(static_cast<size_t>(rest.m_spare), ' ').append(rest.m_rest);
}

std::string validText(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto plain = std::find_if(
            text.begin(), text.end(), [](char c) { return c == 0 || static_cast<unsigned char>(c) >= 0x80; });
        out.append(text.begin(), plain);
        text.remove_prefix(static_cast<size_t>(plain - text.begin()));
        if (text.empty()) break;
        const FirstCharacter first = firstCharacter(text);
        out += first.isWellFormed && !isReserved(first.code) ? text.substr(0, first.bytes) : kReplacementText;
        text.remove_prefix(first.bytes);
    }
    return out;
}

size_t wholeCharacters(std::string_view text) {
    const size_t least = text.size() - std::min<size_t>(text.size(), 3);
    for (size_t at = text.size(); at-- > least;) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if ((byte & 0xC0U) == 0x80U) continue;
        const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return at + length > text.size() ? at : text.size();
    }
    return text.size();
}

}  // namespace ingle::content
