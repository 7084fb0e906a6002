#include "app/desktop/content/text_selection.h"

#include <QTextBoundaryFinder>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "app/content/block_kind.h"
#include "app/content/exporter.h"
#include "app/content/selection.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

/// UTF-16 units of the first bytes of a text.
qsizetype unitsIn(const std::string& text, size_t bytes) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(bytes)).size();
}

}  // namespace

void TextSelection::setRows(ChatRows* rows) {
    if (rows == m_rows) return;
    if (m_rows != nullptr) m_rows->disconnect(this);
    m_rows = rows;
    m_begun = false;
    if (rows != nullptr) {
        connect(rows, &QAbstractItemModel::rowsInserted, this, &TextSelection::onRowsChanged);
        connect(rows, &QAbstractItemModel::rowsRemoved, this, &TextSelection::onRowsChanged);
        connect(rows, &QObject::destroyed, this, [this] { m_rows = nullptr; });
    }
    emit rowsChanged();
    notify();
}

void TextSelection::onRowsChanged() {
    if (!m_begun) return;
    // Another branch, or another conversation.
    if (!m_rows->indexOf(m_begin.message) || !m_rows->indexOf(m_end.message)) m_begun = false;
    m_placed = false;
    // A long conversation comes in hundreds of insertions, and each row that is shown listens.
    if (std::exchange(m_willNotify, true)) return;
    const auto later = [this] {
        m_willNotify = false;
        notify();
    };
    QMetaObject::invokeMethod(this, later, Qt::QueuedConnection);
}

void TextSelection::notify() {
    m_placed = false;
    ++m_revision;
    emit changed();
}

bool TextSelection::empty() const {
    return !m_begun || m_begin == m_end;
}

std::optional<TextSelection::Anchor> TextSelection::anchorAt(int row, int offset) const {
    const auto place = m_rows != nullptr ? m_rows->placeOf(row) : std::nullopt;
    if (!place) return std::nullopt;
    Anchor anchor{m_rows->messages()[place->message].id, place->block, offset};
    // Rows below the blocks stand for the end of the message.
    if (m_rows->rowOf(*place) < row) anchor.offset = textOf(anchor).size();
    return anchor;
}

std::optional<ChatRows::Place> TextSelection::placeOf(const Anchor& anchor) const {
    const auto message = m_rows != nullptr ? m_rows->indexOf(anchor.message) : std::nullopt;
    if (!message) return std::nullopt;
    return ChatRows::Place{*message, anchor.block};
}

QString TextSelection::textOf(const Anchor& anchor) const {
    const auto place = placeOf(anchor);
    if (!place) return {};
    const auto& blocks = m_rows->blocks(place->message);
    return place->block < blocks.size() ? toQString(content::plainText(blocks[place->block])) : QString();
}

std::vector<std::pair<qsizetype, qsizetype>> TextSelection::formulasIn(const Anchor& anchor) const {
    std::vector<std::pair<qsizetype, qsizetype>> formulas;
    const auto place = placeOf(anchor);
    if (!place || place->block >= m_rows->blocks(place->message).size()) return formulas;
    const content::Block& block = m_rows->blocks(place->message)[place->block];
    const std::vector<content::TextPart> parts = content::formulasOf(block);
    if (parts.empty()) return formulas;
    const std::string text = content::plainText(block);
    for (const content::TextPart& part : parts)
        formulas.emplace_back(unitsIn(text, part.begin), unitsIn(text, part.end));
    return formulas;
}

bool TextSelection::isBefore(const Anchor& a, const Anchor& b) const {
    const auto placeA = placeOf(a);
    const auto placeB = placeOf(b);
    return placeA != placeB ? placeA < placeB : a.offset < b.offset;
}

std::pair<TextSelection::Anchor, TextSelection::Anchor> TextSelection::around(const Anchor& anchor) const {
    Anchor begin = anchor;
    Anchor end = anchor;
    const QString text = m_unit == Character ? QString() : textOf(anchor);
    if (m_unit == Block) {
        begin.offset = 0;
        end.offset = text.size();
    } else if (m_unit == Word) {
        QTextBoundaryFinder finder(QTextBoundaryFinder::Word, text);
        finder.setPosition(std::min(anchor.offset, text.size()));
        if (!finder.isAtBoundary() || anchor.offset >= text.size()) finder.toPreviousBoundary();
        begin.offset = std::max<qsizetype>(finder.position(), 0);
        end.offset = finder.toNextBoundary();
        if (end.offset < 0) end.offset = text.size();
        for (const auto& [first, last] : formulasIn(anchor)) {
            const bool touches = begin.offset < last && end.offset > first;
            if (touches) begin.offset = std::min(begin.offset, first);
            if (touches) end.offset = std::max(end.offset, last);
        }
    }
    return {begin, end};
}

