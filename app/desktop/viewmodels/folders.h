/// The folders of conversations, and what holds in each.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariantList>

#include <vector>

#include "app/desktop/storage_thread.h"
#include "app/desktop/viewmodels/notices.h"
#include "app/desktop/viewmodels/settings.h"

namespace ingle::desktop {

/// A folder is a layer over the settings: what is empty in it has their value. GUI thread.
class Folders : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Of each "id" and "name".
    Q_PROPERTY(QVariantList all READ all NOTIFY changed)
    Q_PROPERTY(QString editedName READ editedName NOTIFY edited)
    Q_PROPERTY(QString editedPrompt MEMBER m_prompt NOTIFY edited)
    /// As a person writes it; empty: as in the settings.
    Q_PROPERTY(QString editedTemperature MEMBER m_temperature NOTIFY edited)
    Q_PROPERTY(QString usualTemperature READ usualTemperature NOTIFY edited)
  public:
    Folders(StorageThread& storage, const Settings& settings, Notices& notices, QObject* parent = nullptr);

    QVariantList all() const;
    QString editedName() const;
    QString usualTemperature() const;

    /// Reads them again.
    void refresh();
    /// What holds in it is shown, to be changed.
    Q_INVOKABLE void edit(qint64 folder);
    /// What was changed holds from now on; stored() follows.
    Q_INVOKABLE void store();

  signals:
    void changed();
    void edited();
    void stored();

  private:
    const history::Folder* find(history::RowId folder) const;

    StorageThread& m_storage;
    const Settings& m_settings;
    Notices& m_notices;
    std::vector<history::Folder> m_folders;
    history::RowId m_edited = 0;
    QString m_prompt;
    QString m_temperature;
};

}  // namespace ingle::desktop
