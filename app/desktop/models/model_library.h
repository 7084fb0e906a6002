/// The models there are, as a list: what is known of each, and whether its file is there and fits. GUI
/// thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QVariantList>
#include <QVariantMap>

#include <map>
#include <string>
#include <vector>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "app/library/library.h"

namespace ingle::desktop {

class ModelLibrary : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    /// Why the bridge, which runs, offers no models of other computers; else empty.
    Q_PROPERTY(QString remoteTrouble READ remoteTrouble NOTIFY listChanged)
    /// Another number whenever an answer of describe() may have changed: for bindings.
    Q_PROPERTY(int revision READ revision NOTIFY described)
  public:
    enum Role {
        ModelIdRole = Qt::UserRole,
        NameRole,
        PathRole,
        CurrentRole,
        DetailsRole,  ///< that it is in memory, what it is, how fast it is said to be and was, and that it
                      ///< does not fit, if it does not
        TroubleRole,  ///< that its file is missing or another one, or why it could not be loaded
        SpokenRole,   ///< the name and whether it is in use, for screen readers
        RemoteRole,   ///< it is on another computer
        PlaceRole,    ///< heading of those; of others empty
    };

    ModelLibrary(StorageThread& storage, EngineClient& engine, ModelInUse& models, Notices& notices,
                 QObject* parent = nullptr);

    QString remoteTrouble() const { return m_remoteTrouble; }
    int revision() const { return m_revision; }
    /// The first whose name has these words; empty: none has.
    Q_INVOKABLE QString firstNamed(const QString& words) const;
    /// Of the model in use; empty: there is none.
    Q_INVOKABLE QString currentId() const;
    /// "name", "trouble", "path", "current", "remote", "facts", of each "name" and "value", and
    /// "visionFiles", of each "name", "path" and "chosen", where there is a choice. The name is empty where
    /// there is no such model.
    Q_INVOKABLE QVariantMap describe(const QString& modelId) const;
    /// Looks at the files of all of them: whether they are there, and fit the memory that is free now; and at
    /// what other computers offer.
    Q_INVOKABLE void look();
    /// Removes it from the library; the file stays.
    Q_INVOKABLE void forget(const QString& modelId);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    void described();

  private:
    void setEntries();
    /// What the rows say.
    void changed();
    void changed(const std::string& modelId);
    /// It has its memory already, beside the model in use.
    bool isInMemory(const library::ModelEntry& entry) const;
    bool isCurrent(const library::ModelEntry& entry) const { return entry.id == m_inUse.current().id; }
    QString details(const library::ModelEntry& entry) const;
    QString trouble(const library::ModelEntry& entry) const;
    void lookBeyond();
    QVariantList facts(const library::ModelEntry& entry) const;
    QVariantList visionFiles(const library::ModelEntry& entry) const;
    void describeAnew();

    StorageThread& m_storage;
    EngineClient& m_engine;
    ModelInUse& m_inUse;
    Notices& m_notices;
    std::vector<library::ModelEntry> m_models;
    QString m_remoteTrouble;
    int m_revision = 0;
    /// What look() found, by ModelEntry::id.
    struct Look {
        library::FileState file = library::FileState::Same;
        MemoryEstimate memory;
    };
    std::map<std::string, Look> m_looks;
    std::string m_alsoLoaded;  ///< path of what is in memory beside the model in use
};

}  // namespace ingle::desktop
