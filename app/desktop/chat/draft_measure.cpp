#include "app/desktop/chat/draft_measure.h"

#include <QLocale>

#include <chrono>
#include <numeric>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/messages.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kMeasurePause = 500ms;
/// What takes less than this part of the room is short: nothing is said about it.
constexpr uint32_t kShort = 10;

}  // namespace

DraftMeasure::DraftMeasure(StorageThread& storage, EngineClient& engine, const ChatController& chat,
                           const ModelInUse& models, const Settings& settings, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_engine(engine),
      m_courier(storage, engine),
      m_chat(chat),
      m_models(models),
      m_pause(this) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kMeasurePause);
    connect(&m_pause, &QTimer::timeout, this, &DraftMeasure::readChat);
    connect(&models, &ModelInUse::stateChanged, this, &DraftMeasure::lookAgain);
    connect(&settings, &Settings::changed, this, &DraftMeasure::lookAgain);
    connect(&chat, &ChatController::profileChanged, this, &DraftMeasure::lookAgain);
}

void DraftMeasure::look(std::vector<Part> parts, history::RowId edited) {
    if (parts == m_parts && edited == m_edited) return;
    m_parts = std::move(parts);
    m_edited = edited;
    lookAgain();
}

void DraftMeasure::lookAgain() {
    ++m_numLooks;
    m_engine.cancel(std::exchange(m_asked, 0));
    size_t bytes = 0;
    for (const Part& part : m_parts) bytes += part.text.size();
    // Hardly any text has more tokens than bytes. What is not sent yet is nobody else's business.
    const bool canBeLong = m_models.state() == ModelInUse::Ready && !m_models.isRemote() &&
                           m_models.contextTokens() > 0 && bytes > m_models.contextTokens() / kShort;
    if (!canBeLong) {
        m_pause.stop();
        return say({}, {});
    }
    m_pause.start();
}

void DraftMeasure::readChat() {
    const auto read = [parts = m_parts, edited = m_edited, leaf = m_chat.leaf(),
                       model = m_models.current().id,
                       conversation = static_cast<history::RowId>(m_chat.conversationId())](
                          history::HistoryReader& history) -> Result<history::Turn> {
        history::RowId before = leaf;
        if (edited != 0) {
            INGLE_TRY_ASSIGN(const history::Message message, history::message(history, edited));
            before = message.parent;
        }
        return history::readNext(history, conversation, before, parts, model);
    };
    m_storage.readBehindWrites(this, read, [this, number = m_numLooks](const Result<history::Turn>& turn) {
        if (number == m_numLooks && turn) count(*turn);
    });
}

void DraftMeasure::count(const history::Turn& turn) {
    history::AnswerTerms terms = m_chat.terms();
    terms.form = {};
    m_courier.ask<PromptPreview>(
        this,
        [this, number = m_numLooks, request = history::promptOf(turn, terms).request](const auto& done) {
            if (number == m_numLooks) m_asked = m_engine.preview(request, done);
        },
        [this, number = m_numLooks](const Result<PromptPreview>& preview) {
            if (number != m_numLooks) return;
            m_asked = 0;
            show(preview);
        });
}

void DraftMeasure::show(const Result<PromptPreview>& preview) {
    if (!preview) {
        const auto id = errorIdOf(preview.error());
        const bool isTooLong = id == ErrorId::MessageTooLong || id == ErrorId::ConversationFull;
        return say(isTooLong ? errorSentence(preview.error()) : QString(), {});
    }
    const auto& parts = preview->partTokens.back();
    const uint32_t tokens = std::accumulate(parts.begin(), parts.end(), uint32_t{0});
    if (preview->room == 0 || tokens <= preview->room / kShort) return say({}, {});
    const QLocale locale;
    const uint32_t left = preview->room - std::min(preview->room, preview->plan.promptTokens);
    say({}, preview->plan.dropped.empty()
                ? tr("%1 tokens, %2 left").arg(locale.toString(tokens), locale.toString(left))
                : tr("%1 tokens; older messages make room").arg(locale.toString(tokens)));
}

void DraftMeasure::say(const QString& problem, const QString& figures) {
    if (problem == m_problem && figures == m_figures) return;
    m_problem = problem;
    m_figures = figures;
    emit problemChanged();
}

}  // namespace ingle::desktop
