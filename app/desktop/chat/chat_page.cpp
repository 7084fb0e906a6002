#include "app/desktop/chat/chat_page.h"

namespace ingle::desktop {

ChatPage::ChatPage(StorageThread& storage, const PageParts& parts, QObject* parent)
    : QObject(parent),
      m_answers(storage, parts.engine),
      m_chat(storage, m_answers, parts.models, parts.settings, parts.notices),
      m_measure(storage, parts.engine, m_chat, parts.models, parts.settings),
      m_editMeasure(storage, parts.engine, m_chat, parts.models, parts.settings),
      m_status(m_chat, parts.models, parts.opener, parts.work),
      m_check(storage, parts.engine, m_chat, parts.models, parts.notices),
      m_words(storage, parts.engine, m_chat, parts.models, parts.notices),
      m_finder(storage, m_chat, parts.notices),
      m_prompt(storage, parts.engine, m_chat, parts.models, parts.notices),
      m_profiles(storage, parts.engine, m_chat, parts.models, parts.settings, parts.notices),
      m_viewer(storage, m_chat, parts.saver, parts.notices),
      m_spoken(m_answers, m_chat) {
    const auto guess = [this, &models = parts.models] { m_answers.setGuesses(models.guesses()); };
    connect(&parts.settings, &Settings::changed, this, guess);
    connect(&parts.models, &ModelInUse::stateChanged, this, guess);
    const auto seek = [this, &models = parts.models] {
        m_answers.setEmbeddingModel(models.embeddingModel());
    };
    connect(&parts.models, &ModelInUse::entriesChanged, this, seek);
    seek();
    for (DraftMeasure* measure : {&m_measure, &m_editMeasure})
        connect(&m_chat, &ShownChat::documentsChanged, measure, &DraftMeasure::lookAgain);
    connect(&m_chat, &ChatController::draftChanged, &m_measure,
            [this] { m_measure.look(m_chat.draftParts()); });
    connect(m_chat.messages(), &ChatRows::editedTextChanged, &m_editMeasure, [this] {
        const ChatRows& rows = *m_chat.messages();
        const auto edited = static_cast<history::RowId>(rows.edited());
        m_editMeasure.look(m_chat.editedParts(edited, rows.editedText()), edited);
    });
}

void ChatPage::speakAnew() {
    emit m_chat.placeholderChanged();
    emit m_chat.progressChanged();
    emit m_status.changed();
    if (m_answers.none() && m_chat.conversationId() != 0)
        m_chat.showAgain(static_cast<history::RowId>(m_chat.conversationId()));
}

}  // namespace ingle::desktop
