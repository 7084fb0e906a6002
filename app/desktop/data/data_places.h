/// Where every byte that Inglenook keeps lies, and removing it. Measured when somebody looks. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include <string>
#include <vector>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "app/storage/data_places.h"

namespace ingle::desktop {

class DataPlaces : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    /// What all of it takes.
    Q_PROPERTY(QString sentence READ sentence NOTIFY listChanged)
  public:
    enum Role {
        TitleRole = Qt::UserRole,  ///< what it is
        SizeRole,
        PathRole,
        PriceRole,  ///< what removing it costs; empty: it cannot be removed here
    };

    /// `cacheDir`: empty for none.
    DataPlaces(StorageThread& storage, EngineClient& engine, Notices& notices, std::string dataDir,
               std::string cacheDir, QObject* parent = nullptr);

    QString sentence() const;
    Q_INVOKABLE void refresh();
    Q_INVOKABLE void remove(int row);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    void backupsRemoved();
    /// What models have read of documents is to go.
    void documentMemoryUnwanted();

  private:
    void forgetChats();

    StorageThread& m_storage;
    EngineClient& m_engine;
    Notices& m_notices;
    storage::DataFolders m_folders;
    std::vector<storage::DataPlace> m_places;
};

}  // namespace ingle::desktop
