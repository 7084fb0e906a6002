#include "app/desktop/sidebar/sidebar_feature.h"

namespace ingle::desktop {

using history::RowId;

SidebarFeature::SidebarFeature(Services& services, Chats& chats)
    : m_services(services),
      m_chats(chats),
      m_conversations(services.storage(), chats.answers(), *services.notices()),
      m_folders(services.storage()),
      m_trash(services.storage(), *services.notices()) {
    ShownChat& chat = chats.kept();
    connect(&chat, &ShownChat::listOutdated, &m_conversations, &ConversationListModel::refresh);
    connect(&m_conversations, &ConversationListModel::removing, &chats.answers(),
            [&answers = chats.answers()](RowId conversation) { answers.stop(conversation); });
    connect(&m_conversations, &ConversationListModel::removed, &chat, &ShownChat::conversationRemoved);
    connect(&m_conversations, &ConversationListModel::renamed, &chat, &ShownChat::conversationRenamed);
    connect(&m_conversations, &ConversationListModel::restored, &chat, &ShownChat::open);
    connect(&m_conversations, &ConversationListModel::made, &chat, &ShownChat::open);
    connect(&m_conversations, &ConversationListModel::foldersChanged, &chat, &ShownChat::readProfile);
    connect(&m_conversations, &ConversationListModel::foldersChanged, &m_folders, &Folders::refresh);
    connect(&m_conversations, &ConversationListModel::setChanged, &services.engine(), &EngineClient::retain);
    connect(&services, &Services::keptDocumentsChanged, &m_conversations, &ConversationListModel::tellSet);
    connect(&m_trash, &TrashModel::restored, this, [this](RowId conversation) {
        m_conversations.refresh();
        m_conversations.tellSet();
        m_chats.kept().showAgain(conversation);
    });
    connect(&services, &Services::conversationsChanged, this, [this] {
        m_conversations.refresh();
        m_conversations.tellSet();
        m_folders.refresh();
    });
    connect(&services, &Services::languageChanged, &m_conversations, &ConversationListModel::refresh);
    connect(&services, &Services::historyLost, &m_conversations, &ConversationListModel::refresh);

    Actions& actions = *services.actions();
    actions.setTarget(ActionScope::Conversation, [this] { return shownConversation(); });
    actions.setTarget(ActionScope::Selection, [this] {
        const auto selected = static_cast<RowId>(m_conversations.firstSelected());
        return selected != 0 ? selected : shownConversation();
    });
    actions.setCount(
        [this](RowId target) { return static_cast<int>(m_conversations.affected(target).size()); });
    actions.add(table());
    actions.add(conversationTable());
    connect(&m_conversations, &ConversationListModel::listChanged, &actions, &Actions::refresh);
    connect(&m_conversations, &ConversationListModel::focusedChanged, &actions, &Actions::refresh);
    connect(&m_conversations, &ConversationListModel::selectionChanged, &actions, &Actions::refresh);
}

/// That of the row that has the keyboard comes before the one in view.
RowId SidebarFeature::shownConversation() const {
    // A private chat is none of those in the list.
    if (m_chats.isPrivate()) return 0;
    const double focused = m_conversations.focused();
    return static_cast<RowId>(focused != 0 ? focused : m_chats.kept().conversationId());
}

void SidebarFeature::openNeighbour(int step) {
    ShownChat& chat = m_chats.kept();
    const auto next =
        static_cast<qint64>(m_conversations.neighbour(static_cast<qint64>(chat.conversationId()), step));
    if (next != 0) chat.open(next);
}

std::vector<Action> SidebarFeature::table() {
    using enum ActionScope;
    Actions& actions = *m_services.actions();
    return {
        {"search",
         QT_TRANSLATE_NOOP("Actions", "Search"),
         "Ctrl+Shift+F",
         "",
         "search",
         Window,
         {},
         actions.showPage("search")},
        {"otherConversations", QT_TRANSLATE_NOOP("Actions", "Next and previous conversation"), "Alt+↓ Alt+↑",
         "", "", Field},
        {"nextConversation",
         QT_TRANSLATE_NOOP("Actions", "Next conversation"),
         "",
         "Alt+Down",
         "",
         Window,
         {},
         [this](RowId) { openNeighbour(1); }},
        {"previousConversation",
         QT_TRANSLATE_NOOP("Actions", "Previous conversation"),
         "",
         "Alt+Up",
         "",
         Window,
         {},
         [this](RowId) { openNeighbour(-1); }},
        {"trash",
         QT_TRANSLATE_NOOP("Actions", "Trash"),
         "",
         "",
         "trash",
         Window,
         {},
         actions.showPage("trash")},
    };
}

std::vector<Action> SidebarFeature::conversationTable() {
    using enum ActionScope;
    const auto isMine = [this](RowId conversation) {
        return conversation != 0 && !m_chats.kept().readOnly();
    };
    const auto canPin = [this, isMine](RowId conversation) {
        return isMine(conversation) && !m_conversations.isPinned(conversation);
    };
    const auto canUnpin = [this, isMine](RowId conversation) {
        return isMine(conversation) && m_conversations.isPinned(conversation);
    };
    const auto canArchive = [this, isMine](RowId conversation) {
        return isMine(conversation) && !m_conversations.isArchived(conversation);
    };
    const auto canUnarchive = [this, isMine](RowId conversation) {
        return isMine(conversation) && m_conversations.isArchived(conversation);
    };
    return {
        {"rename", QT_TRANSLATE_NOOP("Actions", "Rename the conversation"), "F2", "", "pencil", Conversation,
         isMine,
         [this](RowId conversation) {
             emit m_services.actions()->renameWanted(static_cast<double>(conversation));
         }},
        {"pin", QT_TRANSLATE_NOOP("Actions", "Pin the conversation"), "Ctrl+D", "", "pin", Selection, canPin,
         [this](RowId conversation) { m_conversations.setPinned(conversation, true); },
         QT_TRANSLATE_N_NOOP("Actions", "Pin %n conversations")},
        {"unpin", QT_TRANSLATE_NOOP("Actions", "Unpin the conversation"), "", "Ctrl+D", "pin", Selection,
         canUnpin, [this](RowId conversation) { m_conversations.setPinned(conversation, false); },
         QT_TRANSLATE_N_NOOP("Actions", "Unpin %n conversations")},
        {"remove", QT_TRANSLATE_NOOP("Actions", "Delete the conversation"), "Ctrl+Shift+Backspace", "",
         "trash", Selection, isMine, [this](RowId conversation) { m_conversations.remove(conversation); },
         QT_TRANSLATE_N_NOOP("Actions", "Delete %n conversations")},
        {"archive", QT_TRANSLATE_NOOP("Actions", "Archive the conversation"), "Ctrl+E", "", "archive",
         Selection, canArchive, [this](RowId conversation) { m_conversations.archive(conversation); },
         QT_TRANSLATE_N_NOOP("Actions", "Archive %n conversations")},
        {"unarchive", QT_TRANSLATE_NOOP("Actions", "Take the conversation out of the archive"), "", "Ctrl+E",
         "archive", Selection, canUnarchive,
         [this](RowId conversation) { m_conversations.unarchive(conversation); },
         QT_TRANSLATE_N_NOOP("Actions", "Take %n conversations out of the archive")},
        {"moveToFolder", QT_TRANSLATE_NOOP("Actions", "Move to a folder…"), "", "", "folder", Selection,
         isMine,
         [this](RowId conversation) {
             emit m_services.actions()->folderWanted(static_cast<double>(conversation));
         }},
        {"continueInNew", QT_TRANSLATE_NOOP("Actions", "Continue here in a new chat"), "", "", "branch",
         Message, [this](RowId message) { return !m_chats.isPrivate() && m_chats.kept().canRemove(message); },
         [this](RowId message) { m_conversations.continueInNew(message); }},
    };
}

}  // namespace ingle::desktop
