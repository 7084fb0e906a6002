#include "app/desktop/shell/app_model.h"

#include <QGuiApplication>
#include <QWindow>

namespace ingle::desktop {

using history::RowId;

AppModel::AppModel(const AppFiles& files, const HostCommand& host)
    : m_services(files, host),
      m_place(m_services.storage()),
      m_chats(m_services),
      m_models(m_services),
      m_sidebar(m_services, m_chats),
      m_data(m_services, m_chats),
      m_documents(m_services, m_chats),
      m_program(m_services),
      m_longAnswers(
          m_chats.answers(), *m_services.settings(),
          [this](RowId conversation) {
              return m_sidebar.conversations()->titleOf(static_cast<double>(conversation));
          },
          *m_services.portal()) {
    m_services.actions()->add(table());
    m_chats.start();
}

void AppModel::serve(const StartRequest& request) {
    // Behind whatever shows the conversation that was open last.
    if (request.newChat)
        m_services.storage().run(
            this, [](history::HistoryReader&) { return Status(); },
            [this](const Status&) { m_services.actions()->run("newConversation"); });
    if (!request.files.isEmpty()) emit filesGiven(request.files);
    m_program.crashes()->look();  // last: what opens a file takes away the sentences that were there
}

std::vector<Action> AppModel::table() {
    using enum ActionScope;
    Actions& actions = *m_services.actions();
    return {
        {"openModel",
         QT_TRANSLATE_NOOP("Actions", "Open a file…"),
         "Ctrl+O",
         "",
         "file",
         Window,
         {},
         actions.showPage("openFile")},
        {"attach",
         QT_TRANSLATE_NOOP("Actions", "Add a picture or a document…"),
         "",
         "",
         "attach",
         Window,
         {},
         actions.showPage("attach")},
        {"undo", QT_TRANSLATE_NOOP("Actions", "Undo the last deletion or change"), "Ctrl+Z", "", "", Window,
         [this](RowId) { return m_services.notices()->canUndo(); },
         [this](RowId) { m_services.notices()->undoLast(); }},
        {"palette",
         QT_TRANSLATE_NOOP("Actions", "All actions"),
         "Ctrl+K",
         "Ctrl+Shift+P",
         "",
         Window,
         {},
         actions.showPage("palette")},
        {"help",
         QT_TRANSLATE_NOOP("Actions", "Help"),
         "F1",
         "",
         "help",
         Window,
         {},
         actions.showPage("help")},
        {"shortcuts",
         QT_TRANSLATE_NOOP("Actions", "All shortcuts"),
         "Ctrl+/",
         "",
         "",
         Window,
         {},
         actions.showPage("shortcuts")},
        {"quit",
         QT_TRANSLATE_NOOP("Actions", "Quit"),
         "Ctrl+Q",
         "",
         "close",
         Window,
         {},
         [](RowId) {
             for (QWindow* window : QGuiApplication::topLevelWindows()) window->close();
         }},
    };
}

}  // namespace ingle::desktop
