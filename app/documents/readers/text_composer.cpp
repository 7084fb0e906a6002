#include "app/documents/readers/text_composer.h"

#include <algorithm>
#include <utility>

#include "app/documents/fence.h"
#include "app/documents/limits.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kSpaces = " \t\n";
constexpr uint32_t kDeepestItem = 8;
constexpr size_t kBeside = 4096;  // between blocks

}  // namespace

TextComposer::TextComposer(std::string_view format) : m_format(format) {
    m_text.reserve(limits::kTextBytes + kBeside);
}

void TextComposer::text(std::string_view piece) {
    if (m_text.size() + m_row.size() + m_cell.size() + m_block.size() + piece.size() > limits::kTextBytes)
        m_isFull = true;
    if (!m_isFull) appendClean(m_block, piece);
}

void TextComposer::words(std::string_view piece) {
    constexpr std::string_view kWhite = " \t\n\r\f";
    for (size_t at = 0; at < piece.size();) {
        const size_t end = std::min(piece.find_first_of(kWhite, at), piece.size());
        text(piece.substr(at, end - at));
        at = std::min(piece.find_first_not_of(kWhite, end), piece.size());
        if (at > end && !m_block.empty() && m_block.back() != ' ' && m_block.back() != '\n') text(" ");
    }
}

void TextComposer::lineBreak() {
    while (m_block.ends_with(' ')) m_block.pop_back();
    text("\n");
}

std::string TextComposer::takeBlock() {
    std::string block = std::exchange(m_block, {});
    const size_t end = block.find_last_not_of(kSpaces);
    block.resize(end == std::string::npos ? 0 : end + 1);
    // Lines before the first with words go; that one keeps its indentation.
    const size_t begin = block.find_first_not_of(kSpaces);
    const size_t line = begin == std::string::npos ? std::string::npos : block.rfind('\n', begin);
    if (line != std::string::npos) block.erase(0, line + 1);
    return block;
}

void TextComposer::emit(std::string_view block, Glue glue) {
    if (m_isFull || block.empty()) return;
    if (m_text.size() + 2 + block.size() > m_text.capacity()) {
        m_isFull = true;
        return;
    }
    const bool isClose = glue == m_last && glue != Glue::Paragraph;
    if (!m_text.empty()) m_text += isClose ? "\n" : "\n\n";
    m_last = glue;
    if (m_page && m_places.size() < limits::kPlaces) {
        m_page->offset = m_text.size();
        m_places.push_back(std::move(*m_page));
    }
    m_page.reset();
    m_text += block;
    keepText(m_format, m_text);
}

void TextComposer::addToCell(std::string_view block) {
    if (block.empty()) return;
    if (!m_cell.empty()) m_cell += ' ';
    for (const char each : block) {
        if (each == '|') m_cell += '\\';
        m_cell += each == '\n' ? ' ' : each;
    }
}

void TextComposer::endParagraph() {
    const std::string block = takeBlock();
    if (isInTable()) return addToCell(block);
    emit(block, Glue::Paragraph);
}

void TextComposer::endHeading(uint32_t level) {
    const std::string heading = oneLine(takeBlock());
    if (isInTable()) return addToCell(heading);
    if (heading.empty() || m_isFull) return;
    level = std::clamp(level, 1u, 6u);
    emit(std::string(level, '#') + ' ' + heading, Glue::Paragraph);
    if (m_places.size() == limits::kPlaces) return;
    m_places.push_back({m_text.size() - heading.size() - level - 1, PlaceKind::Heading, level, heading});
}

void TextComposer::endItem(uint32_t depth) {
    const std::string block = takeBlock();
    if (isInTable()) return addToCell(block);
    if (block.empty()) return;
    const std::string indent(2 * static_cast<size_t>(std::min(depth, kDeepestItem)), ' ');
    std::string item = indent + "- ";
    for (const char each : block) {
        item += each;
        if (each == '\n') item += indent + "  ";
    }
    emit(item, Glue::Item);
}

void TextComposer::endCode() {
    const std::string block = takeBlock();
    if (isInTable()) return addToCell(block);
    if (block.empty()) return;
    emit(fenced(block), Glue::Paragraph);
}

void TextComposer::beginTable() {
    endParagraph();
    ++m_tables;
}

void TextComposer::endCell() {
    endParagraph();
    if (m_tables != 1) return;
    m_rowHasText = m_rowHasText || !m_cell.empty();
    m_row += "| " + std::exchange(m_cell, {}) + ' ';
    if (m_row.size() + m_text.size() > limits::kTextBytes) m_isFull = true;
}

void TextComposer::endRow() {
    endParagraph();
    if (m_tables != 1) return;
    if (!m_cell.empty()) endCell();
    const std::string row = std::exchange(m_row, {}) + '|';
    if (std::exchange(m_rowHasText, false)) emit(row, Glue::Row);
}

void TextComposer::endTable() {
    endRow();
    if (m_tables > 0 && --m_tables == 0) m_last = Glue::Paragraph;
}

void TextComposer::beginPage(uint32_t number) {
    m_page = Place{.kind = PlaceKind::Page, .number = number};
}

void TextComposer::lost(LossKind kind, uint64_t count) {
    m_losses[kind] += count;
}

Result<Document> TextComposer::finish(std::string_view title) {
    while (isInTable()) endTable();
    endParagraph();
    if (m_isFull || m_text.size() > limits::kTextBytes) return refuse(Refusal::TooMuchText, m_format);
    keepText(m_format, {});
    if (isTimeOver()) lost(LossKind::Rest);
    if (m_text.empty()) return refuse(isTimeOver() ? Refusal::ReaderTooSlow : Refusal::Empty, m_format);
    Document document{.title = oneLine(title), .text = std::move(m_text), .places = std::move(m_places)};
    for (const auto& [kind, count] : m_losses)
        if (count > 0) document.leftOut.push_back({kind, count});
    if (document.title.empty()) {
        const auto heading = std::ranges::find(document.places, PlaceKind::Heading, &Place::kind);
        if (heading != document.places.end()) document.title = heading->words;
    }
    return document;
}

}  // namespace ingle::documents