void TextSelection::begin(int row, int offset, Unit unit) {
    const auto anchor = anchorAt(row, offset);
    m_begun = anchor.has_value();
    if (anchor) {
        m_unit = unit;
        std::tie(m_first, m_firstEnd) = around(*anchor);
        m_begin = m_first;
        m_end = m_firstEnd;
    }
    notify();
}

void TextSelection::extend(int row, int offset) {
    if (!m_begun) return begin(row, offset, Character);
    const auto anchor = anchorAt(row, offset);
    if (!anchor) return;
    const auto [begin, end] = around(*anchor);
    const bool backwards = isBefore(begin, m_first);
    m_begin = backwards ? m_firstEnd : m_first;
    m_end = backwards ? begin : end;
    notify();
}

void TextSelection::move(Unit unit, int step) {
    if (!m_begun) return;
    m_unit = Character;
    m_first = m_firstEnd = m_begin;
    const QString text = textOf(m_end);
    const auto kind = unit == Character ? QTextBoundaryFinder::Grapheme : QTextBoundaryFinder::Word;
    QTextBoundaryFinder finder(kind, text);
    const qsizetype here = std::min(m_end.offset, text.size());
    qsizetype there = -1;
    if (unit == Block) {
        there = step > 0 ? text.size() : 0;
    } else {
        finder.setPosition(here);
        do {
            there = step > 0 ? finder.toNextBoundary() : finder.toPreviousBoundary();
            // A word ends behind its letters.
        } while (unit == Word && there > 0 && there < text.size() &&
                 text[step > 0 ? there - 1 : there].isSpace());
    }
    for (const auto& [first, last] : formulasIn(m_end)) {
        if (there > first && there < last) there = step > 0 ? last : first;
    }
    if (there >= 0 && there != here) {
        m_end.offset = there;
        return notify();
    }
    if (unit == Block) return;
    // Into the next block, or into the one before.
    const int row = endRow();
    for (int next = row + step; next >= 0 && next < m_rows->rowCount(); next += step) {
        const auto place = m_rows->placeOf(next);
        if (!place || m_rows->rowOf(*place) != next || m_rows->isFolded(*place)) continue;
        m_end = {m_rows->messages()[place->message].id, place->block, 0};
        if (step < 0) m_end.offset = textOf(m_end).size();
        return notify();
    }
}

void TextSelection::selectAll() {
    if (m_rows == nullptr || m_rows->messages().empty()) return;
    m_begun = true;
    m_unit = Character;
    m_begin = {m_rows->messages().front().id, 0, 0};
    const auto& last = m_rows->blocks(m_rows->messages().size() - 1);
    m_end = {m_rows->messages().back().id, last.empty() ? 0 : last.size() - 1, 0};
    m_end.offset = textOf(m_end).size();
    m_first = m_firstEnd = m_begin;
    notify();
}

int TextSelection::find(qint64 message, const QString& words, Occurrence which) {
    const auto index = m_rows != nullptr ? m_rows->indexOf(message) : std::nullopt;
    if (!index) {
        clear();
        return -1;
    }
    const history::WordFinder wanted(words.toStdString());
    if (which == Best) return findBest(*index, wanted);
    struct Found {
        ChatRows::Place place;
        qsizetype begin, end;
    };
    std::vector<Found> all;
    const std::vector<content::Block>& blocks = m_rows->blocks(*index);
    for (size_t block = 0; block < blocks.size(); ++block) {
        const std::string text = content::plainText(blocks[block]);
        for (const history::TextRange& range : wanted.everywhereIn(text))
            all.push_back({{*index, block}, unitsIn(text, range.begin), unitsIn(text, range.end)});
    }
    const bool forward = which == First || which == Next;
    const bool mayEnd = which == Next || which == Previous;
    if (mayEnd && !empty() && ordered().first.message == message) {
        const Anchor here = ordered().first;
        const auto isPast = [&](const Found& found) {
            const auto there = std::pair(found.place.block, found.begin);
            const auto now = std::pair(here.block, here.offset);
            return forward ? there <= now : there >= now;
        };
        std::erase_if(all, isPast);
    }
    if (all.empty()) return mayEnd ? -1 : findBest(*index, wanted);
    const Found& chosen = forward ? all.front() : all.back();
    return show(chosen.place, chosen.begin, chosen.end - chosen.begin);
}

int TextSelection::findBest(size_t message, const history::WordFinder& words) {
    clear();
    Match best;
    const size_t numBlocks = m_rows->blocks(message).size();
    // Of equals what can be seen without opening anything, and then the first.
    for (const bool isFolded : {false, true}) {
        for (size_t block = 0; block < numBlocks; ++block) {
            const ChatRows::Place place{message, block};
            if (m_rows->isFolded(place) != isFolded) continue;
            const Match match = matchIn(place, words);
            if (std::tie(match.inText, match.letters) > std::tie(best.inText, best.letters)) best = match;
        }
    }
    if (best.letters == 0) return m_rows->firstRow(m_rows->messages()[message].id);
    return show(best.place, best.at, best.size);
}

