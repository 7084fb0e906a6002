#include "app/desktop/shell/actions.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QVariantMap>
#include <QWindow>

#include <algorithm>

#include "app/desktop/shell/app_model.h"
#include "app/desktop/shell/synonyms.h"

namespace ingle::desktop {
namespace {

using history::RowId;

constexpr const char* kContext = "Actions";
#define WORDS(text) QT_TRANSLATE_NOOP("Actions", text)

/// That of the row that has the keyboard comes before the one in view.
RowId shownOr(AppModel& app, RowId conversation) {
    if (conversation != 0) return conversation;
    // A private chat is none of those in the list.
    if (app.secret()->isShown()) return 0;
    const double focused = app.conversations()->focused();
    return static_cast<RowId>(focused != 0 ? focused : app.chat()->conversationId());
}
/// The selected ones come before both: what is done to one of them is done to all.
RowId selectedOr(AppModel& app, RowId conversation) {
    const auto selected = static_cast<RowId>(app.conversations()->firstSelected());
    return conversation == 0 && selected != 0 ? selected : shownOr(app, conversation);
}
RowId lastOr(AppModel& app, RowId message) {
    return message != 0 ? message : app.chat()->messages()->lastId();
}
RowId questionOr(AppModel& app, RowId message) {
    return message != 0 ? message : static_cast<RowId>(app.chat()->messages()->lastQuestion());
}
/// It can be renamed and exported.
bool isMine(AppModel& app, RowId conversation) {
    return shownOr(app, conversation) != 0 && !app.page()->chat()->readOnly();
}
/// They can be pinned, moved and deleted.
bool areMine(AppModel& app, RowId conversation) {
    return selectedOr(app, conversation) != 0 && !app.page()->chat()->readOnly();
}
bool arePinned(AppModel& app, RowId conversation) {
    return app.conversations()->isPinned(selectedOr(app, conversation));
}
bool areArchived(AppModel& app, RowId conversation) {
    return app.conversations()->isArchived(selectedOr(app, conversation));
}
bool hasMessage(AppModel& app, RowId message) {
    return app.chat()->messages()->find(lastOr(app, message)) != nullptr;
}
template <int Step>
void openNeighbour(AppModel& app, RowId) {
    const auto shown = static_cast<qint64>(app.page()->chat()->conversationId());
    const auto next = static_cast<qint64>(app.conversations()->neighbour(shown, Step));
    if (next != 0) app.page()->chat()->open(next);
}
/// Something that the window itself has to show.
template <Actions::View Which>
void show(AppModel& app, RowId) {
    emit app.actions()->viewWanted(Which);
}

constexpr auto kWindow = ActionScope::Window;
constexpr auto kConversation = ActionScope::Conversation;
constexpr auto kMessage = ActionScope::Message;
constexpr auto kField = ActionScope::Field;

// The guide tells the first three columns: resources/guide/facts.py reads them here.
const Action kActions[] = {
    {"send", WORDS("Send"), WORDS("Enter"), "", "send", kField, nullptr, nullptr},
    {"newLine", WORDS("New line"), WORDS("Shift+Enter"), "", "", kField, nullptr, nullptr},
    {"stop", WORDS("Stop the answer"), "Esc", "", "stop", kWindow,
     [](AppModel& app, RowId) { return app.chat()->generation() != ChatController::Idle; },
     [](AppModel& app, RowId) { app.chat()->stop(); }},
    {"continueAnswer", WORDS("Continue the answer"), "Ctrl+G", "", "play", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->canContinue(lastOr(app, message)); },
     [](AppModel& app, RowId message) { app.chat()->continueAnswer(lastOr(app, message)); }},
    {"regenerate", WORDS("Another answer"), "Ctrl+R", "", "refresh", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->canRegenerate(lastOr(app, message)); },
     [](AppModel& app, RowId message) { app.chat()->regenerate(lastOr(app, message)); }},
    {"checkAnswer", WORDS("Check the answer"), "", "", "check", kMessage,
     [](AppModel& app, RowId message) { return app.check()->canCheck(lastOr(app, message)); },
     [](AppModel& app, RowId message) { app.check()->check(lastOr(app, message)); }},
    {"findQuotes", WORDS("Find its quotes in the documents"), "", "", "file", kMessage,
     [](AppModel& app, RowId message) {
         return app.chatDocuments()->rowCount() > 0 && app.quotes()->canFind(lastOr(app, message));
     },
     [](AppModel& app, RowId message) { app.quotes()->find(lastOr(app, message)); }},
    {"copyAnswer", WORDS("Copy the answer"), "Ctrl+Shift+C", "", "copy", kMessage, hasMessage,
     [](AppModel& app, RowId message) { app.portal()->copy(app.chat()->messageText(lastOr(app, message))); }},
    {"editMessage", WORDS("Edit and ask again"), "", "", "pencil", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->canEdit(questionOr(app, message)); },
     [](AppModel& app, RowId message) { app.chat()->messages()->edit(questionOr(app, message)); }},
    {"editLast", WORDS("Change the last message"), "↑", "", "", kField, nullptr, nullptr},
    {"previousVersion", WORDS("Previous version"), "", "", "chevron-left", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->canShowSibling(lastOr(app, message), -1); },
     [](AppModel& app, RowId message) { app.chat()->showSibling(lastOr(app, message), -1); }},
    {"nextVersion", WORDS("Next version"), "", "", "chevron-right", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->canShowSibling(lastOr(app, message), 1); },
     [](AppModel& app, RowId message) { app.chat()->showSibling(lastOr(app, message), 1); }},
    {"pinMessage", WORDS("Keep the message in the model's view"), "", "", "pin", kMessage,
     [](AppModel& app, RowId message) {
         return hasMessage(app, message) && !app.chat()->isPinned(lastOr(app, message));
     },
     [](AppModel& app, RowId message) { app.chat()->setPinned(lastOr(app, message), true); }},
    {"unpinMessage", WORDS("Let the message go when the chat gets long"), "", "", "pin-filled", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->isPinned(lastOr(app, message)); },
     [](AppModel& app, RowId message) { app.chat()->setPinned(lastOr(app, message), false); }},
    {"newConversation", WORDS("New conversation"), "Ctrl+N", "", "plus", kWindow, nullptr,
     [](AppModel& app, RowId) {
         app.page()->chat()->newConversation();
         emit app.actions()->viewWanted(Actions::ComposerView);
     }},
    {"privateChat", WORDS("Private chat"), "Ctrl+Shift+N", "", "private", kWindow,
     [](AppModel& app, RowId) { return !app.secret()->isShown(); },
     [](AppModel& app, RowId) {
         app.secret()->show();
         emit app.actions()->viewWanted(Actions::ComposerView);
     }},
    {"closePrivateChat", WORDS("Close the private chat"), "", "", "close", kWindow,
     [](AppModel& app, RowId) { return app.secret()->isOpen(); },
     [](AppModel& app, RowId) {
         app.secret()->close();
         emit app.actions()->viewWanted(Actions::ComposerView);
     }},
    {"search", WORDS("Search"), "Ctrl+Shift+F", "", "search", kWindow, nullptr, show<Actions::SearchView>},
    {"find", WORDS("Find in this conversation"), "Ctrl+F", "", "search", kWindow,
     [](AppModel& app, RowId) { return app.finder()->canOpen(); },
     [](AppModel& app, RowId) { app.finder()->ask(); }},
    {"findNext", WORDS("Next place found"), "F3", "", "", kWindow,
     [](AppModel& app, RowId) { return app.finder()->canOpen(); },
     [](AppModel& app, RowId) { app.finder()->step(1); }},
    {"findPrevious", WORDS("Previous place found"), "Shift+F3", "", "", kWindow,
     [](AppModel& app, RowId) { return app.finder()->canOpen(); },
     [](AppModel& app, RowId) { app.finder()->step(-1); }},
    {"otherConversations", WORDS("Next and previous conversation"), "Alt+↓ Alt+↑", "", "", kField, nullptr,
     nullptr},
    {"nextConversation", WORDS("Next conversation"), "", "Alt+Down", "", kWindow, nullptr, openNeighbour<1>},
    {"previousConversation", WORDS("Previous conversation"), "", "Alt+Up", "", kWindow, nullptr,
     openNeighbour<-1>},
    {"rename", WORDS("Rename the conversation"), "F2", "", "pencil", kConversation, isMine,
     [](AppModel& app, RowId conversation) {
         emit app.actions()->renameWanted(static_cast<double>(shownOr(app, conversation)));
     }},
    {"pin", WORDS("Pin the conversation"), "Ctrl+D", "", "pin", kConversation,
     [](AppModel& app, RowId conversation) {
         return areMine(app, conversation) && !arePinned(app, conversation);
     },
     [](AppModel& app, RowId conversation) { app.conversations()->setPinned(selectedOr(app, conversation), true); }},
    {"unpin", WORDS("Unpin the conversation"), "", "Ctrl+D", "pin", kConversation,
     [](AppModel& app, RowId conversation) {
         return areMine(app, conversation) && arePinned(app, conversation);
     },
     [](AppModel& app, RowId conversation) { app.conversations()->setPinned(selectedOr(app, conversation), false); }},
    {"remove", WORDS("Delete the conversation"), "Ctrl+Shift+Backspace", "", "trash", kConversation, areMine,
     [](AppModel& app, RowId conversation) { app.conversations()->remove(selectedOr(app, conversation)); }},
    {"archive", WORDS("Archive the conversation"), "Ctrl+E", "", "archive", kConversation,
     [](AppModel& app, RowId conversation) {
         return areMine(app, conversation) && !areArchived(app, conversation);
     },
     [](AppModel& app, RowId conversation) { app.conversations()->archive(selectedOr(app, conversation)); }},
    {"unarchive", WORDS("Take the conversation out of the archive"), "", "Ctrl+E", "archive", kConversation,
     [](AppModel& app, RowId conversation) {
         return areMine(app, conversation) && areArchived(app, conversation);
     },
     [](AppModel& app, RowId conversation) { app.conversations()->unarchive(selectedOr(app, conversation)); }},
    {"moveToFolder", WORDS("Move to a folder…"), "", "", "folder", kConversation, areMine,
     [](AppModel& app, RowId conversation) {
         emit app.actions()->folderWanted(static_cast<double>(selectedOr(app, conversation)));
     }},
    {"continueInNew", WORDS("Continue here in a new chat"), "", "", "branch", kMessage,
     [](AppModel& app, RowId message) {
         return !app.secret()->isShown() && app.chat()->canRemove(lastOr(app, message));
     },
     [](AppModel& app, RowId message) { app.conversations()->continueInNew(lastOr(app, message)); }},
    {"removeMessage", WORDS("Delete the message"), "", "", "trash", kMessage,
     [](AppModel& app, RowId message) { return app.chat()->canRemove(lastOr(app, message)); },
     [](AppModel& app, RowId message) { app.chat()->remove(lastOr(app, message)); }},
    {"prompt", WORDS("What the model sees"), "Ctrl+I", "", "", kWindow, nullptr,
     [](AppModel& app, RowId) { app.shownPage()->prompt()->open(); }},
    {"chatSettings", WORDS("Settings of this chat…"), "Ctrl+.", "", "settings", kWindow,
     [](AppModel& app, RowId) { return !app.chat()->readOnly(); },
     [](AppModel& app, RowId) { app.shownPage()->profiles()->editConversation(); }},
    {"modelSettings", WORDS("Settings of this model…"), "", "", "settings", kWindow,
     [](AppModel& app, RowId) { return !app.models()->current().id.empty() && !app.models()->isRemote(); },
     [](AppModel& app, RowId) { app.shownPage()->profiles()->editModel(); }},
    {"exportChat", WORDS("Export the conversation…"), "", "", "export", kConversation, isMine,
     [](AppModel& app, RowId conversation) {
         emit app.actions()->exportWanted(static_cast<double>(shownOr(app, conversation)));
     }},
    {"trash", WORDS("Trash"), "", "", "trash", kWindow, nullptr, show<Actions::TrashView>},
    {"undo", WORDS("Undo the last deletion or change"), "Ctrl+Z", "", "", kWindow,
     [](AppModel& app, RowId) { return app.notices()->canUndo(); },
     [](AppModel& app, RowId) { app.notices()->undoLast(); }},
    {"models", WORDS("Models"), "Ctrl+L", "", "model", kWindow, nullptr, show<Actions::ModelsView>},
    {"modelBefore", WORDS("Use the model used before"), "Ctrl+Shift+L", "", "model", kWindow,
     [](AppModel& app, RowId) { return app.models()->canUseBefore(); },
     [](AppModel& app, RowId) { app.models()->useBefore(); }},
    {"openModel", WORDS("Open a model…"), "Ctrl+O", "", "file", kWindow, nullptr,
     show<Actions::OpenFileView>},
    {"documents", WORDS("Documents"), "Ctrl+Shift+O", "", "file", kWindow, nullptr,
     show<Actions::DocumentsView>},
    {"prompts", WORDS("Your prompts"), "", "", "pencil", kWindow, nullptr, show<Actions::PromptsView>},
    {"data", WORDS("Your data"), "", "", "data", kWindow, nullptr, show<Actions::DataView>},
    {"importChats", WORDS("Bring in chats of another program…"), "", "", "import", kWindow,
     [](AppModel& app, RowId) { return !app.page()->chat()->readOnly(); }, show<Actions::ImportFileView>},
    {"exportAll", WORDS("Export all conversations…"), "", "", "export", kWindow, nullptr,
     [](AppModel& app, RowId) { emit app.actions()->exportWanted(0); }},
    {"backUp", WORDS("Back up now"), "", "", "", kWindow,
     [](AppModel& app, RowId) { return !app.backups()->busy(); },
     [](AppModel& app, RowId) { app.backups()->backUp(); }},
    {"settings", WORDS("Settings"), "Ctrl+,", "", "settings", kWindow, nullptr, show<Actions::SettingsView>},
    {"largerText", WORDS("Larger text"), "Ctrl++", "Ctrl+=", "", kWindow, nullptr,
     [](AppModel& app, RowId) { app.settings()->stepTextScale(1); }},
    {"smallerText", WORDS("Smaller text"), "Ctrl+-", "", "", kWindow, nullptr,
     [](AppModel& app, RowId) { app.settings()->stepTextScale(-1); }},
    {"usualText", WORDS("Usual text size"), "Ctrl+0", "", "", kWindow, nullptr,
     [](AppModel& app, RowId) { app.settings()->setTextScale(100); }},
    {"help", WORDS("Help"), "F1", "", "", kWindow, nullptr, show<Actions::HelpView>},
    {"palette", WORDS("All actions"), "Ctrl+K", "Ctrl+Shift+P", "", kWindow, nullptr,
     show<Actions::PaletteView>},
    {"shortcuts", WORDS("All shortcuts"), "Ctrl+/", "", "", kWindow, nullptr, show<Actions::ShortcutsView>},
    {"quit", WORDS("Quit"), "Ctrl+Q", "", "close", kWindow, nullptr,
     [](AppModel&, RowId) {
         for (QWindow* window : QGuiApplication::topLevelWindows()) window->close();
     }},
};
#undef WORDS

