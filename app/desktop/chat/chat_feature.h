/// Chatting: the chat of the history, a private one beside it, and the person's prompts. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <vector>

#include "app/desktop/chat/chat_page.h"
#include "app/desktop/chat/private_chat.h"
#include "app/desktop/chat/prompts.h"
#include "app/desktop/chat/start_page.h"
#include "app/desktop/chat/title_maker.h"
#include "app/desktop/services/chats.h"
#include "app/desktop/services/services.h"

namespace ingle::desktop {

class ChatFeature : public ingle::desktop::Chats {  // whole, as QML's tools want it
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// What is shown: the page's, or that of the private chat.
    Q_PROPERTY(ingle::desktop::ChatController* chat READ chat NOTIFY shownChanged)
    Q_PROPERTY(ingle::desktop::ChatPage* page READ page CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatPage* shownPage READ shownPage NOTIFY shownChanged)
    Q_PROPERTY(ingle::desktop::PrivateChat* secret READ secret CONSTANT)
    Q_PROPERTY(ingle::desktop::StartPage* startPage READ startPage CONSTANT)
    Q_PROPERTY(ingle::desktop::Prompts* prompts READ prompts CONSTANT)
  public:
    explicit ChatFeature(Services& services);

    /// Shows the conversation that was open last.
    void start() { m_page.chat()->start(); }

    ChatPage* page() { return &m_page; }
    PrivateChat* secret() { return &m_secret; }
    ChatPage* shownPage() { return m_secret.isShown() ? m_secret.page() : &m_page; }
    ChatController* chat() { return shownPage()->chat(); }
    StartPage* startPage() { return &m_startPage; }
    Prompts* prompts() { return &m_prompts; }

    ShownChat& kept() override { return *m_page.chat(); }
    RunningAnswers& answers() override { return *m_page.answers(); }
    bool isPrivate() const override { return m_secret.isShown(); }

  private:
    std::vector<Action> table();
    std::vector<Action> answerTable();
    void followActions(ChatPage& page);
    /// Attaches those that are pictures.
    void takePictures(const Opener::Things& things, const Opener::Rest& rest);
    /// Whether no answer is being written, on the page or in private.
    bool isIdle();
    /// Loads the model as it was chosen, as soon as nothing is being answered.
    void applyChoices();

    Services& m_services;
    ChatPage m_page;
    TitleMaker m_titles;
    PrivateChat m_secret;
    StartPage m_startPage;
    Prompts m_prompts;
};

}  // namespace ingle::desktop
