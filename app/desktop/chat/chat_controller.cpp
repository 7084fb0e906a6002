#include "app/desktop/chat/chat_controller.h"

#include <QClipboard>
#include <QGuiApplication>
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

/// UTF-16 units: a longer text that is pasted would fill the field to write in.
constexpr qsizetype kLongPaste = 4000;

/// A history that is brought up to date takes longer.
constexpr std::chrono::milliseconds kOpeningPatience{500};

}  // namespace

ChatController::ChatController(StorageThread& storage, RunningAnswers& answers, ModelListModel& models,
                               Settings& settings, Notices& notices, QObject* parent)
    : ShownChat(parent),
      m_storage(storage),
      m_answers(answers),
      m_models(models),
      m_settings(settings),
      m_notices(notices),
      m_drafts(storage) {
    m_opening.setSingleShot(true);
    m_opening.setInterval(kOpeningPatience);
    connect(&m_opening, &QTimer::timeout, this, [this] {
        m_notices.showBanner({Notices::Topic::Opening, tr("Your conversations are being made ready. After an "
                                                          "update this can take a minute.")});
    });
    connect(&m_drafts, &DraftKeeper::replaced, this, &ChatController::draftChanged);

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

    connect(&models, &ModelListModel::loadStarting, &answers, &RunningAnswers::stopAll);
    connect(&models, &ModelListModel::stateChanged, this, &ChatController::continueWhenLoaded);
    connect(&models, &ModelListModel::chosenInVain, this, &ChatController::continueWhenLoaded);
    connect(&models, &ModelListModel::stateChanged, this, &ChatController::progressChanged);
    connect(&models, &ModelListModel::stateChanged, this, &ChatController::placeholderChanged);
    connect(this, &ChatController::readOnlyChanged, this, &ChatController::placeholderChanged);
    // What was asked about another model, or another chat, is not to be allowed any more.
    const auto forgetQuestion = [this] { m_notices.clearBanner(Notices::Topic::Leaving); };
    connect(&models, &ModelListModel::loadStarting, this, forgetQuestion);
    connect(this, &ChatController::conversationChanged, this, forgetQuestion);
    connect(&m_messages, &ChatRows::editLeft, &m_drafts, &DraftKeeper::appendLine);
    const auto keepEdit = [this] { m_drafts.setBeside(m_messages.unsentEdit()); };
    connect(&m_messages, &ChatRows::editedTextChanged, &m_drafts, keepEdit);
    connect(&m_messages, &ChatRows::editedChanged, &m_drafts, keepEdit);
    connect(&m_messages, &ChatRows::editedTextChanged, this, &ChatController::maySendChanged);
    for (const auto change : {&ChatController::draftChanged, &ChatController::generationChanged})
        connect(this, change, this, &ChatController::maySendChanged);
    connect(this, &ChatController::readOnlyChanged, this, &ChatController::maySendChanged);
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
    return m_models.isRemote() ? tr("Write a message; it leaves this computer") : tr("Write a message");
}