QString words(const Action& action) {
    return QCoreApplication::translate(kContext, action.words);
}
QString keys(const Action& action) {
    return QCoreApplication::translate(kContext, action.keys);
}

QStringList sequences(const Action& action) {
    QStringList all = QString(action.moreKeys).split(' ', Qt::SkipEmptyParts);
    if (action.keys[0] != 0) all.prepend(action.keys);
    return all;
}

QVariantMap described(const Action& action) {
    return {{"id", action.id},
            {"words", words(action)},
            {"keys", keys(action)},
            {"icon", action.icon},
            {"sequences", sequences(action)}};
}

const Action* find(const QString& id) {
    const auto found =
        std::ranges::find_if(kActions, [&id](const Action& each) { return id == QLatin1String(each.id); });
    return found == std::end(kActions) ? nullptr : found;
}

}  // namespace

std::span<const Action> allActions() {
    return kActions;
}

Actions::Actions(AppModel& app, QObject* parent) : QObject(parent), m_app(app) {
    const auto bump = [this] {
        ++m_revision;
        emit changed();
    };
    const auto follow = [this, bump](ChatPage& page) {
        connect(page.chat(), &ChatController::generationChanged, this, bump);
        connect(page.chat(), &ChatController::conversationChanged, this, bump);
        connect(page.chat(), &ChatController::readOnlyChanged, this, bump);
        connect(page.chat()->messages(), &ChatRows::messagesChanged, this, bump);
    };
    follow(*app.page());
    connect(app.secret(), &PrivateChat::openChanged, this, [this, follow, bump] {
        if (m_app.secret()->isOpen()) follow(*m_app.secret()->page());
        bump();
    });
    connect(app.secret(), &PrivateChat::shownChanged, this, bump);
    connect(app.models(), &ModelListModel::stateChanged, this, bump);
    connect(app.conversations(), &ConversationListModel::listChanged, this, bump);
    connect(app.conversations(), &ConversationListModel::focusedChanged, this, bump);
    connect(app.conversations(), &ConversationListModel::selectionChanged, this, bump);
    connect(app.documents(), &DocumentShelf::listChanged, this, bump);
    connect(app.notices(), &Notices::undosChanged, this, bump);
}

