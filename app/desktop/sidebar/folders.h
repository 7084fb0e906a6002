/// The folders of conversations.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariantList>

#include <vector>

#include "app/desktop/services/storage_thread.h"
#include "app/history/chats/folders.h"

namespace ingle::desktop {

/// GUI thread.
class Folders : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Of each "id" and "name".
    Q_PROPERTY(QVariantList all READ all NOTIFY changed)
  public:
    explicit Folders(StorageThread& storage, QObject* parent = nullptr);

    QVariantList all() const;

    /// Reads them again.
    void refresh();

  signals:
    void changed();

  private:
    StorageThread& m_storage;
    std::vector<history::Folder> m_folders;
};

}  // namespace ingle::desktop
