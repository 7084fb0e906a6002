#include "app/desktop/content/text_runs.h"

#include <QFontInfo>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/content/formulas.h"
#include "app/content/leaf_parser.h"
#include "app/desktop/content/emoji.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

using content::Block;
using content::RichText;
using content::Span;
using content::SpanKind;

/// Adds a text, and gives its emoji a font in which they are whole.
void addText(std::vector<TextRun>& runs, const QString& text, const QTextCharFormat& format,
             const QFont& font) {
    const std::vector<EmojiPlace> emoji = emojiFamily().isEmpty() ? std::vector<EmojiPlace>() : emojiIn(text);
    qsizetype done = 0;
    for (const EmojiPlace& place : emoji) {
        if (place.begin > done) runs.push_back({text.mid(done, place.begin - done), format});
        QTextCharFormat pictures = format;
        pictures.setFontFamilies({emojiFamily(), font.family()});
        runs.push_back({text.mid(place.begin, place.length), pictures});
        done = place.begin + place.length;
    }
    if (done < text.size() || emoji.empty()) runs.push_back({text.mid(done), format});
}

}  // namespace

std::vector<TextRun> TextRuns::of(const RichText& text, const QTextCharFormat& base, bool grows) {
    // Where something begins or ends.
    std::vector<uint32_t> edges{0, static_cast<uint32_t>(text.text.size())};
    for (const Span& span : text.spans) {
        edges.push_back(span.begin);
        edges.push_back(span.end);
    }
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<TextRun> runs;
    std::vector<const Span*> open;
    size_t next = 0;
    for (size_t edge = 0; edge + 1 < edges.size(); ++edge) {
        const uint32_t begin = edges[edge];
        std::erase_if(open, [begin](const Span* span) { return span->end <= begin; });
        for (; next < text.spans.size() && text.spans[next].begin <= begin; ++next) {
            if (text.spans[next].end > begin) open.push_back(&text.spans[next]);
        }
        QTextCharFormat format = base;
        for (const Span* span : open) format = formatOf(text, *span, format);
        const uint32_t end = edges[edge + 1];
        const QString piece =
            QString::fromUtf8(text.text.data() + begin, static_cast<qsizetype>(end - begin));
        const bool isFormula = !open.empty() && open.back()->kind == SpanKind::Formula;
        // What is open at the end of a text that grows is only shown as if it were closed.
        const bool mayGrow = grows && end == text.text.size();
        if (isFormula && !mayGrow)
            runs.push_back(formulaRun(piece, format));
        else
            addText(runs, piece, format, m_look.font);
        m_hasFormulas = m_hasFormulas || isFormula;
    }
    return runs;
}

std::vector<TextRun> TextRuns::ofFormula(const Block& block) {
    const std::string& text = block.text.text;
    const std::optional<size_t> end = content::endOfFormula(text);
    m_hasFormulas = true;
    QTextCharFormat code;
    code.setFontFamilies({m_look.fixedFamily});
    code.setProperty(QTextFormat::FontPixelSize, m_look.codeSize);
    if (!end) return {{toQString(text), code}};
    std::vector<TextRun> runs{formulaRun(toQString(text.substr(0, *end)), code)};
    // The full stop of its sentence.
    if (*end < text.size())
        runs.push_back({toQString(text.substr(*end)), runs.front().picture ? QTextCharFormat() : code});
    return runs;
}

TextRun TextRuns::formulaRun(const QString& source, const QTextCharFormat& format) {
    TextRun run{source, format};
    if (m_formulas == nullptr) return run;
    run.picture = m_formulas->find(source, m_context, m_drawn);
    if (!run.picture) {
        // What is about to be drawn is not shown as it was written for a moment.
        if (m_formulas->isAsked(source)) run.format.setForeground(Qt::transparent);
        return run;
    }
    const qreal xHeight = QFontMetricsF(m_look.font).xHeight();
    const qreal ascent = std::ceil(run.picture->ascent * xHeight);
    const qreal depth = std::ceil(run.picture->depth * xHeight);
    const qreal width = std::ceil(run.picture->width * xHeight);
    m_widestFormula = std::max(m_widestFormula, width);
    run.format.setFontFamilies({m_look.font.family()});
    run.format.setObjectType(kFormulaObject);
    run.format.setProperty(kFormulaPicture, QVariant::fromValue(run.picture));
    run.format.setProperty(kFormulaSourceLength, static_cast<int>(source.size()));
    run.format.setProperty(kFormulaRoom, QSizeF(width, ascent + depth));
    // A layout lays an object on the line, or its middle at half the height of an x of the object's own font:
    // with the right size of that, so much of it stands above the line as should.
    if (depth > 0) {
        run.format.setVerticalAlignment(QTextCharFormat::AlignMiddle);
        const qreal perPixel = xHeight / std::max(1, QFontInfo(m_look.font).pixelSize());
        run.format.setProperty(QTextFormat::FontPixelSize,
                               std::max(1, qRound(2 * std::max(ascent - depth, 0.0) / perPixel)));
    }
    return run;
}

QTextCharFormat TextRuns::formatOf(const RichText& text, const Span& span, QTextCharFormat format) const {
    switch (span.kind) {
        case SpanKind::Strong:
            format.setFontWeight(QFont::Bold);
            break;
        case SpanKind::Emphasis:
            format.setFontItalic(true);
            break;
        case SpanKind::Strike:
            format.setFontStrikeOut(true);
            break;
        case SpanKind::Code:
            format.setBackground(m_look.codeSurface);
            [[fallthrough]];
        case SpanKind::Formula:
            format.setFontFamilies({m_look.fixedFamily});
            format.setProperty(QTextFormat::FontPixelSize, m_look.codeSize);
            break;
        case SpanKind::Link:
        case SpanKind::Image: {
            const std::string& target = text.targets[span.target];
            format.setAnchor(true);
            format.setAnchorHref(toQString(target));
            if (content::opensOutside(target)) {
                format.setForeground(m_look.linkColor);
            } else {
                format.setUnderlineStyle(QTextCharFormat::DotLine);
            }
            break;
        }
    }
    return format;
}

}  // namespace ingle::desktop
