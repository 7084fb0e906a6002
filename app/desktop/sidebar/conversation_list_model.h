/// The sidebar: all conversations in date groups, or what a search found.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QTimer>

#include <string>
#include <vector>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/sidebar/conversation_rows.h"
#include "app/desktop/sidebar/search_filters.h"
#include "app/history/store/history.h"
#include "app/protocol/messages.h"

namespace ingle::desktop {

class ConversationListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    /// The conversation of the row that has the keyboard; 0: none has.
    Q_PROPERTY(double focused MEMBER m_focused NOTIFY focusedChanged)
    /// What stands there while there are no rows.
    Q_PROPERTY(QString emptySentence READ emptySentence NOTIFY emptySentenceChanged)
    /// How many are selected.
    Q_PROPERTY(int numSelected READ numSelected NOTIFY selectionChanged)
    Q_PROPERTY(ingle::desktop::SearchFilters* filters READ filters CONSTANT)
    Q_PROPERTY(QString searchText READ searchText WRITE setSearchText NOTIFY searchTextChanged)
  public:
    enum Role {
        ConversationIdRole = Qt::UserRole,
        TitleRole,
        SnippetRole,
        SectionRole,
        PinnedRole,
        MessageRole,
        AnsweringRole,  ///< an answer is being written there
        KindRole,       ///< "conversation", "folder" or "archive"
        FolderRole,     ///< that the row is or stands in; 0: none
        CountRole,      ///< of what is in it
        OpenRole,       ///< what is in it is listed
        ArchivedRole,
        SelectedRole,  ///< one of several that something will be done to
        SpokenRole,    ///< the title and how the conversation stands, for screen readers
    };

    ConversationListModel(StorageThread& storage, const RunningAnswers& answers, Notices& notices,
                          QObject* parent = nullptr);

    QString searchText() const { return m_searchText; }
    SearchFilters* filters() { return &m_filters; }
    void setSearchText(const QString& text);
    QString emptySentence() const;

    /// Reads the list again.
    void refresh();
    /// setChanged() follows.
    void tellSet();

    double focused() const { return m_focused; }
    /// -1: it is not in the list.
    Q_INVOKABLE int rowOf(double conversation) const;
    /// Empty: it is not in the list.
    Q_INVOKABLE QString titleOf(double conversation) const;
    bool isPinned(qint64 conversation) const;
    void setPinned(qint64 conversation, bool isPinned);
    /// The conversation `step` rows further down, or 0.
    double neighbour(qint64 conversation, int step) const;
    Q_INVOKABLE void rename(qint64 conversation, const QString& title);
    /// What is done to a conversation is done to all that are selected, if it is one of these.
    std::vector<history::RowId> affected(qint64 conversation) const;
    int numSelected() const { return static_cast<int>(m_selected.size()); }
    Q_INVOKABLE void toggleSelected(qint64 conversation);
    /// All from the one that was selected last, or else from the one shown, to this one.
    Q_INVOKABLE void selectTo(qint64 conversation, qint64 shown);
    Q_INVOKABLE void clearSelection();
    /// One of those that are selected, as a target; 0: none is.
    Q_INVOKABLE double firstSelected() const;

    // These can be undone. A folder 0 is none.
    /// Into the trash.
    void remove(qint64 conversation);
    void archive(qint64 conversation);
    Q_INVOKABLE void moveTo(qint64 conversation, qint64 folder);
    /// A new folder, with them in it; folderMade() follows.
    Q_INVOKABLE void moveToNewFolder(qint64 conversation, const QString& name);
    Q_INVOKABLE void removeFolder(qint64 folder);
    // These cannot.
    void unarchive(qint64 conversation);
    bool isArchived(qint64 conversation) const;
    /// Of a folder, or of the archive (0).
    Q_INVOKABLE void setOpen(qint64 folder, bool open);
    Q_INVOKABLE void renameFolder(qint64 folder, const QString& name);
    /// Another conversation that begins like this one, up to that message; made() follows.
    void continueInNew(qint64 message);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    void searchTextChanged();
    void emptySentenceChanged();
    void focusedChanged();
    /// Nobody waits for an answer there any more.
    void removing(qint64 conversation);
    void removed(qint64 conversation);
    void selectionChanged();
    void made(qint64 conversation);
    /// Folders, or what belongs to them, are others now.
    void foldersChanged();
    void folderMade(double folder);
    /// It is among the others again.
    void restored(qint64 conversation);
    /// What memory is kept for on the disk: these conversations, and documents that models have read.
    void setChanged(const ingle::protocol::Retain& kept);
    void renamed(qint64 conversation, const QString& title);

  private:
    using Row = ConversationRow;
    using Rows = ConversationRows;

    std::vector<Row>::const_iterator find(qint64 conversation) const;
    bool isAnswering(const Row& row) const { return m_answers.of(row.conversation) != nullptr; }
    void setRows(const Rows& rows);
    /// `then`: once it is done.
    void change(std::function<Status(history::History&)> work, std::function<void()> then = {});
    void tellSelection();
    /// "“A title” deleted" or "3 conversations deleted".
    QString sentence(const std::vector<history::RowId>& conversations, const QString& one,
                     const QString& several) const;

    StorageThread& m_storage;
    storage::RequestId m_reading = 0;  ///< the last refresh
    const RunningAnswers& m_answers;
    Notices& m_notices;
    QTimer m_searchDelay;
    SearchFilters m_filters;
    QString m_searchText;
    std::vector<Row> m_rows;
    bool m_firstReading = true;
    double m_focused = 0;
    std::vector<history::RowId> m_selected;  ///< in the order of the person's choice
};

}  // namespace ingle::desktop
