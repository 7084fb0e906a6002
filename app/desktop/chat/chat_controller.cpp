#include "app/desktop/chat/chat_controller.h"

#include <QLocale>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "app/desktop/chat/chat_title.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/trash/trash.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using history::Message;
using history::MessageStatus;
using history::RowId;
using history::Turn;

/// After so long people wonder whether anything happens.
constexpr std::chrono::milliseconds kSilence{3000};

/// A history that is brought up to date takes longer.
constexpr std::chrono::milliseconds kOpeningPatience{500};

}  // namespace

ChatController::ChatController(StorageThread& storage, RunningAnswers& answers, ModelInUse& models,
                               Settings& settings, Notices& notices, QObject* parent)
    : ShownChat(parent),
      m_storage(storage),
      m_answers(answers),
      m_models(models),
      m_settings(settings),
      m_notices(notices),
      m_pictures(storage),
      m_drafts(storage) {
    m_opening.setSingleShot(true);
    m_opening.setInterval(kOpeningPatience);
    connect(&m_opening, &QTimer::timeout, this, [this] {
        m_notices.showBanner({Notices::Topic::Opening, tr("Your conversations are being made ready. After an "
                                                          "update this can take a minute.")});
    });
    connect(&m_drafts, &DraftKeeper::replaced, this, &ChatController::draftChanged);
    connect(&m_drafts, &DraftKeeper::replaced, this, &ChatController::attachedChanged);

    connect(&answers, &RunningAnswers::stateChanged, this, &ChatController::generationChanged);
    connect(&answers, &RunningAnswers::progressed, this, [this](RowId conversation) {
        if (conversation == m_conversation) emit progressChanged();
    });
    connect(&answers, &RunningAnswers::committed, &m_messages, &ChatRows::append);
    connect(&answers, &RunningAnswers::planned, this, [this](RowId conversation, RowId firstKept) {
        if (conversation == m_conversation) m_messages.setFirstKept(firstKept);
    });
    connect(&answers, &RunningAnswers::chosenAgain, this, [this](const Turn& turn) {
        if (m_conversation != turn.conversation.id || m_leaf != turn.leaf) return;
        // What was read of it before has the other passages.
        if (m_wanted.conversation == m_conversation) ++m_wanted.number;
        show(turn);
    });
    connect(&answers, &RunningAnswers::ended, this,
            [this](RowId, RowId message, const history::AnswerEnd& ending) { onEnded(message, ending); });
    connect(&answers, &RunningAnswers::stalled, this, [this](const QString& sentence) {
        if (sentence.isEmpty())
            m_notices.clearBanner(Notices::Topic::Stall);
        else
            m_notices.showBanner({Notices::Topic::Stall, tr("The answer waits: %1").arg(sentence)});
    });

    connect(&models, &ModelInUse::loadStarting, &answers, &RunningAnswers::stopAll);
    connect(&models, &ModelInUse::stateChanged, this, &ChatController::continueWhenLoaded);
    connect(&models, &ModelInUse::chosenInVain, this, &ChatController::continueWhenLoaded);
    connect(&models, &ModelInUse::stateChanged, this, &ChatController::progressChanged);
    connect(&models, &ModelInUse::stateChanged, this, &ChatController::placeholderChanged);
    connect(this, &ChatController::readOnlyChanged, this, &ChatController::placeholderChanged);
    // What was asked about another model, or another chat, is not to be allowed any more.
    const auto forgetQuestion = [this] {
        m_notices.clearBanner(Notices::Topic::Leaving);
        m_notices.clearBanner(Notices::Topic::Sight);
    };
    connect(&models, &ModelInUse::loadStarting, this, forgetQuestion);
    connect(this, &ChatController::conversationChanged, this, forgetQuestion);
    connect(this, &ChatController::conversationChanged, this,
            [this] { m_notices.clearBanner(Notices::Topic::Check); });
    connect(&m_messages, &ChatRows::editLeft, &m_drafts, &DraftKeeper::appendLine);
    const auto keepEdit = [this] { m_drafts.setBeside(m_messages.unsentEdit()); };
    connect(&m_messages, &ChatRows::editedTextChanged, &m_drafts, keepEdit);
    connect(&m_messages, &ChatRows::editedChanged, &m_drafts, keepEdit);
    connect(&m_messages, &ChatRows::editedTextChanged, this, &ChatController::maySendChanged);
    for (const auto change : {&ChatController::draftChanged, &ChatController::generationChanged,
                              &ChatController::attachingChanged})
        connect(this, change, this, &ChatController::maySendChanged);
    connect(this, &ChatController::readOnlyChanged, this, &ChatController::maySendChanged);
    connect(this, &ChatController::generationChanged, this, &ChatController::sendWaiting);
    connect(this, &ChatController::conversationChanged, this, &ChatController::stopWaiting);
    connect(this, &ChatController::draftChanged, this, [this] {
        if (!hasDraft()) stopWaiting();
    });
    m_silence.setSingleShot(true);
    m_silence.setInterval(kSilence);
    const auto setSilent = [this](bool isSilent) {
        if (std::exchange(m_isSilent, isSilent) != isSilent) emit progressChanged();
    };
    connect(&m_silence, &QTimer::timeout, this, [setSilent] { setSilent(true); });
    connect(this, &ChatController::generationChanged, this, [this, setSilent] {
        setSilent(false);
        const Generation now = generation();
        if (m_models.isRemote() && (now == Starting || now == Reading))
            m_silence.start();
        else
            m_silence.stop();
    });
    const auto tellProgress = [this] { m_messages.setProgress(progressSentence()); };
    connect(this, &ChatController::progressChanged, this, tellProgress);
    connect(this, &ChatController::generationChanged, this, tellProgress);
}

