/// What belongs to the person: chats that come in and go out, backups, and where every byte lies. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <vector>

#include "app/desktop/data/backup_list.h"
#include "app/desktop/data/chat_export.h"
#include "app/desktop/data/chat_import.h"
#include "app/desktop/data/data_places.h"
#include "app/desktop/services/chats.h"
#include "app/desktop/services/services.h"

namespace ingle::desktop {

class DataFeature : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(ingle::desktop::ChatImport* chatImport READ chatImport CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatExport* chatExport READ chatExport CONSTANT)
    Q_PROPERTY(ingle::desktop::BackupList* backups READ backups CONSTANT)
    Q_PROPERTY(ingle::desktop::DataPlaces* places READ places CONSTANT)
  public:
    DataFeature(Services& services, Chats& chats);

    ChatImport* chatImport() { return &m_import; }
    ChatExport* chatExport() { return &m_export; }
    BackupList* backups() { return &m_backups; }
    DataPlaces* places() { return &m_places; }

  private:
    std::vector<Action> table();

    Services& m_services;
    ShownChat& m_chat;
    ChatImport m_import;
    ChatExport m_export;
    BackupList m_backups;
    DataPlaces m_places;
};

}  // namespace ingle::desktop
