/// One chat and everything that belongs to looking at it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/desktop/chat/another_word.h"
#include "app/desktop/chat/answer_check.h"
#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/chat/chat_status.h"
#include "app/desktop/chat/draft_measure.h"
#include "app/desktop/chat/find_in_chat.h"
#include "app/desktop/chat/picture_viewer.h"
#include "app/desktop/chat/profile_editor.h"
#include "app/desktop/chat/prompt_view.h"
#include "app/desktop/chat/spoken_answer.h"
#include "app/desktop/services/background_work.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/opener.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/services/text_saver.h"

namespace ingle::desktop {

/// What all pages share.
struct PageParts {
    EngineClient& engine;
    ModelInUse& models;
    Opener& opener;
    BackgroundWork& work;
    Settings& settings;
    TextSaver& saver;
    Notices& notices;
};

/// Knows nothing of other pages; what it keeps goes to its storage and nowhere else. GUI thread.
class ChatPage : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(ingle::desktop::ChatController* chat READ chat CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatStatus* status READ status CONSTANT)
    Q_PROPERTY(ingle::desktop::DraftMeasure* measure READ measure CONSTANT)
    Q_PROPERTY(ingle::desktop::DraftMeasure* editMeasure READ editMeasure CONSTANT)
    Q_PROPERTY(ingle::desktop::AnotherWord* words READ words CONSTANT)
    Q_PROPERTY(ingle::desktop::FindInChat* finder READ finder CONSTANT)
    Q_PROPERTY(ingle::desktop::PromptView* prompt READ prompt CONSTANT)
    Q_PROPERTY(ingle::desktop::ProfileEditor* profiles READ profiles CONSTANT)
    Q_PROPERTY(ingle::desktop::PictureViewer* viewer READ viewer CONSTANT)
  public:
    ChatPage(StorageThread& storage, const PageParts& parts, QObject* parent = nullptr);

    /// What is said is said in another language now.
    void speakAnew();

    RunningAnswers* answers() { return &m_answers; }
    ChatController* chat() { return &m_chat; }
    ChatStatus* status() { return &m_status; }
    DraftMeasure* measure() { return &m_measure; }
    DraftMeasure* editMeasure() { return &m_editMeasure; }
    AnswerCheck* check() { return &m_check; }
    AnotherWord* words() { return &m_words; }
    FindInChat* finder() { return &m_finder; }
    PromptView* prompt() { return &m_prompt; }
    ProfileEditor* profiles() { return &m_profiles; }
    PictureViewer* viewer() { return &m_viewer; }

  private:
    RunningAnswers m_answers;
    ChatController m_chat;
    DraftMeasure m_measure;
    DraftMeasure m_editMeasure;  ///< of a question that is being changed
    ChatStatus m_status;
    AnswerCheck m_check;
    AnotherWord m_words;
    FindInChat m_finder;
    PromptView m_prompt;
    ProfileEditor m_profiles;
    PictureViewer m_viewer;
    SpokenAnswer m_spoken;
};

}  // namespace ingle::desktop
