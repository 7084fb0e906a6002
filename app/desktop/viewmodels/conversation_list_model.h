/// The sidebar: all conversations in date groups, or what a search found.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QTimer>

#include <vector>

#include "app/desktop/storage_thread.h"
#include "app/desktop/viewmodels/notices.h"
#include "app/history/history.h"

namespace ingle::desktop {

class ConversationListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    Q_PROPERTY(QString searchText READ searchText WRITE setSearchText NOTIFY searchTextChanged)
  public:
    enum Role {
        ConversationIdRole = Qt::UserRole,
        TitleRole,
        SnippetRole,
        SectionRole,
        PinnedRole,
        MessageRole
    };

    ConversationListModel(StorageThread& storage, Notices& notices, QObject* parent = nullptr);

    QString searchText() const { return m_searchText; }
    void setSearchText(const QString& text);

    /// Reads the list again.
    void refresh();

    Q_INVOKABLE void setPinned(qint64 conversation, bool pinned);
    Q_INVOKABLE void togglePinned(qint64 conversation);
    /// The conversation `step` rows further down, or 0.
    Q_INVOKABLE double neighbour(qint64 conversation, int step) const;
    Q_INVOKABLE void rename(qint64 conversation, const QString& title);
    /// Hides it; a toast offers to undo, and some seconds later it is gone for good.
    Q_INVOKABLE void remove(qint64 conversation);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    void searchTextChanged();
    /// Ask the sidebar to take the keyboard: for a search, or for a new title.
    void searchRequested();
    void renameRequested(qint64 conversation);
    void removing(qint64 conversation);
    /// Deleted conversations are gone for good; these are the ones there are.
    void purged(const std::vector<std::string>& conversations);
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

    std::vector<Row>::const_iterator rowOf(qint64 conversation) const;
    void setRows(const std::vector<Row>& rows);
    void change(std::function<Status(history::History&)> work);
    void purge();

    StorageThread& m_storage;
    Notices& m_notices;
    QTimer m_searchDelay;
    QTimer m_purgeDelay;
    QString m_searchText;
    std::vector<Row> m_rows;
};

}  // namespace ingle::desktop
