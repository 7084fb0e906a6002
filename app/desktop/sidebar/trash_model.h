/// What was deleted and can still be brought back. Read when somebody looks.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include <vector>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/trash/trash.h"

namespace ingle::desktop {

/// How long something stays in the trash.
inline constexpr int kTrashDays = 30;

class TrashModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    /// How long what is in it stays, or that nothing is.
    Q_PROPERTY(QString sentence READ sentence NOTIFY listChanged)
  public:
    enum Role {
        TitleRole = Qt::UserRole,
        DetailRole,  ///< what of it was deleted, and how long it stays
    };

    TrashModel(StorageThread& storage, Notices& notices, QObject* parent = nullptr);

    QString sentence() const;
    Q_INVOKABLE void refresh();
    Q_INVOKABLE void restore(int row);
    /// Everything in it is gone for good.
    Q_INVOKABLE void empty();

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    /// It is among the conversations again.
    void restored(ingle::history::RowId conversation);
    void emptied();

  private:
    void show(std::vector<history::TrashEntry> entries);

    StorageThread& m_storage;
    Notices& m_notices;
    std::vector<history::TrashEntry> m_entries;
};

}  // namespace ingle::desktop