ChatController::Generation ChatController::generation() const {
    static_assert(static_cast<int>(AnswerProgress::State::Starting) + 1 == Starting);
    static_assert(static_cast<int>(AnswerProgress::State::Stopping) + 1 == Stopping);
    const AnswerProgress* now = progress();
    return now == nullptr ? Idle : static_cast<Generation>(static_cast<int>(now->state) + 1);
}

bool ChatController::stalled() const {
    const AnswerProgress* now = progress();
    return now != nullptr && now->stalled;
}

double ChatController::promptFraction() const {
    const AnswerProgress* now = progress();
    return now == nullptr ? 0 : now->promptFraction;
}

QString ChatController::placeholder() const {
    if (m_readOnly) return tr("This history can only be read");
    return m_models.isRemote()  ? tr("Write a message; it is sent to %1").arg(m_models.device())
           : m_models.guiding() ? tr("Ask how Inglenook works")
                                : tr("Write a message");
}

QString ChatController::progressSentence() const {
    // Also in the middle of an answer, when it moves to another device.
    if (promptFraction() > 0 && promptFraction() < 1)
        return tr("Reading the conversation… %1%").arg(std::lround(promptFraction() * 100));
    if (m_isSilent) return tr("Waiting for %1…").arg(m_models.device());
    if (looksAtPictures()) {
        const long percent = std::lround(progress()->pictureFraction * 100);
        return percent > 0 ? tr("Looking at the picture… %1%").arg(percent) : tr("Looking at the picture…");
    }
    return generation() == Waiting ? tr("Waiting for another answer…") : QString();
}

const Message* ChatController::lastOfThisModel() const {
    const Message* last = m_messages.find(m_messages.lastId());
    return last != nullptr && last->modelId == m_models.current().id ? last : nullptr;
}

int ChatController::contextUsed() const {
    if (const AnswerProgress* now = progress())
        return static_cast<int>(now->plan.promptTokens + now->newTokens);
    const Message* last = lastOfThisModel();
    return last == nullptr ? 0 : static_cast<int>(last->stats.promptTokens + last->stats.newTokens);
}

int ChatController::contextSize() const {
    const AnswerProgress* now = progress();
    return static_cast<int>(now == nullptr ? m_models.contextTokens() : now->plan.contextTokens);
}

QString ChatController::promptNote() const {
    const AnswerProgress* now = progress();
    const QString note = now == nullptr ? m_promptNote : toQString(now->plan.note);
    // What is to be expected of the model's file is said in the reader's language.
    if (note.isEmpty() || note != m_models.promptNote()) return note;
    return m_models.chatTemplate().isEmpty()
               ? tr("The model file has no chat template, so a built-in one is used.")
               : tr("The model's chat template cannot be read, so a built-in one is used.");
}

double ChatController::tokensPerSecond() const {
    if (const AnswerProgress* now = progress()) return now->tokensPerSecond;
    const Message* last = lastOfThisModel();
    return last == nullptr || last->stats.decodeMs <= 0
               ? 0
               : last->stats.newTokens * 1000.0 / last->stats.decodeMs;
}

history::Profile ChatController::usualProfile() const {
    return history::layered(m_settings.profile(), history::profileFromJson(m_models.current().profile));
}

history::Answerer ChatController::answerer() const {
    const library::ModelEntry& model = m_models.current();
    return {model.id, model.name, m_settings.sampler(), usualProfile()};
}

