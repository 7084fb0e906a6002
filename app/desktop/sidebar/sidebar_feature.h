/// The conversations there are, their folders, and what was deleted. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <vector>

#include "app/desktop/services/chats.h"
#include "app/desktop/services/services.h"
#include "app/desktop/sidebar/conversation_list_model.h"
#include "app/desktop/sidebar/folders.h"
#include "app/desktop/sidebar/trash_model.h"

namespace ingle::desktop {

class SidebarFeature : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(ingle::desktop::ConversationListModel* conversations READ conversations CONSTANT)
    Q_PROPERTY(ingle::desktop::Folders* folders READ folders CONSTANT)
    Q_PROPERTY(ingle::desktop::TrashModel* trash READ trash CONSTANT)
  public:
    SidebarFeature(Services& services, Chats& chats);

    ConversationListModel* conversations() { return &m_conversations; }
    Folders* folders() { return &m_folders; }
    TrashModel* trash() { return &m_trash; }

  private:
    std::vector<Action> table();
    std::vector<Action> conversationTable();
    history::RowId shownConversation() const;
    void openNeighbour(int step);

    Services& m_services;
    Chats& m_chats;
    ConversationListModel m_conversations;
    Folders m_folders;
    TrashModel m_trash;
};

}  // namespace ingle::desktop
