/// What is selected in a list of rows: from one character to another, across blocks and messages. A place is
/// a message, a block in it and an offset there, so that a selection stays while answers grow and rows come
/// above it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointF>
#include <QString>

#include <utility>
#include <vector>

#include "app/desktop/content/chat_rows.h"
#include "app/history/text/word_finder.h"

namespace ingle::desktop {

/// Offsets are in UTF-16, in the text of the row's block. GUI thread.
class TextSelection : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(ingle::desktop::ChatRows* rows READ rows WRITE setRows NOTIFY rowsChanged)
    Q_PROPERTY(bool empty READ empty NOTIFY changed)
    /// Another number after every change: what binds to inRow() reads it.
    Q_PROPERTY(int revision READ revision NOTIFY changed)
    /// Names of what can be copied beside plain text: "Markdown".
    Q_PROPERTY(QStringList forms READ forms CONSTANT)
  public:
    enum Unit { Character, Word, Block };
    Q_ENUM(Unit)
    /// Which of several places: the one that shows most of the words, or one before or behind what is
    /// selected.
    enum Occurrence { Best, First, Last, Next, Previous };
    Q_ENUM(Occurrence)

    using QObject::QObject;

    ChatRows* rows() const { return m_rows; }
    void setRows(ChatRows* rows);
    bool empty() const;
    int revision() const { return m_revision; }
    static QStringList forms();

    /// Begins anew, with the unit there; extending goes on in such units.
    Q_INVOKABLE void begin(int row, int offset, ingle::desktop::TextSelection::Unit unit);
    /// Up to there, from where it began; begins there if nothing was.
    Q_INVOKABLE void extend(int row, int offset);
    /// Its end goes `step` (1 or -1) units on.
    Q_INVOKABLE void move(ingle::desktop::TextSelection::Unit unit, int step);
    Q_INVOKABLE void selectAll();
    Q_INVOKABLE void clear();

    /// Selects one of the words in the message and returns the row of it; where there is none, the message's;
    /// -1: there is no next or previous one. What is folded away is opened where the word stands in it, and
    /// of best places looked at last.
    Q_INVOKABLE int find(qint64 message, const QString& words,
                         ingle::desktop::TextSelection::Occurrence which = Best);

    /// From x to y of the row's text is selected; the end may lie beyond the text.
    Q_INVOKABLE QPointF inRow(int row) const;
    /// Where its end stands, which moves; -1: nothing has begun.
    Q_INVOKABLE int endRow() const;
    Q_INVOKABLE int endOffset() const { return m_begun ? static_cast<int>(m_end.offset) : 0; }

    /// What is selected, in a form of forms(); "" is plain text.
    Q_INVOKABLE QString text(const QString& form) const;

  signals:
    void rowsChanged();
    void changed();

  private:
    struct Anchor {
        history::RowId message = 0;
        size_t block = 0;
        qsizetype offset = 0;

        bool operator==(const Anchor&) const = default;
    };

    /// Words of a query that stand in a block.
    struct Match {
        ChatRows::Place place{};
        bool inText = false;         ///< they stand in what is read, not in an address
        qsizetype letters = 0;       ///< of all of them; 0: none does
        qsizetype at = 0, size = 0;  ///< the longest one; of those in an address the text of the link
    };
    int findBest(size_t message, const history::WordFinder& words);
    /// Selects that in a block, which is opened.
    int show(ChatRows::Place place, qsizetype at, qsizetype size);
    Match matchIn(ChatRows::Place place, const history::WordFinder& words) const;
    std::optional<Anchor> anchorAt(int row, int offset) const;
    std::optional<ChatRows::Place> placeOf(const Anchor& anchor) const;
    bool isBefore(const Anchor& a, const Anchor& b) const;
    QString textOf(const Anchor& anchor) const;
    /// Formulas there, in UTF-16: each is selected as a whole.
    std::vector<std::pair<qsizetype, qsizetype>> formulasIn(const Anchor& anchor) const;
    /// The unit around a place.
    std::pair<Anchor, Anchor> around(const Anchor& anchor) const;
    std::pair<Anchor, Anchor> ordered() const;
    void onRowsChanged();
    void notify();

    ChatRows* m_rows = nullptr;
    bool m_begun = false;
    Unit m_unit = Character;
    Anchor m_first;  ///< the unit in which it began
    Anchor m_firstEnd;
    Anchor m_begin;
    Anchor m_end;
    int m_revision = 0;
    bool m_willNotify = false;  ///< once per event loop, after rows came or went
    // Between changes; see inRow().
    mutable bool m_placed = false;
    mutable int m_beginRow = -1;
    mutable int m_endRow = -1;
    mutable QPoint m_offsets;
};

}  // namespace ingle::desktop
