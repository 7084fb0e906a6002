/// How something is said in a chat: sent, worded anew, answered again, or gone on with.
#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/chat/chat_title.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"

namespace ingle::desktop {
namespace {

using history::Message;
using history::MessageStatus;
using history::RowId;
using history::Turn;

bool hasPicture(std::span<const Part> parts) {
    return std::ranges::any_of(parts, [](const Part& part) { return part.kind == PartKind::Image; });
}

}  // namespace

bool ChatController::readyToAnswer() {
    if (!mayAnswer()) return false;
    if (m_models.state() == ModelInUse::Ready) return true;
    // Which computer a model of another one is on is known once it is there.
    if (m_models.state() == ModelInUse::Loading) return !m_models.isRemote();
    emit modelNeeded();
    return false;
}

bool ChatController::canSee(std::span<const Part> asked) {
    // Of one that is still being loaded: as it was when it was added. Earlier pictures are told by words.
    const bool isLoading = m_models.state() == ModelInUse::Loading;
    const bool sees = isLoading ? m_models.current().seesPictures : m_models.seesPictures();
    if (!hasPicture(asked) || sees || (m_models.state() != ModelInUse::Ready && !isLoading)) {
        m_notices.clearBanner(Notices::Topic::Sight);
        return true;
    }
    Notices::Banner banner{Notices::Topic::Sight, tr("%1 cannot see pictures.").arg(m_models.currentName())};
    if (!m_models.visionFiles().isEmpty()) {
        const QString file = m_models.visionFiles().front();
        const QString name = QFileInfo(file).fileName();
        banner.sentence += ' ' + tr("The vision file %1 beside it may be its own.").arg(name);
        banner.action = tr("Try it");
        banner.run = whileAlive(this, [this, file] { m_models.seeBy(file); });
    } else if (!m_models.visionTrouble().isEmpty()) {
        banner.sentence += ' ' + tr("The vision file beside it is damaged, not all there, or of a kind that "
                                    "is not known here.");
        banner.details = m_models.visionTrouble();
        banner.action = tr("Look again");
        banner.run = whileAlive(this, [this] { m_models.seeBy({}); });
    } else if (const library::ModelEntry* other = m_models.seeing()) {
        banner.action = tr("Use %1").arg(nameOf(*other));
        banner.run = whileAlive(this, [this, id = toQString(other->id)] { m_models.use(id); });
    } else {
        banner.sentence += ' ' + tr("One that can has a vision file (mmproj) beside it.");
        banner.action = tr("Find a model");
        banner.run = whileAlive(this, [this] { emit modelNeeded(); });
    }
    m_notices.showBanner(std::move(banner));
    return false;
}

bool ChatController::looksAtPictures() const {
    if (generation() != Reading || progress()->plan.promptTokens > 0) return false;
    const Message* question = m_messages.find(static_cast<RowId>(m_messages.lastQuestion()));
    return question != nullptr && hasPicture(question->parts);
}

const Message* ChatController::questionOf(RowId message) const {
    const Message* of = m_messages.find(message);
    return of == nullptr || of->role == Role::User ? of : m_messages.find(of->parent);
}

void ChatController::beginWhenAllowed(const std::function<void()>& begin) {
    if (!m_models.isRemote()) return begin();
    const auto sentence = [this](const QString& words) {
        return words.arg(m_models.currentName(), m_models.device());
    };
    if (m_storage.isInMemory())
        return askToLeave(sentence(tr("This chat is private, and %1 runs on %2. What you write would be sent "
                                      "there.")),
                          begin);
    const auto look = [conversation = m_conversation, leaf = m_leaf](history::HistoryReader& history) {
        return history::holdsDocuments(history, conversation, leaf);
    };
    m_storage.readBehindWrites(
        this, look, [this, begin, sentence, isStill = unchanged()](const Result<bool>& holds) {
            if (!isStill()) return;  // the person went on
            if (!holds) return m_notices.showError(Notices::Topic::History, holds.error());
            if (!*holds) return begin();
            askToLeave(sentence(tr("Documents are in this chat, and %1 runs on %2. Passages of them would be "
                                   "sent there.")),
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

void ChatController::setWaitsToSend(bool waits) {
    if (std::exchange(m_waitsToSend, waits) != waits) emit waitsToSendChanged();
}

void ChatController::sendWaiting() {
    if (!m_waitsToSend || progress() != nullptr) return;
    setWaitsToSend(false);
    const Message* last = m_messages.find(m_messages.lastId());
    // What was stopped, or went wrong, is looked at first.
    if (last != nullptr && last->status == MessageStatus::Complete) send(draft());
}

void ChatController::send(const QString& text) {
    if (m_attaching > 0) {
        m_sendsWhenAttached = true;
        return;
    }
    const bool isEmpty = text.trimmed().isEmpty() && m_drafts.attached().isEmpty();
    if (!isEmpty && !m_readOnly && progress() != nullptr) return setWaitsToSend(true);
    if (isEmpty || !readyToAnswer() || !canSee(draftParts())) return;
    // What is written meanwhile is sent, too.
    beginWhenAllowed([this, text, before = draft()] { sendNow(draft() == before ? text : draft()); });
}

void ChatController::sendNow(const QString& text) {
    const bool isEmpty = text.trimmed().isEmpty() && m_drafts.attached().isEmpty();
    if (isEmpty || !readyToAnswer()) return;
    Draft sent = m_drafts.take();
    sent.text = text;
    const std::vector<Part> parts = partsOf(sent);
    const history::Question question{m_conversation, titleFrom(parts), m_leaf, parts};
    const auto work = [question, answerer = answerer()](history::History& history) {
        return history::ask(history, question, answerer);
    };
    startTurn(work, sent);
}

std::vector<Part> ChatController::partsOf(const Draft& draft) {
    // What is asked stands behind what it is asked about.
    std::vector<Part> parts;
    for (const Attached& one : draft.attached) {
        const std::string text = one.text.toStdString();
        parts.push_back(one.isPicture() ? Part{PartKind::Image, text, one.picture.toStdString()}
                                        : Part{PartKind::Attachment, text, tr("Pasted text").toStdString()});
    }
    if (!draft.text.trimmed().isEmpty()) parts.push_back({PartKind::Text, draft.text.toStdString(), ""});
    return parts;
}

void ChatController::regenerate(qint64 message) {
    const Message* question = questionOf(message);
    if (!readyToAnswer() || (question != nullptr && !canSee(question->parts))) return;
    beginWhenAllowed([this, message] { regenerateNow(message); });
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
    if (text.trimmed().isEmpty() || !readyToAnswer() || !canSee(editedParts(message, text))) return;
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
    if (!right || m_models.state() != ModelInUse::Ready) {
        m_afterLoad = {message, answer->modelId};
        // Loading it once more would stop the answer that the first loading lets go on.
        if (!right || m_models.state() != ModelInUse::Loading) m_models.use(toQString(answer->modelId));
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
    if (m_afterLoad.message == 0 || m_models.choosing()) return;
    const AfterLoad then = std::exchange(m_afterLoad, {});
    if (m_models.current().id != then.model || m_models.state() != ModelInUse::Ready) return;
    if (then.act == AfterLoad::Act::Regenerate)
        regenerate(then.message);
    else if (m_messages.find(then.message) != nullptr)
        continueAnswer(then.message);
}

void ChatController::regenerateWith(qint64 message, const QString& modelId) {
    if (!canRegenerate(message)) return;
    const std::string model = modelId.toStdString();
    if (m_models.current().id == model && m_models.state() == ModelInUse::Ready) return regenerate(message);
    m_afterLoad = {message, model, AfterLoad::Act::Regenerate};
    m_models.use(modelId);
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
        m_notices.clearBanner(Notices::Topic::History);
        if (!taken.isEmpty()) emit sent();
        if (then) then(*turn);
        emit listOutdated();
    };
    m_answers.start(m_conversation, terms(), std::move(work), started);
}

}  // namespace ingle::desktop
