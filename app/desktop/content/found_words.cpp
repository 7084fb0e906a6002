#include "app/desktop/content/found_words.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <utility>

#include "app/content/selection.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

/// Adds what is marked when the text from one position to another is.
void addRectangles(const QTextDocument& document, int begin, int end, QVariantList& rectangles) {
    for (QTextBlock block = document.findBlock(begin); block.isValid() && block.position() < end;
         block = block.next()) {
        const QPointF origin = document.documentLayout()->blockBoundingRect(block).topLeft() -
                               block.layout()->boundingRect().topLeft();
        for (int number = 0; number < block.layout()->lineCount(); ++number) {
            const QTextLine line = block.layout()->lineAt(number);
            const int first = block.position() + line.textStart();
            const int from = std::max(begin, first);
            const int to = std::min(end, first + line.textLength());
            if (from >= to) continue;
            const qreal x = line.cursorToX(from - block.position());
            const qreal x2 = line.cursorToX(to - block.position());
            rectangles << QRectF(origin + QPointF(std::min(x, x2), line.y()),
                                 QSizeF(std::abs(x2 - x), line.height()));
        }
    }
}

}  // namespace

void FoundWords::setText(const QString& text) {
    if (std::exchange(m_text, text) == text) return;
    m_finder = text.trimmed().isEmpty() ? nullptr : std::make_unique<history::WordFinder>(text.toStdString());
    emit textChanged();
}

FoundMarks::FoundMarks(QObject* parent) : QObject(parent), m_look(this) {
    m_look.setSingleShot(true);
    m_look.setInterval(0);
    connect(&m_look, &QTimer::timeout, this, &FoundMarks::look);
}

void FoundMarks::setWords(FoundWords* words) {
    if (words == m_words) return;
    if (m_words) m_words->disconnect(this);
    m_words = words;
    if (words != nullptr) connect(words, &FoundWords::textChanged, &m_look, qOverload<>(&QTimer::start));
    emit wordsChanged();
    m_look.start();
}

void FoundMarks::setDocument(BlockDocument* document) {
    if (document == m_document) return;
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document != nullptr) {
        connect(document, &BlockDocument::shown, &m_look, qOverload<>(&QTimer::start));
        connect(document, &BlockDocument::laidOut, &m_look, qOverload<>(&QTimer::start));
    }
    emit documentChanged();
    m_look.start();
}

void FoundMarks::look() {
    QVariantList rectangles;
    const history::WordFinder* finder = m_words ? m_words->finder() : nullptr;
    const QTextDocument* document = m_document ? m_document->document() : nullptr;
    if (finder != nullptr && document != nullptr && m_document->shownBlock() != nullptr) {
        const std::string text = content::plainText(*m_document->shownBlock());
        size_t counted = 0;
        qsizetype units = 0;
        const auto unitsTo = [&](size_t at) {
            units += QString::fromUtf8(text.data() + counted, static_cast<qsizetype>(at - counted)).size();
            counted = at;
            return static_cast<int>(units);
        };
        for (const history::TextRange& range : finder->everywhereIn(text)) {
            const int begin = m_document->beginOf(unitsTo(range.begin));
            addRectangles(*document, begin, m_document->positionOf(unitsTo(range.end)), rectangles);
        }
    }
    if (std::exchange(m_rectangles, rectangles) != rectangles) emit rectanglesChanged();
}

}  // namespace ingle::desktop
