#include "app/desktop/content/code_colouring.h"

#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>
#include <chrono>
#include <limits>

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kColourPause = 500ms;  // between two colourings of code that grows

/// Where the first colour begins that only one of them has.
int firstDifference(const CodeColours::Spans& a, const CodeColours::Spans& b) {
    const auto [inA, inB] = std::ranges::mismatch(a, b);
    constexpr int kNone = std::numeric_limits<int>::max();
    return std::min(inA == a.end() ? kNone : inA->begin, inB == b.end() ? kNone : inB->begin);
}

}  // namespace

class CodeColouring::Painter : public QSyntaxHighlighter {
  public:
    Painter(QTextDocument* document, const CodeColouring& colouring)
        : QSyntaxHighlighter(document), m_colouring(colouring) {}

    /// What stands above is not laid out again.
    void repaintFrom(int position) {
        QTextCursor all(document());
        all.beginEditBlock();  // one layout for all lines
        for (QTextBlock line = document()->findBlock(position); line.isValid(); line = line.next())
            rehighlightBlock(line);
        all.endEditBlock();
    }

  protected:
    void highlightBlock(const QString& text) override {
        const int begin = currentBlock().position();
        const int end = begin + static_cast<int>(text.size());
        const CodeColours::Spans& spans = m_colouring.m_spans;
        for (auto span = std::ranges::upper_bound(spans, begin, {}, &ColourSpan::end);
             span != spans.end() && span->begin < end; ++span) {
            const int from = std::max(span->begin, begin);
            setFormat(from - begin, std::min(span->end, end) - from, m_colouring.of(span->colour));
        }
    }

  private:
    const CodeColouring& m_colouring;
};

CodeColouring::CodeColouring(QObject* parent) : QObject(parent), m_pause(this) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kColourPause);
    connect(&m_pause, &QTimer::timeout, this, &CodeColouring::ask);
    connect(this, &CodeColouring::changed, this, [this] {
        if (!m_growing)
            QMetaObject::invokeMethod(this, &CodeColouring::ask, Qt::QueuedConnection);
        else if (!m_pause.isActive())
            m_pause.start();
    });
    connect(this, &CodeColouring::paletteChanged, this, [this] {
        if (m_painter) m_painter->rehighlight();
    });
}

CodeColouring::~CodeColouring() {
    delete m_painter;
}

QColor CodeColouring::of(CodeColour colour) const {
    switch (colour) {
        case CodeColour::Comment:
            return m_comment;
        case CodeColour::String:
            return m_string;
        case CodeColour::Keyword:
            return m_keyword;
        case CodeColour::Number:
            return m_number;
        case CodeColour::Name:
            return m_name;
        case CodeColour::Type:
            return m_type;
        case CodeColour::Variable:
            return m_variable;
        case CodeColour::Added:
            return m_added;
        case CodeColour::Removed:
            return m_removed;
    }
    return {};
}

QColor CodeColouring::colourAt(int position) const {
    const auto span = std::ranges::upper_bound(m_spans, position, {}, &ColourSpan::end);
    return span != m_spans.end() && span->begin <= position ? of(span->colour) : QColor();
}

void CodeColouring::ask() {
    if (!m_colours || !m_target) return;
    m_colours->ask(m_label, m_code, this, [this](const CodeColours::Spans& spans) {
        if (!m_target || spans == m_spans) return;
        const int from = firstDifference(m_spans, spans);
        m_spans = spans;
        if (!m_painter)
            m_painter = new Painter(m_target->textDocument(), *this);
        else
            m_painter->repaintFrom(from);
        emit coloured();
    });
}

}  // namespace ingle::desktop
