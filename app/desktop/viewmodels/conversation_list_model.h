/// The sidebar: all conversations in date groups, or what a search found.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QTimer>

#include <string>
#include <vector>

#include "app/desktop/running_answers.h"
#include "app/desktop/storage_thread.h"
#include "app/desktop/viewmodels/notices.h"
#include "app/history/history.h"

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
        SpokenRole,     ///< the title and how the conversation stands, for screen readers
    };

    ConversationListModel(StorageThread& storage, const RunningAnswers& answers, Notices& notices,
                          QObject* parent = nullptr);

    QString searchText() const { return m_searchText; }
    void setSearchText(const QString& text);
    QString emptySentence() const;

    /// Reads the list again.
    void refresh();
    /// setChanged() follows.
    void tellSet();

    double focused() const { return m_focused; }
    /// -1: it is not in the list.
    Q_INVOKABLE int rowOf(double conversation) const;
    bool isPinned(qint64 conversation) const;
    void pin(qint64 conversation);
    void unpin(qint64 conversation);
    /// The conversation `step` rows further down, or 0.
    double neighbour(qint64 conversation, int step) const;
    Q_INVOKABLE void rename(qint64 conversation, const QString& title);
    /// Into the trash; can be undone.
    void remove(qint64 conversation);

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
    /// It is among the others again.
    void restored(qint64 conversation);
    /// Others came or went; these are the ones there are.
    void setChanged(const std::vector<std::string>& conversations);
    void renamed(qint64 conversation, const QString& title);

  private:
    struct Row {
        history::RowId conversation = 0;
        history::RowId message = 0;
        QString title;
        QString snippet;  ///< rich text
        QString section;
        bool pinned = false;

        bool operator==(const Row&) const = default;
    };

    std::vector<Row>::const_iterator find(qint64 conversation) const;
    bool isAnswering(const Row& row) const { return m_answers.of(row.conversation) != nullptr; }
    using Rows = std::vector<Row>;

    // These two run on the storage thread.
    static Result<Rows> readAll(history::HistoryReader& history);
    static Result<Rows> readHits(history::HistoryReader& history, const std::string& text);
    void setRows(const Rows& rows);
    /// `then`: once it is done.
    void change(std::function<Status(history::History&)> work, std::function<void()> then = {});

    StorageThread& m_storage;
    storage::RequestId m_reading = 0;  ///< the last refresh
    const RunningAnswers& m_answers;
    Notices& m_notices;
    QTimer m_searchDelay;
    QString m_searchText;
    std::vector<Row> m_rows;
    bool m_firstReading = true;
    double m_focused = 0;
};

}  // namespace ingle::desktop