QString ChatController::progressSentence() const {
    // Also in the middle of an answer, when it moves to another device.
    if (promptFraction() > 0 && promptFraction() < 1)
        return tr("Reading the conversation… %1%").arg(std::lround(promptFraction() * 100));
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
    return now == nullptr ? m_promptNote : toQString(now->plan.note);
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

bool ChatController::readyToAnswer() {
    if (!mayAnswer()) return false;
    if (m_models.state() == ModelListModel::Ready) return true;
    // Which computer a model of another one is on is known once it is there.
    if (m_models.state() == ModelListModel::Loading) return !m_models.isRemote();
    emit modelNeeded();
    return false;
}

void ChatController::beginWhenAllowed(const std::function<void()>& begin) {
    if (!m_models.isRemote()) return begin();
    const auto sentence = [this](const QString& words) {
        return words.arg(m_models.currentName(), m_models.device());
    };
    if (m_storage.isInMemory())
        return askToLeave(
            sentence(tr("This chat is private, and %1 runs on %2. What you write would leave this "
                        "computer.")),
            begin);
    const auto look = [conversation = m_conversation, leaf = m_leaf](history::HistoryReader& history) {
        return history::holdsDocuments(history, conversation, leaf);
    };
    m_storage.readBehindWrites(
        this, look, [this, begin, sentence, isStill = unchanged()](const Result<bool>& holds) {
            if (!isStill()) return;  // the person went on
            if (!holds) return m_notices.showError(Notices::Topic::History, holds.error());
            if (!*holds) return begin();
            askToLeave(
                sentence(tr("Documents stand in this chat, and %1 runs on %2. Passages of them would leave "
                            "this computer.")),
                begin);
        });
}

std::function<bool()> ChatController::unchanged() const {
    return [this, chat = m_conversation, model = m_models.current().id, computer = m_models.device()] {
        return chat == m_conversation && model == m_models.current().id && computer == m_models.device();
    };
}

void ChatController::askToLeave(const QString& sentence, const std::function<void()>& begin) {
    Notices::Banner banner{Notices::Topic::Leaving, sentence};
    banner.action = tr("Send it this time");
    banner.run = whileAlive(this, [begin, isStill = unchanged()] {
        if (isStill()) begin();
    });
    m_notices.showBanner(std::move(banner));
}

void ChatController::send(const QString& text) {
    const bool isEmpty = text.trimmed().isEmpty() && m_drafts.attached().isEmpty();
    if (isEmpty || !readyToAnswer()) return;
    // What is written meanwhile is sent, too.
    beginWhenAllowed([this, text, before = draft()] { sendNow(draft() == before ? text : draft()); });
}

void ChatController::sendNow(const QString& text) {
    const bool isEmpty = text.trimmed().isEmpty() && m_drafts.attached().isEmpty();
    if (isEmpty || !readyToAnswer()) return;
    Draft sent = m_drafts.take();
    sent.text = text;
    const QString named = text.trimmed().isEmpty() ? sent.attached.front() : text;
    const history::Question question{m_conversation, titleFrom(named), m_leaf, partsOf(sent)};
    const auto work = [question, answerer = answerer()](history::History& history) {
        return history::ask(history, question, answerer);
    };
    startTurn(work, sent);
}

std::vector<Part> ChatController::partsOf(const Draft& draft) {
    // What is asked stands behind what it is asked about.
    std::vector<Part> parts;
    for (const QString& one : draft.attached)
        parts.push_back({PartKind::Attachment, one.toStdString(), tr("Pasted text").toStdString()});
    if (!draft.text.trimmed().isEmpty()) parts.push_back({PartKind::Text, draft.text.toStdString(), ""});
    return parts;
}

void ChatController::regenerate(qint64 message) {
    if (readyToAnswer()) beginWhenAllowed([this, message] { regenerateNow(message); });
}

void ChatController::regenerateNow(qint64 message) {
    const Message* old = m_messages.find(message);
    if (old == nullptr || !readyToAnswer()) return;
    const RowId question = old->role == Role::User ? old->id : old->parent;
    const auto work = [id = m_conversation, question, answerer = answerer()](history::History& history) {
        return history::answerAgain(history, id, question, answerer);
    };
    startTurn(work);
}

void ChatController::branchAnswer(RowId answer, const history::AnswerBeginning& beginning) {
    // Its ids are of a model on this computer.
    if (m_messages.find(answer) == nullptr || m_models.isRemote() || !readyToAnswer()) return;
    startTurn([answer, beginning](history::History& history) {
        return history::branchAnswer(history, answer, beginning);
    });
}

std::vector<Part> ChatController::editedParts(qint64 message, const QString& text) const {
    // What is attached stays; passages of documents are chosen again.
    std::vector<Part> parts;
    if (const Message* old = m_messages.find(message)) {
        std::ranges::copy_if(old->parts, std::back_inserter(parts), [](const Part& part) {
            return part.kind == PartKind::Attachment || part.kind == PartKind::Image;
        });
    }
    parts.push_back({PartKind::Text, text.toStdString(), ""});
    return parts;
}

void ChatController::edit(qint64 message, const QString& text) {
    if (text.trimmed().isEmpty() || !readyToAnswer()) return;
    // What is written meanwhile is sent, too.
    beginWhenAllowed([this, message, text] {
        const bool isOpen = m_messages.edited() == static_cast<double>(message);
        const QString now = isOpen ? m_messages.editedText() : QString();
        editNow(message, now.trimmed().isEmpty() ? text : now);
    });
}

void ChatController::editNow(qint64 message, const QString& text) {
    const Message* old = m_messages.find(message);
    if (old == nullptr || !readyToAnswer()) return;
    const history::Question question{m_conversation, {}, old->parent, editedParts(message, text)};
    const auto work = [question, answerer = answerer()](history::History& history) {
        return history::ask(history, question, answerer);
    };
    const auto stored = [this, message](const Turn& turn) {
        const RowId changed = turn.branch[turn.branch.size() - 2].id;  // the last is the answer to it
        m_notices.showUndo(this, tr("Message changed"), [this, id = turn.conversation.id, message, changed] {
            undoEdit(id, message, changed);
        });
    };
    startTurn(work, {}, stored, message);
}

void ChatController::undoEdit(RowId conversation, RowId before, RowId changed) {
    // Nobody sees that answer any more.
    if (m_answers.follows(conversation, changed)) m_answers.stop(conversation);
    const AnswerProgress* answer = m_answers.of(conversation);
    if (answer != nullptr && answer->state != AnswerProgress::State::Stopping) {
        const auto version = [conversation, before](history::HistoryReader& history) {
            return history::readAround(history, conversation, before, kMessagesShownFirst);
        };
        return read(conversation, version);
    }
    // Undone at once, however much else is done while the branch is read.
    showAfter(conversation, [conversation, before](history::History& history) -> Result<RowId> {
        INGLE_TRY_ASSIGN(const Turn turn, history::readAround(history, conversation, before, 1));
        INGLE_TRY(history::setActiveLeaf(history, conversation, turn.leaf));
        return turn.leaf;
    });
}

bool ChatController::canContinue(qint64 message) const {
    const Message* answer = m_messages.find(message);
    if (answer != nullptr && protocol::isRemote(answer->modelId)) {
        // Such a model is chosen by the person only, and goes on with a text only.
        const bool endsInText = !answer->parts.empty() && answer->parts.back().kind == PartKind::Text;
        if (answer->modelId != m_models.current().id || !(answer->parts.empty() || endsInText)) return false;
    }
    return answer != nullptr && message == m_leaf && answer->role == Role::Assistant &&
           answer->status != MessageStatus::Complete && mayAnswer();
}

bool ChatController::canEdit(qint64 message) const {
    const Message* old = m_messages.find(message);
    return old != nullptr && old->role == Role::User && mayAnswer();
}

bool ChatController::canRegenerate(qint64 message) const {
    const Message* old = m_messages.find(message);
    return old != nullptr && (old->role == Role::Assistant || message == m_leaf) && mayAnswer();
}

void ChatController::continueAnswer(qint64 message) {
    if (!canContinue(message)) return;
    const Message* answer = m_messages.find(message);
    // Token ids mean something only to the model that chose them.
    const bool right = m_models.current().id == answer->modelId;
    if (!right || m_models.state() != ModelListModel::Ready) {
        m_continueAfterLoad = message;
        // Loading it once more would stop the answer that the first loading lets go on.
        if (!right || m_models.state() != ModelListModel::Loading) m_models.use(toQString(answer->modelId));
        return;
    }
    beginWhenAllowed([this, message] {
        if (!canContinue(message)) return;
        startTurn([id = m_conversation, message](history::History& history) {
            return history::resume(history, id, message);
        });
    });
}

void ChatController::continueWhenLoaded() {
    if (m_continueAfterLoad == 0 || m_models.choosing()) return;
    const RowId message = std::exchange(m_continueAfterLoad, 0);
    const Message* answer = m_messages.find(message);
    const bool right = answer != nullptr && answer->modelId == m_models.current().id;
    if (right && m_models.state() == ModelListModel::Ready) continueAnswer(message);
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

void ChatController::startTurn(RunningAnswers::Work work, const Draft& taken,
                               const std::function<void(const Turn&)>& then, RowId edited) {
    const auto started = [this, asked = m_conversation, taken, then, edited](const Result<Turn>& turn) {
        if (!turn) {
            if (!taken.isEmpty()) m_drafts.putBack(asked, taken);
            return m_notices.showError(Notices::Topic::History, turn.error());
        }
        if (m_conversation == asked) {
            if (edited != 0 && m_messages.edited() == static_cast<double>(edited)) m_messages.edit(0);
            // A new conversation has its number only now; what is being written belongs to it.
            const Draft typedMeanwhile = asked == 0 ? m_drafts.take() : Draft();
            // What was read of this conversation before is less.
            if (m_wanted.conversation == asked) ++m_wanted.number;
            show(*turn);
            m_drafts.append(typedMeanwhile);
        }
        if (!taken.isEmpty()) emit sent();
        if (then) then(*turn);
        emit listOutdated();
    };
    m_answers.start(m_conversation, terms(), std::move(work), started);
}

void ChatController::setDraft(const QString& text) {
    m_drafts.edit(text);
    emit draftChanged();
}

QStringList ChatController::attached() const {
    QStringList names;
    for (const QString& one : m_drafts.attached())
        names << tr("Pasted text, %1 characters").arg(QLocale().toString(one.size()));
    return names;
}

bool ChatController::attachPasted() {
    const QString pasted = QGuiApplication::clipboard()->text();
    if (pasted.size() <= kLongPaste) return false;
    m_drafts.attach(pasted, m_drafts.attached().size());
    return true;
}

void ChatController::detach(int index) {
    if (index < 0 || index >= m_drafts.attached().size()) return;
    const QString text = m_drafts.detach(index);
    m_notices.showUndo(this, tr("Attached text removed"), [this, conversation = m_conversation, text, index] {
        if (conversation == m_conversation)
            m_drafts.attach(text, index);
        else
            m_drafts.append(Draft{{}, {text}});
    });
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
