/// The branch of one conversation as one list of rows: of each message its blocks, how it stands, and what
/// can be done with it. GUI thread.
///
/// A long branch is read from its end: the newest messages at once, the others in slices whenever nothing
/// else is to be done, so that the rows above come while the last ones are on the screen already. While an
/// answer grows, only the rows change that did.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QTimer>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "app/content/block_stream.h"
#include "app/desktop/viewmodels/shown_block.h"
#include "app/history/history.h"

namespace ingle::desktop {

class ChatRows : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by ChatController")
    Q_PROPERTY(int count READ rowCount NOTIFY countChanged)
    Q_PROPERTY(double lastMessageId READ lastId NOTIFY messagesChanged)
    /// The message of the person that is being changed, or 0.
    Q_PROPERTY(double edited READ edited NOTIFY editedChanged)
    /// What is being made of it. Kept here, since a row that is scrolled away is gone.
    Q_PROPERTY(QString editedText READ editedText WRITE setEditedText NOTIFY editedChanged)
  public:
    /// history::MessageStatus for QML, in the same order.
    enum MessageState { Complete, Streaming, Stopped, Interrupted, Failed };
    Q_ENUM(MessageState)

    /// What stands around the blocks of a message.
    enum class Furniture { None, StateAndActions };

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
        LabelRole,
        RightToLeftRole,
        GrowingRole,      ///< text is being added here
        OpenRole,         ///< what is folded by itself was opened
        ScrollRole,       ///< how far it was scrolled sideways, with all its pieces
        LongestLineRole,  ///< of code, in characters, in all its pieces

        // Of states and actions.
        StatusRole,
        ErrorRole,
        ErrorDetailsRole,
        EmptyRole,
        LastRole,
        ModelNameRole,
        NewTokensRole,
        TokensPerSecondRole,
        SiblingIndexRole,
        SiblingCountRole,
    };

    explicit ChatRows(Furniture furniture = Furniture::StateAndActions, QObject* parent = nullptr);

    /// Shows another branch. Messages it shares with the one shown stay as they are on screen, also where
    /// older ones are added above.
    void setBranch(std::vector<history::Message> messages);

    /// These ignore messages that are not in the branch shown.
    void append(history::RowId message, const std::vector<PartPiece>& pieces);
    void setStatus(history::RowId message, const history::AnswerEnd& end);
    /// The oldest message the model still sees; a quiet line above it says so. 0: nothing was dropped.
    void setFirstKept(history::RowId message);

    const std::vector<history::Message>& messages() const { return m_messages; }
    const history::Message* find(history::RowId message) const;
    history::RowId lastId() const { return m_messages.empty() ? 0 : m_messages.back().id; }
    /// What the message says, as Markdown and without its thoughts; empty if there is none.
    QString words(history::RowId message) const;

    double edited() const { return static_cast<double>(m_edited); }
    QString editedText() const { return m_editedText; }
    void setEditedText(const QString& text) { m_editedText = text; }
    /// The message becomes a field to write in; 0: none is.
    Q_INVOKABLE void edit(qint64 message);
    /// The last message of the person, or 0.
    Q_INVOKABLE double lastQuestion() const;

    /// The first row of the message; -1: it is not shown. Reads what has not been read yet down to it.
    Q_INVOKABLE int firstRow(qint64 message);
    /// The message that a row belongs to, or 0.
    Q_INVOKABLE double messageAt(int row) const;
    /// All pieces of the block that the row shows.
    Q_INVOKABLE QString wholeText(int row) const;
    Q_INVOKABLE void setOpen(int row, bool open);
    Q_INVOKABLE void setScroll(int row, double x);

    /// A block of a message of the branch.
    struct Place {
        size_t message = 0;  ///< index
        size_t block = 0;

        auto operator<=>(const Place&) const = default;
    };
    /// The block that a row shows; for rows below blocks the last one of the message, for rows above the
    /// first.
    std::optional<Place> placeOf(int row) const;
    /// -1: above all rows that have been read.
    int rowOf(Place place) const;
    std::optional<size_t> indexOf(history::RowId message) const;
    /// Reads what has not been read yet down to that message.
    const std::vector<content::Block>& blocks(size_t message);
    /// Its block is there, but only its head is shown.
    bool isFolded(Place place) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void countChanged();
    void messagesChanged();
    void editedChanged();

  private:
    /// What is known of a message besides its words.
    struct Entry {
        std::vector<content::Block> question;  ///< blocks of a person's message
        content::BlockStream answer;           ///< blocks of an answer
        int firstRow = 0;
        // The rows there are, in this order.
        int numForgotten = 0;
        int numEditors = 0;
        int numBlocks = 0;  ///< none while there is an editor
        int numStates = 0;
        int numActions = 0;
        // By the first piece of a block.
        std::set<size_t> open;
        std::map<size_t, double> scrolled;
        std::map<size_t, int> longestLine;

        int firstBlockRow() const { return firstRow + numForgotten + numEditors; }
        int numRows() const { return numForgotten + numEditors + numBlocks + numStates + numActions; }
    };

    Entry& entry(size_t index) { return *m_entries[index]; }
    const Entry& entry(size_t index) const { return *m_entries[index]; }
    bool isUser(size_t index) const { return m_messages[index].role == ingle::Role::User; }
    bool isStreaming(size_t index) const {
        return m_messages[index].status == history::MessageStatus::Streaming;
    }
    const std::vector<content::Block>& blocksOf(size_t index) const;
    size_t indexOfRow(int row) const;
    QVariant blockData(size_t index, size_t block, int role) const;
    QVariant messageData(size_t index, int role) const;

    /// Gives rows to the messages from `from` up to those that have some.
    void read(size_t from);
    /// Where a slice begins that ends before `end`.
    size_t sliceBefore(size_t end) const;
    void readSlice();
    void parse(size_t index);
    /// Rows for what `before`, the blocks from `base` on, has become.
    void blocksChanged(size_t index, size_t base, const std::vector<content::Block>& before);
    void measureCode(size_t index, size_t from);
    /// Adds and removes the rows around the blocks.
    void updateFurniture(size_t index);
    void setRow(size_t index, int Entry::*rows, int offset, bool wanted);
    template <typename Change>
    void insertRows(size_t index, int offset, int count, const Change& change);
    template <typename Change>
    void removeRows(size_t index, int offset, int count, const Change& change);
    void placeRows(size_t from);
    void dropFrom(size_t index);
    void changed(int row, const QList<int>& roles);
    /// Also the rows below its blocks.
    void furnitureChanged(size_t index, const QList<int>& roles);

    Furniture m_furniture;
    std::vector<history::Message> m_messages;
    std::vector<std::unique_ptr<Entry>> m_entries;  ///< of each message from m_read on
    size_t m_read = 0;                              ///< messages before it have no rows yet
    QTimer m_readMore;
    history::RowId m_firstKept = 0;
    history::RowId m_edited = 0;
    QString m_editedText;
};

}  // namespace ingle::desktop