int TextSelection::show(ChatRows::Place place, qsizetype at, qsizetype size) {
    const int row = m_rows->rowOf(place);
    if (m_rows->isFolded(place)) m_rows->toggle(row);
    begin(row, static_cast<int>(at), Character);
    extend(row, static_cast<int>(at + size));
    return endRow();
}

TextSelection::Match TextSelection::matchIn(ChatRows::Place place, const history::WordFinder& words) const {
    const content::Block& block = m_rows->blocks(place.message)[place.block];
    const std::string text = content::plainText(block);
    Match match{.place = place};
    const auto mark = [&](size_t begin, size_t end) {
        match.at = unitsIn(text, begin);
        match.size = unitsIn(text, end) - match.at;
    };
    for (const auto& found : words.in(text)) {
        if (!found) continue;
        const qsizetype letters = unitsIn(text, found->end) - unitsIn(text, found->begin);
        match.letters += letters;
        if (letters > match.size) mark(found->begin, found->end);
    }
    match.inText = match.letters > 0;
    if (match.inText) return match;
    // An address is found, too, and cannot be seen: its link can.
    for (const content::Link& link : content::linksOf(block)) {
        for (const auto& found : words.in(link.target)) {
            if (!found) continue;
            if (match.letters == 0) mark(link.begin, link.end);
            match.letters += static_cast<qsizetype>(found->end - found->begin);
        }
        if (match.letters > 0) break;
    }
    return match;
}

void TextSelection::clear() {
    if (!m_begun) return;
    m_begun = false;
    notify();
}

std::pair<TextSelection::Anchor, TextSelection::Anchor> TextSelection::ordered() const {
    return isBefore(m_end, m_begin) ? std::pair(m_end, m_begin) : std::pair(m_begin, m_end);
}

QPointF TextSelection::inRow(int row) const {
    if (empty() || m_rows == nullptr) return {};
    if (!m_placed) {
        const auto [begin, end] = ordered();
        m_beginRow = m_rows->rowOf(placeOf(begin).value_or(ChatRows::Place{}));
        m_endRow = m_rows->rowOf(placeOf(end).value_or(ChatRows::Place{}));
        m_offsets = {static_cast<int>(begin.offset), static_cast<int>(end.offset)};
        m_placed = true;
    }
    if (row < m_beginRow || row > m_endRow) return {};
    return QPoint(row == m_beginRow ? m_offsets.x() : 0,
                  row == m_endRow ? m_offsets.y() : std::numeric_limits<int>::max());
}

int TextSelection::endRow() const {
    const auto place = m_begun ? placeOf(m_end) : std::nullopt;
    return place ? m_rows->rowOf(*place) : -1;
}

QStringList TextSelection::forms() {
    QStringList names;
    for (const content::Exporter* exporter : content::allExporters())
        if (!exporter->name.empty()) names << toQString(std::string(exporter->name));
    return names;
}

QString TextSelection::text(const QString& form) const {
    const content::Exporter* exporter = content::findExporter(form.toStdString());
    if (exporter == nullptr || empty() || m_rows == nullptr) return {};
    const auto [begin, end] = ordered();
    const auto from = placeOf(begin);
    const auto to = placeOf(end);
    if (!from || !to) return {};
    std::string all;
    for (size_t message = from->message; message <= to->message; ++message) {
        const auto& blocks = m_rows->blocks(message);
        // What is folded away is not seen, so it is not copied.
        std::vector<content::Block> seen;
        content::TextPosition first;
        content::TextPosition last{0, std::numeric_limits<size_t>::max()};
        const auto bytes = [&](const content::Block& block, qsizetype offset) {
            return static_cast<size_t>(toQString(content::plainText(block)).left(offset).toUtf8().size());
        };
        for (size_t number = 0; number < blocks.size(); ++number) {
            if (message == from->message && number < from->block) continue;
            if (message == to->message && number > to->block) break;
            if (m_rows->isFolded({message, number})) continue;
            if (message == from->message && number == from->block)
                first.offset = bytes(blocks[number], begin.offset);
            last.offset = message == to->message && number == to->block ? bytes(blocks[number], end.offset)
                                                                        : std::numeric_limits<size_t>::max();
            last.block = seen.size();
            seen.push_back(blocks[number]);
        }
        if (seen.empty()) continue;
        const std::string part = (*exporter)(seen, first, last);
        if (part.empty()) continue;
        if (!all.empty()) all += "\n\n";
        all += part;
    }
    return toQString(all);
}

}  // namespace ingle::desktop
