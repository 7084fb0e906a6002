/// What can be done in a chat.
#include <QtGlobal>

#include "app/desktop/chat/chat_feature.h"

namespace ingle::desktop {

using history::RowId;

// The guide tells the first three columns: resources/guide/facts.py reads them here.
std::vector<Action> ChatFeature::answerTable() {
    using enum ActionScope;
    const auto has = [this](RowId message) { return chat()->message(message) != nullptr; };
    return {
        {"send", QT_TRANSLATE_NOOP("Actions", "Send"), "Enter", "", "send", Field},
        {"newLine", QT_TRANSLATE_NOOP("Actions", "New line"), "Shift+Enter", "", "", Field},
        {"stop", QT_TRANSLATE_NOOP("Actions", "Stop the answer"), "Esc", "", "stop", Chat,
         [this](RowId) { return chat()->generation() != ChatController::Idle; },
         [this](RowId) { chat()->stop(); }},
        {"continueAnswer", QT_TRANSLATE_NOOP("Actions", "Continue the answer"), "Ctrl+G", "", "play", Message,
         [this](RowId message) { return chat()->canContinue(message); },
         [this](RowId message) { chat()->continueAnswer(message); }},
        {"regenerate", QT_TRANSLATE_NOOP("Actions", "Another answer"), "Ctrl+R", "", "refresh", Message,
         [this](RowId message) { return chat()->canRegenerate(message); },
         [this](RowId message) { chat()->regenerate(message); }},
        {"regenerateWith", QT_TRANSLATE_NOOP("Actions", "Another answer by another model…"), "", "", "model",
         Message, [this](RowId message) { return chat()->canRegenerate(message); },
         [this](RowId message) { emit chat()->otherModelWanted(static_cast<double>(message)); }},
        {"checkAnswer", QT_TRANSLATE_NOOP("Actions", "Check the answer"), "", "", "check", Message,
         [this](RowId message) { return shownPage()->check()->canCheck(message); },
         [this](RowId message) { shownPage()->check()->check(message); }},
        {"copyAnswer", QT_TRANSLATE_NOOP("Actions", "Copy the answer"), "Ctrl+Shift+C", "", "copy", Message,
         has, [this](RowId message) { m_services.portal()->copy(chat()->messageText(message)); }},
        {"editMessage", QT_TRANSLATE_NOOP("Actions", "Edit and ask again"), "", "", "pencil", Question,
         [this](RowId message) { return chat()->canEdit(message); },
         [this](RowId message) { chat()->messages()->edit(message); }},
        {"editLast", QT_TRANSLATE_NOOP("Actions", "Change the last message"), "↑", "", "", Field},
        {"previousVersion", QT_TRANSLATE_NOOP("Actions", "Previous version"), "", "", "chevron-left", Message,
         [this](RowId message) { return chat()->canShowSibling(message, -1); },
         [this](RowId message) { chat()->showSibling(message, -1); }},
        {"nextVersion", QT_TRANSLATE_NOOP("Actions", "Next version"), "", "", "chevron-right", Message,
         [this](RowId message) { return chat()->canShowSibling(message, 1); },
         [this](RowId message) { chat()->showSibling(message, 1); }},
        {"pinMessage", QT_TRANSLATE_NOOP("Actions", "Pin in context"), "", "", "pin", Message,
         [this, has](RowId message) { return has(message) && !chat()->isPinned(message); },
         [this](RowId message) { chat()->setPinned(message, true); }},
        {"unpinMessage", QT_TRANSLATE_NOOP("Actions", "Unpin from context"), "", "", "pin-filled", Message,
         [this](RowId message) { return chat()->isPinned(message); },
         [this](RowId message) { chat()->setPinned(message, false); }},
        {"removeMessage", QT_TRANSLATE_NOOP("Actions", "Delete the message"), "", "", "trash", Message,
         [this](RowId message) { return chat()->canRemove(message); },
         [this](RowId message) { chat()->remove(message); }},
    };
}

std::vector<Action> ChatFeature::table() {
    using enum ActionScope;
    Actions& actions = *m_services.actions();
    const auto toComposer = actions.showPage("composer");
    const auto canFind = [this](RowId) { return shownPage()->finder()->canOpen(); };
    return {
        {"newConversation",
         QT_TRANSLATE_NOOP("Actions", "New conversation"),
         "Ctrl+N",
         "",
         "plus",
         Window,
         {},
         [this, toComposer](RowId) {
             m_page.chat()->newConversation();
             toComposer(0);
         }},
        {"privateChat", QT_TRANSLATE_NOOP("Actions", "Private chat"), "Ctrl+Shift+N", "", "private", Window,
         [this](RowId) { return !m_secret.isShown(); },
         [this, toComposer](RowId) {
             m_secret.show();
             toComposer(0);
         }},
        {"closePrivateChat", QT_TRANSLATE_NOOP("Actions", "Close the private chat"), "", "", "close", Window,
         [this](RowId) { return m_secret.isOpen(); },
         [this, toComposer](RowId) {
             m_secret.close();
             toComposer(0);
         }},
        {"find", QT_TRANSLATE_NOOP("Actions", "Find in this conversation"), "Ctrl+F", "", "search", Chat,
         canFind, [this](RowId) { shownPage()->finder()->ask(); }},
        {"findNext", QT_TRANSLATE_NOOP("Actions", "Next place found"), "F3", "", "", Chat, canFind,
         [this](RowId) { shownPage()->finder()->step(1); }},
        {"findPrevious", QT_TRANSLATE_NOOP("Actions", "Previous place found"), "Shift+F3", "", "", Chat,
         canFind, [this](RowId) { shownPage()->finder()->step(-1); }},
        {"prompt",
         QT_TRANSLATE_NOOP("Actions", "What the model sees"),
         "Ctrl+I",
         "",
         "",
         Chat,
         {},
         [this](RowId) { shownPage()->prompt()->open(); }},
        {"chatSettings", QT_TRANSLATE_NOOP("Actions", "Settings of this chat…"), "Ctrl+.", "", "settings",
         Chat, [this](RowId) { return !chat()->readOnly(); },
         [this](RowId) { shownPage()->profiles()->editConversation(); }},
        {"modelSettings", QT_TRANSLATE_NOOP("Actions", "Settings of this model…"), "", "", "settings", Window,
         [this](RowId) {
             return !m_services.model()->current().id.empty() && !m_services.model()->isRemote();
         },
         [this](RowId) { shownPage()->profiles()->editModel(); }},
        {"takeScreenshot", QT_TRANSLATE_NOOP("Actions", "Attach a screenshot…"), "", "", "picture", Window,
         [this](RowId) { return m_services.portal()->canShoot() && !chat()->readOnly(); },
         [this](RowId) { m_services.portal()->askForScreen(); }},
        {"prompts",
         QT_TRANSLATE_NOOP("Actions", "Your prompts"),
         "",
         "",
         "prompts",
         Window,
         {},
         actions.showPage("prompts")},
    };
}

}  // namespace ingle::desktop