template <typename Condition>
QVariantList Actions::listed(const Condition& condition) const {
    QVariantList list;
    for (const Action& each : kActions) {
        if (condition(each)) list.append(described(each));
    }
    return list;
}

QVariantList Actions::withKeys() const {
    return listed([](const Action& each) { return each.keys[0] != 0; });
}

QVariantList Actions::shortcuts() const {
    return listed([](const Action& each) { return each.run != nullptr && !sequences(each).isEmpty(); });
}

bool Actions::can(const Action& action, qint64 target) const {
    return action.run != nullptr && (action.enabled == nullptr || action.enabled(m_app, target));
}

bool Actions::can(const QString& id, qint64 target) const {
    const Action* action = desktop::find(id);
    return action != nullptr && can(*action, target);
}

void Actions::run(const QString& id, qint64 target) {
    const Action* action = desktop::find(id);
    if (action != nullptr && can(*action, target)) action->run(m_app, target);
}

QString Actions::hint(const QString& id) const {
    const Action* action = desktop::find(id);
    if (action == nullptr) return {};
    return action->keys[0] == 0 ? words(*action) : tr("%1 (%2)").arg(words(*action), keys(*action));
}

QVariantList Actions::ofConversation(qint64 conversation) const {
    return listed([&](const Action& each) {
        return each.scope == ActionScope::Conversation && can(each, conversation);
    });
}

QVariantList Actions::ofMessage(qint64 message) const {
    return listed(
        [&](const Action& each) { return each.scope == ActionScope::Message && can(each, message); });
}

QVariantList Actions::find(const QString& text) const {
    const QStringList wanted = text.split(' ', Qt::SkipEmptyParts);
    const auto hasAll = [&](const QString& name) {
        return std::ranges::all_of(
            wanted, [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
    };
    const auto isNamed = [&](const Action& each) { return hasAll(words(each)); };
    return listed([&](const Action& each) { return can(each, 0) && isNamed(each); }) +
           listed([&](const Action& each) {
               return can(each, 0) && !isNamed(each) && hasAll(words(each) + ' ' + synonymsOf(each.id));
           });
}

}  // namespace ingle::desktop
