/// How a chat comes into view: what is in view first, then the rest of it, in pieces.
#include <QTimer>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/content/branch_rows.h"
#include "app/desktop/services/text.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"

namespace ingle::desktop {
namespace {

using history::Message;
using history::MessageStatus;
using history::RowId;
using history::Turn;

/// Of what is added below the messages that are shown first, whose rows are made at once: so much that no
/// frame is late.
constexpr size_t kBytesAtOnce = 128 * 1024;
constexpr size_t kMessagesAtOnce = 300;

}  // namespace

void ChatController::start() {
    struct Last {
        std::optional<Turn> shown;
        std::string newDraft;
        std::optional<Error> refusal;  ///< why the history can only be read
    };
    const auto work = [](history::HistoryReader& history) -> Result<Last> {
        INGLE_TRY_ASSIGN(const RowId id, history::lastShown(history));
        INGLE_TRY_ASSIGN(auto newDraft, history::newDraft(history));
        Last last{std::nullopt, std::move(newDraft), history.refusal()};
        if (id == 0) return last;
        // It may have been deleted since.
        if (auto shown = history::readTurn(history, id, 0, kMessagesShownFirst))
            last.shown = std::move(*shown);
        return last;
    };
    m_opening.start();
    m_storage.run(this, work, [this](Result<Last> last) {
        m_opening.stop();
        m_notices.clearBanner(Notices::Topic::Opening);
        if (!last) return onUnreadableHistory(last.error());
        if (std::exchange(m_readOnly, last->refusal.has_value()) != last->refusal.has_value())
            emit readOnlyChanged();
        if (last->refusal) m_notices.showError(Notices::Topic::History, *last->refusal);
        if (progress() != nullptr || m_conversation != 0) return;  // the person was faster
        const Draft typedMeanwhile = m_drafts.take();
        if (last->shown) {
            show(std::move(*last->shown));
            completeBranch();
        } else {
            m_drafts.show(0, toQString(last->newDraft));
            readProfile();
        }
        m_drafts.append(typedMeanwhile);
    });
}

void ChatController::onUnreadableHistory(const Error& error) {
    if (error.code != ErrorCode::Corrupt) return m_notices.showError(Notices::Topic::History, error);
    const auto startAnew = [this] {
        m_storage.setHistoryAside(this, [this](const Result<std::string>& aside) {
            if (!aside) return m_notices.showError(Notices::Topic::History, aside.error());
            m_notices.showBanner(
                {Notices::Topic::File, tr("The damaged history is kept as %1.").arg(toQString(*aside))});
            emit listOutdated();
            start();
        });
    };
    Notices::Banner banner = Notices::bannerOf(Notices::Topic::History, error);
    banner.action = tr("Set it aside and start a new history");
    banner.run = startAnew;
    m_notices.showBanner(std::move(banner));
}

void ChatController::newConversation() {
    emit wanted();
    showNew();
}

void ChatController::showNew() {
    m_wanted = {m_wanted.number + 1, 0};
    if (m_conversation == 0) return;
    show({});
    readProfile();
    const auto work = [](history::HistoryReader& history) { return history::newDraft(history); };
    m_storage.readBehindWrites(this, work, [this](const Result<std::string>& draft) {
        if (draft && !draft->empty() && m_conversation == 0)
            m_drafts.putBack(0, Draft::fromStored(toQString(*draft)));
    });
}

void ChatController::openAt(qint64 conversation, qint64 message, const QString& words) {
    emit wanted();
    const bool isHere = conversation == m_conversation && m_messages.find(message) != nullptr;
    if (isHere) {
        m_wanted = {m_wanted.number + 1, conversation};
        return emit found(static_cast<double>(message), words);
    }
    const auto around = [conversation, message](history::HistoryReader& history) {
        return history::readAround(history, conversation, message, kMessagesShownFirst);
    };
    read(conversation, around, [this, message, words](RowId opened, RowId leaf) {
        keepLeaf(opened, leaf);
        write([opened](history::History& history) { return history::setLastShown(history, opened); });
        emit found(static_cast<double>(message), words);
    });
}

void ChatController::open(qint64 id) {
    emit wanted();
    if (id == m_conversation) {
        m_wanted = {m_wanted.number + 1, id};
        return;
    }
    const auto end = [id](history::HistoryReader& history) {
        return history::readTurn(history, id, 0, kMessagesShownFirst);
    };
    read(id, end, [this](RowId opened, RowId) {
        write([opened](history::History& history) { return history::setLastShown(history, opened); });
    });
}

void ChatController::write(std::function<Status(history::History&)> work) {
    m_storage.run(this, std::move(work), [](const Status&) {});
}

void ChatController::keepLeaf(RowId conversation, RowId leaf) {
    // Where an answer is being written, its branch is the one to come back to.
    if (m_answers.of(conversation) != nullptr) return;
    write([conversation, leaf](history::History& history) {
        return history::setActiveLeaf(history, conversation, leaf);
    });
}

void ChatController::read(RowId conversation, const Read& work, const std::function<void(RowId, RowId)>& then,
                          Attempt attempt) {
    m_wanted = {m_wanted.number + 1, conversation};
    const auto shown = [this, conversation, work, then, attempt,
                        number = m_wanted.number](Result<Turn> turn) {
        if (number != m_wanted.number) return;  // the person went on
        if (!turn) return m_notices.showError(Notices::Topic::History, turn.error());
        if (!isUpToDate(conversation, turn->branch, attempt))
            return read(conversation, work, then, Attempt::Second);
        const RowId leaf = turn->leaf;
        const bool isWhole = turn->isWhole();
        show(std::move(*turn));
        if (then) then(conversation, leaf);
        if (!isWhole) completeBranch();
    };
    m_storage.readBehindWrites(this, work, shown);
}

bool ChatController::isUpToDate(RowId conversation, std::vector<Message>& branch, Attempt attempt) const {
    if (m_answers.complete(conversation, branch)) return true;
    if (attempt == Attempt::First) return false;
    // The history refused the end of that answer.
    for (Message& message : branch) {
        if (message.status == MessageStatus::Streaming) message.status = MessageStatus::Interrupted;
    }
    return true;
}

/// What stands above and below the messages that are shown already.
void ChatController::completeBranch(Attempt attempt) {
    const auto work = [id = m_conversation,
                       leaf = m_leaf](history::HistoryReader& history) -> Result<std::shared_ptr<Turn>> {
        INGLE_TRY_ASSIGN(auto whole, history::readTurn(history, id, leaf));
        return std::make_shared<Turn>(std::move(whole));  // handed over without a copy
    };
    m_storage.cancel(m_completing);
    m_completing = m_storage.run(
        this, work, [this, attempt, shown = m_numShown](const Result<std::shared_ptr<Turn>>& whole) {
            if (shown != m_numShown) return;
            if (!whole) return m_notices.showError(Notices::Topic::History, whole.error());
            if (!isUpToDate(m_conversation, (*whole)->branch, attempt))
                return completeBranch(Attempt::Second);
            addBelow(*whole, shown);
        });
}

void ChatController::addBelow(const std::shared_ptr<Turn>& whole, quint64 shown) {
    if (shown != m_numShown) return;
    const std::vector<Message>& all = whole->branch;
    auto end = std::ranges::find(all, m_messages.lastId(), &Message::id);
    if (end == all.end()) return;
    const auto first = ++end;
    for (size_t bytes = 0;
         end != all.end() && bytes < kBytesAtOnce && static_cast<size_t>(end - first) < kMessagesAtOnce;
         ++end)
        bytes += bytesOf(*end);
    std::vector<Message> branch(all.begin(), end);
    // It may have ended between two pieces.
    if (!m_answers.complete(m_conversation, branch)) return completeBranch(Attempt::Second);
    m_messages.setBranch(std::move(branch));
    emit progressChanged();
    if (end != all.end()) QTimer::singleShot(0, this, [this, whole, shown] { addBelow(whole, shown); });
}

void ChatController::show(Turn turn) {
    ++m_numShown;
    m_storage.cancel(std::exchange(m_completing, 0));  // nobody waits for the rest of what was shown
    const bool other = turn.conversation.id != m_conversation;
    m_conversation = turn.conversation.id;
    m_leaf = turn.leaf;
    m_title = toQString(turn.conversation.title);
    m_profile = std::move(turn.profile);
    // What is in view above stays there.
    const std::vector<Message>& now = m_messages.messages();
    if (!turn.branch.empty()) {
        const auto above = std::ranges::find(now, turn.branch.front().parent, &Message::id);
        if (above != now.end()) turn.branch.insert(turn.branch.begin(), now.begin(), above + 1);
    }
    m_messages.setBranch(std::move(turn.branch));
    emit titleChanged();
    emit progressChanged();
    if (!other) return;
    m_drafts.show(m_conversation, toQString(turn.conversation.draft));
    m_promptNote.clear();
    emit conversationChanged();
    emit generationChanged();
}

}  // namespace ingle::desktop
