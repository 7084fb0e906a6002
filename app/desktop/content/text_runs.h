/// A block's text as runs of one look, with its formulas drawn where they can be.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>
#include <QTextCharFormat>

#include <functional>
#include <utility>
#include <vector>

#include "app/content/block.h"
#include "app/desktop/services/formula_pictures.h"

namespace ingle::desktop {

/// Of the character that stands for a formula.
inline constexpr int kFormulaObject = QTextFormat::UserObject + 1;
inline constexpr int kFormulaPicture = QTextFormat::UserProperty + 1;       ///< a FormulaPicturePtr
inline constexpr int kFormulaSourceLength = QTextFormat::UserProperty + 2;  ///< UTF-16 units
inline constexpr int kFormulaRoom = QTextFormat::UserProperty + 3;          ///< a QSizeF

struct TextRun {
    QString text;
    QTextCharFormat format;
    FormulaPicturePtr picture{};

    bool operator==(const TextRun&) const = default;
    /// What stands in the document.
    QString shown() const { return picture ? QString(QChar::ObjectReplacementCharacter) : text; }
};

struct TextLook {
    QFont font;
    QString fixedFamily;
    qreal codeSize = 0;  ///< pixels
    QColor linkColor;
    QColor codeSurface;
};

class TextRuns {
  public:
    /// `formulas`: null: formulas are shown as they were written. `drawn` is called once for each that is
    /// drawn later, unless `context` has gone.
    TextRuns(TextLook look, FormulaPictures* formulas, QObject* context, std::function<void()> drawn)
        : m_look(std::move(look)), m_formulas(formulas), m_context(context), m_drawn(std::move(drawn)) {}

    /// `grows`: a formula at its end may not be whole yet.
    std::vector<TextRun> of(const content::RichText& text, const QTextCharFormat& base, bool grows);
    /// Of a block that is a formula.
    std::vector<TextRun> ofFormula(const content::Block& block);

    /// There were some, drawn or not.
    bool hasFormulas() const { return m_hasFormulas; }
    /// Of those that are drawn, in pixels; 0: none is.
    qreal widestFormula() const { return m_widestFormula; }

  private:
    QTextCharFormat formatOf(const content::RichText& text, const content::Span& span,
                             QTextCharFormat format) const;
    /// The formula's picture, or the way it was written until that is there.
    TextRun formulaRun(const QString& source, const QTextCharFormat& format);

    TextLook m_look;
    FormulaPictures* m_formulas;
    QObject* m_context;
    std::function<void()> m_drawn;
    bool m_hasFormulas = false;
    qreal m_widestFormula = 0;
};

}  // namespace ingle::desktop
