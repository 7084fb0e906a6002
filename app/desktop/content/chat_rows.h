/// The branch of one conversation as a list model: what a row is and when it changes says BranchRows; here
/// are its values for QML. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QTimer>

#include <optional>
#include <vector>

#include "app/desktop/content/branch_rows.h"
#include "app/desktop/content/shown_block.h"

namespace ingle::desktop {

class ChatRows : public QAbstractListModel, private RowObserver {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by ChatController")
    /// The message of the person that is being changed, or 0.
    Q_PROPERTY(double edited READ edited NOTIFY editedChanged)
    /// What is being made of it. Kept here, since a row that is scrolled away is gone.
    Q_PROPERTY(QString editedText READ editedText WRITE setEditedText NOTIFY editedTextChanged)
  public:
    /// history::MessageStatus for QML, in the same order.
    enum MessageState { Complete, Streaming, Stopped, Interrupted, Failed };
    Q_ENUM(MessageState)

    using Furniture = BranchRows::Furniture;
    using Place = BranchRows::Place;

    enum Role {
        /// Which delegate: the name of a content::BlockKind, or one of "forgotten", "editor", "state",
        /// "actions".
        KindRole = Qt::UserRole,
        MessageIdRole,
        IsUserRole,

        // Of blocks.
        BlockRole,  ///< ShownBlock
        TextRole,   ///< content::plainText()
        LeadsRole,  ///< nothing of its message stands above
        ContainersRole,
        MarksRole,  ///< of the containers that begin with this block; empty for quotations
        SpacedRole,
        GoesOnRole,     ///< a piece of the same block stands above
        ContinuedRole,  ///< a piece of the same block stands below
        LevelRole,
        LabelRole,  ///< of code its language, of a thought whether the model still thinks; else Block::label
        RightToLeftRole,
        GrowingRole,      ///< text is being added here
        OpenRole,         ///< what is folded by itself was opened
        ScrollRole,       ///< how far it was scrolled sideways, with all its pieces
        LongestLineRole,  ///< of code, in characters, in all its pieces

        // Of states and actions.
        SentenceRole,  ///< how the message stands; empty: there is nothing to say
        WayOnRole,     ///< what continuing it is called
        FailedRole,
        DetailsRole,  ///< the engine's own words about it
        EmptyRole,
        LastRole,
        TimeRole,     ///< when it was written
        FiguresRole,  ///< which model wrote it, how much and how fast
        SiblingIndexRole,
        SiblingCountRole,
    };

    explicit ChatRows(Furniture furniture = Furniture::StateAndActions, QObject* parent = nullptr);

    /// See BranchRows.
    void setBranch(std::vector<history::Message> messages);
    /// These ignore messages that are not in the branch shown.
    void append(history::RowId message, const std::vector<PartPiece>& pieces);
    void setStatus(history::RowId message, const history::AnswerEnd& end);
    void setFirstKept(history::RowId message);
    void setPinned(history::RowId message, bool pinned);
    /// What stands below the answer that is being written; empty: nothing but that the model thinks.
    void setProgress(const QString& sentence);

    const std::vector<history::Message>& messages() const { return m_rows.messages(); }
    const history::Message* find(history::RowId message) const;
    history::RowId lastId() const { return messages().empty() ? 0 : messages().back().id; }
    /// What the message says, as Markdown and without its thoughts; empty if there is none.
    QString words(history::RowId message) const;

    double edited() const { return static_cast<double>(m_rows.edited()); }
    QString editedText() const { return m_editedText; }
    void setEditedText(const QString& text);
    /// The message becomes a field to write in; 0: none is.
    Q_INVOKABLE void edit(qint64 message);
    /// What was changed in that field and is nowhere else; empty: nothing was.
    QString unsentEdit() const;
    /// The last message of the person, or 0.
    Q_INVOKABLE double lastQuestion() const;

    /// The first row of the message; -1: it is not shown. Reads what has not been read yet down to it.
    Q_INVOKABLE int firstRow(qint64 message);
    /// The message that a row belongs to, or 0.
    Q_INVOKABLE double messageAt(int row) const;
    /// All pieces of the block that the row shows.
    Q_INVOKABLE QString wholeText(int row) const;
    /// The whole table that the row shows a piece of, as comma-separated values; empty: it shows none.
    Q_INVOKABLE QString tableAsCsv(int row) const;
    /// Opens what is folded, and folds what is open.
    Q_INVOKABLE void toggle(int row);
    Q_INVOKABLE void setScroll(int row, double x);

    /// The block that a row shows; for rows below blocks the last one of the message, for rows above the
    /// first.
    std::optional<Place> placeOf(int row) const;
    /// -1: above all rows that have been read.
    int rowOf(Place place) const { return m_rows.rowOf(place).value_or(-1); }
    std::optional<size_t> indexOf(history::RowId message) const { return m_rows.indexOf(message); }
    /// Reads what has not been read yet down to that message.
    const std::vector<content::Block>& blocks(size_t message);
    /// Its block is there, but only its head is shown.
    bool isFolded(Place place) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void messagesChanged();
    void editedChanged();
    void editedTextChanged();
    /// The message that was being changed is no longer shown: these words were not sent.
    void editLeft(const QString& words);

  private:
    void inserting(int row, int count) override { beginInsertRows({}, row, row + count - 1); }
    void inserted() override { endInsertRows(); }
    void removing(int row, int count) override { beginRemoveRows({}, row, row + count - 1); }
    void removed() override { endRemoveRows(); }
    void blockChanged(int row, const content::Block& before, const content::Block& after) override;
    void rowChanged(int row, RowChange change) override;

    void readSlice();
    QVariant blockData(Place place, int role) const;
    QVariant messageData(size_t index, int role) const;
    QString labelOf(Place place, const content::Block& block) const;
    bool isStreaming(size_t index) const;

    Furniture m_furniture;
    BranchRows m_rows;
    QTimer m_readMore;
    QString m_editedText;
    QString m_textBefore;  ///< of the message that is being changed
    QString m_progress;
};

}  // namespace ingle::desktop