void ChatController::readProfile() {
    const auto read = [id = m_conversation](history::HistoryReader& history) {
        return history::profileOf(history, id);
    };
    m_storage.readBehindWrites(this, read, [this, id = m_conversation](const Result<history::Profile>& now) {
        if (!now || id != m_conversation) return;
        m_profile = *now;
        emit profileChanged();
    });
}

bool ChatController::canShowSibling(qint64 message, int step) const {
    const Message* shown = m_messages.find(message);
    if (shown == nullptr || progress() != nullptr) return false;
    const int wanted = shown->siblingIndex + step;
    return wanted >= 0 && wanted < shown->siblingCount;
}

void ChatController::showSibling(qint64 message, int step) {
    if (!canShowSibling(message, step)) return;
    const auto work = [id = m_conversation, message, step](history::HistoryReader& history) -> Result<Turn> {
        INGLE_TRY_ASSIGN(const RowId sibling, history::siblingOf(history, message, step));
        return history::readAround(history, id, sibling, kMessagesShownFirst);
    };
    read(m_conversation, work, [this](RowId conversation, RowId leaf) { keepLeaf(conversation, leaf); });
}

bool ChatController::isPinned(qint64 message) const {
    const Message* shown = m_messages.find(message);
    return shown != nullptr && shown->pinned;
}

void ChatController::setPinned(qint64 message, bool pinned) {
    const auto work = [message, pinned](history::History& history) {
        return history::setMessagePinned(history, message, pinned);
    };
    m_storage.run(this, work, [this, message, pinned](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        m_messages.setPinned(message, pinned);
    });
}

bool ChatController::canRemove(qint64 message) const {
    return m_messages.find(message) != nullptr && mayAnswer();
}

void ChatController::remove(qint64 message) {
    if (!canRemove(message)) return;
    const bool isQuestion = m_messages.find(message)->role == Role::User;
    const auto undo = [this, conversation = m_conversation, message] {
        showAfter(conversation,
                  [message](history::History& history) { return history::restoreMessage(history, message); });
    };
    showAfter(
        m_conversation,
        [message](history::History& history) { return history::trashMessage(history, message); },
        [this, isQuestion, undo] {
            m_notices.showUndo(this, isQuestion ? tr("Message deleted") : tr("Answer deleted"), undo,
                               Notices::Done::Deletion);
        });
}

void ChatController::showAfter(RowId conversation, std::function<Result<RowId>(history::History&)> work,
                               std::function<void()> then) {
    m_storage.run(
        this, std::move(work),
        [this, conversation, then = std::move(then), number = m_wanted.number](const Result<RowId>& leaf) {
            if (!leaf) return m_notices.showError(Notices::Topic::History, leaf.error());
            if (then) then();
            emit listOutdated();
            if (number == m_wanted.number) showAgain(conversation);  // else the person went on
        });
}

void ChatController::showAgain(RowId conversation) {
    const auto end = [conversation](history::HistoryReader& history) {
        return history::readTurn(history, conversation, 0, kMessagesShownFirst);
    };
    read(conversation, end);
}

void ChatController::setDraft(const QString& text) {
    m_drafts.edit(text);
    emit draftChanged();
}

void ChatController::begin(const QString& text) {
    m_drafts.append(text);
}

void ChatController::quote(const QString& text) {
    QString quotation = text.trimmed();
    quotation.replace('\n', QLatin1String("\n> "));
    m_drafts.append((draft().isEmpty() ? "> " : "\n\n> ") + quotation + "\n\n");
}

void ChatController::stop() {
    stopWaiting();
    m_answers.stop(m_conversation);
}

void ChatController::onEnded(RowId message, const history::AnswerEnd& ending) {
    m_messages.setStatus(message, ending);
    if (const AnswerProgress* now = progress(); now != nullptr && message == m_messages.lastId())
        m_promptNote = toQString(now->plan.note);
    emit progressChanged();
    emit listOutdated();
}

QString ChatController::messageText(qint64 message) const {
    return m_messages.words(message);
}

void ChatController::conversationRemoved(RowId conversation) {
    // It may be gone for good before the engine has stopped.
    m_answers.abandon(conversation);
    if (m_wanted.conversation == conversation) ++m_wanted.number;
    if (conversation == m_conversation) showNew();
}

void ChatController::conversationRenamed(RowId conversation, const QString& title) {
    if (conversation != m_conversation) return;
    m_title = title;
    emit titleChanged();
}

}  // namespace ingle::desktop
