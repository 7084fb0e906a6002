#include "app/desktop/data/data_feature.h"

namespace ingle::desktop {

using history::RowId;

DataFeature::DataFeature(Services& services, Chats& chats)
    : m_services(services),
      m_chat(chats.kept()),
      m_import(services.storage(), *services.notices(), services.files().dataDir),
      m_export(services.storage(), *services.notices()),
      m_backups(services.storage(), chats.answers(), *services.notices()),
      m_places(services.storage(), services.engine(), *services.notices(), services.files().dataDir,
               services.files().cacheDir) {
    services.opener()->addTaker(
        [this](const Opener::Things& things, const Opener::Rest& rest) { m_import.offer(things, rest); });
    connect(&m_import, &ChatImport::imported, &services, &Services::conversationsChanged);
    connect(&m_import, &ChatImport::takenBack, this, [this](const auto& conversations) {
        for (const RowId each : conversations) m_chat.conversationRemoved(each);
        emit m_services.conversationsChanged();
    });
    connect(&m_backups, &BackupList::restoring, &m_chat, [this] { m_chat.newConversation(); });
    connect(&m_backups, &BackupList::restored, &services, [this] {
        emit m_services.conversationsChanged();
        emit m_services.historyReplaced();
    });
    connect(&m_backups, &BackupList::listChanged, &m_places, &DataPlaces::refresh);
    connect(&m_places, &DataPlaces::backupsRemoved, &m_backups, &BackupList::refresh);
    connect(&m_places, &DataPlaces::documentMemoryUnwanted, &services, &Services::documentMemoryUnwanted);
    connect(&m_import, &ChatImport::wanted, this,
            [this] { emit m_services.actions()->pageWanted("import"); });
    services.actions()->add(table());
}

std::vector<Action> DataFeature::table() {
    using enum ActionScope;
    Actions& actions = *m_services.actions();
    return {
        {"data",
         QT_TRANSLATE_NOOP("Actions", "Your data"),
         "",
         "",
         "data",
         Window,
         {},
         actions.showPage("data")},
        {"importChats", QT_TRANSLATE_NOOP("Actions", "Import chats…"), "", "", "import", Window,
         [this](RowId) { return !m_chat.readOnly(); }, actions.showPage("importFile")},
        {"exportChat", QT_TRANSLATE_NOOP("Actions", "Export the conversation…"), "", "", "export",
         Conversation, [this](RowId conversation) { return conversation != 0 && !m_chat.readOnly(); },
         [this](RowId conversation) {
             emit m_services.actions()->exportWanted(static_cast<double>(conversation));
         }},
        {"exportAll",
         QT_TRANSLATE_NOOP("Actions", "Export all conversations…"),
         "",
         "",
         "export",
         Window,
         {},
         [this](RowId) { emit m_services.actions()->exportWanted(0); }},
        {"backUp", QT_TRANSLATE_NOOP("Actions", "Back up now"), "", "", "", Window,
         [this](RowId) { return !m_backups.busy(); }, [this](RowId) { m_backups.backUp(); }},
    };
}

}  // namespace ingle::desktop
