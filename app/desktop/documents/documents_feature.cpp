#include "app/desktop/documents/documents_feature.h"

namespace ingle::desktop {

using history::RowId;

DocumentsFeature::DocumentsFeature(Services& services, Chats& chats)
    : m_services(services),
      m_chats(chats),
      m_shelf(services.storage(), services.engine(), *services.model(), *services.opener(), chats.kept(),
              *services.notices(), services.files().cacheDir),
      m_ofChat(m_shelf),
      m_quotes(services.storage(), chats.kept(), *services.notices()) {
    services.opener()->addTaker([this](const Opener::Things& things, const Opener::Rest&) {
        if (!m_chats.isPrivate()) return m_shelf.offer(things);
        m_services.notices()->showToast(tr("Documents are kept, so a private chat has none."));
    });
    connect(&m_shelf, &DocumentShelf::inChatChanged, &chats.kept(), &ShownChat::documentsChanged);
    connect(&m_shelf, &DocumentShelf::keptChanged, &services, &Services::keptDocumentsChanged);
    connect(&services, &Services::historyReplaced, &m_shelf, &DocumentShelf::refresh);
    connect(&services, &Services::documentMemoryUnwanted, &m_shelf, &DocumentShelf::forgetAll);
    connect(&services, &Services::languageChanged, &m_shelf, &DocumentShelf::refresh);
    services.actions()->add(table());
    connect(&m_shelf, &DocumentShelf::opened, services.actions(),
            [this] { m_services.actions()->run("documents"); });
    connect(&m_quotes, &QuoteFinder::found, services.actions(),
            [this] { emit m_services.actions()->pageWanted("quotes"); });
    connect(&m_shelf, &DocumentShelf::listChanged, services.actions(), &Actions::refresh);
}

std::vector<Action> DocumentsFeature::table() {
    using enum ActionScope;
    return {
        {"documents",
         QT_TRANSLATE_NOOP("Actions", "Documents"),
         "Ctrl+Shift+O",
         "",
         "file",
         Window,
         {},
         m_services.actions()->showPage("documents")},
        {"findQuotes", QT_TRANSLATE_NOOP("Actions", "Find its quotes in the documents"), "", "", "file",
         Message,
         [this](RowId message) {
             return !m_chats.isPrivate() && m_ofChat.rowCount() > 0 && m_quotes.canFind(message);
         },
         [this](RowId message) { m_quotes.find(message); }},
    };
}

}  // namespace ingle::desktop
