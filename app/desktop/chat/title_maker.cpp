#include "app/desktop/chat/title_maker.h"

#include <optional>
#include <utility>

#include "app/desktop/chat/chat_title.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/conversations.h"
#include "app/history/turns.h"
#include "app/protocol/remote.h"

namespace ingle::desktop {
namespace {

using history::RowId;
using history::Turn;

constexpr uint32_t kMostTokens = 32;

constexpr const char* kInstruction =
    "Write a title for this conversation, in its language: at most six words, no quotation marks. Answer "
    "with the "
    "title alone.";

/// The request of the answer that `turn` ends with, and that answer, and what is asked now.
GenerateRequest requestOf(const Turn& turn, const history::AnswerTerms& usual) {
    GenerateRequest request = history::promptOf(turn, usual).request;
    request.messages.push_back({Role::Assistant, turn.branch.back().parts});
    request.messages.push_back(textMessage(Role::User, kInstruction));
    request.sampler = {.temperature = 0};
    request.maxTokens = kMostTokens;
    request.promptForm.thinking = Thinking::Off;
    request.resumeIds.clear();
    request.resumeText.clear();
    request.conversation.clear();  // the disk keeps the conversation, not this
    request.grammar.clear();
    request.jsonSchema.clear();
    return request;
}

/// A conversation that was answered for the first time, and that nobody has given a title.
Result<std::optional<Turn>> untitled(history::HistoryReader& history, RowId conversation, RowId answer) {
    INGLE_TRY_ASSIGN(const Turn shown, history::readTurn(history, conversation, 0, 3));
    const bool isFirst = shown.branch.size() == 2 && shown.isWhole() && shown.branch.back().id == answer;
    if (!isFirst || shown.conversation.title != titleFrom(shown.branch.front().parts))
        return std::optional<Turn>();
    INGLE_TRY_ASSIGN(Turn turn, history::readAnswer(history, conversation, answer));
    return std::optional(std::move(turn));
}

}  // namespace

TitleMaker::TitleMaker(Services& services, ChatPage& page, std::function<bool()> isIdle, QObject* parent)
    : QObject(parent), m_services(services), m_page(page), m_isIdle(std::move(isIdle)) {
    connect(page.answers(), &RunningAnswers::ended, this,
            [this](RowId conversation, RowId answer, const history::AnswerEnd& ending) {
                if (ending.status == history::MessageStatus::Complete) m_next = {conversation, answer};
            });
    connect(page.answers(), &RunningAnswers::stateChanged, this, &TitleMaker::onStateChanged);
    connect(&services, &Services::historyReplaced, this, &TitleMaker::forget);
    connect(&services, &Services::historyLost, this, &TitleMaker::forget);
}

void TitleMaker::onStateChanged() {
    if (!m_page.answers()->none()) return giveWay();
    look();
}

void TitleMaker::giveWay() {
    ++m_number;
    m_services.engine().cancel(std::exchange(m_request, 0));
}

void TitleMaker::forget() {
    m_next = {};
    giveWay();
}

bool TitleMaker::mayAsk() const {
    ModelInUse& model = *m_services.model();
    const QString by = m_services.settings()->titles();
    if (!m_isIdle() || model.guiding() || model.state() != ModelInUse::Ready ||
        by == QLatin1String("question"))
        return false;
    return !model.isRemote() || by == QLatin1String("any");
}

void TitleMaker::look() {
    const auto next = std::exchange(m_next, {});
    if (next.answer == 0 || !mayAsk()) return;
    const auto work = [next](history::HistoryReader& history) {
        return untitled(history, next.conversation, next.answer);
    };
    m_services.storage().readBehindWrites(
        this, work, [this, number = ++m_number](const Result<std::optional<Turn>>& turn) {
            if (number == m_number && turn && *turn &&
                (*turn)->branch.back().modelId == m_services.model()->current().id)
                ask(**turn);
        });
}

void TitleMaker::ask(const Turn& turn) {
    const auto said = std::make_shared<std::string>();
    const auto hear = [said](const std::vector<PartPiece>& pieces) {
        for (const PartPiece& piece : pieces)
            if (piece.kind == PartKind::Text) *said += piece.text;
    };
    const auto finished = [this, said, hear, number = m_number, conversation = turn.conversation.id,
                           before = toQString(turn.conversation.title)](const Result<protocol::Done>& done) {
        if (number != m_number) return;
        m_request = 0;
        // One that does not come to an end is no title.
        if (!done || done->result.reason != StopReason::EndOfText) return;
        hear(done->result.tail);
        take(conversation, before, madeTitle(toQString(*said)));
    };
    m_request =
        m_services.engine().generate(requestOf(turn, m_page.chat()->terms()),
                                     {.planned = [](const PromptPlan&) {},
                                      .promptProgress = [](double) {},
                                      .tokens = [hear](const TokenChunk& chunk) { hear(chunk.pieces); },
                                      .finished = whileAlive(this, finished)});
}

void TitleMaker::take(RowId conversation, const QString& before, const QString& title) {
    if (title.isEmpty() || title == before) return;
    retitle(conversation, before, title, [this, conversation, before, title] {
        m_services.notices()->showUndo(
            this, tr("Named “%1”").arg(title),
            [this, conversation, before, title] { retitle(conversation, title, before, [] {}); });
    });
}

void TitleMaker::retitle(RowId conversation, const QString& from, const QString& to,
                         const std::function<void()>& then) {
    const auto work = [conversation, from = from.toStdString(),
                       to = to.toStdString()](history::History& history) -> Result<bool> {
        INGLE_TRY_ASSIGN(const Turn turn, history::readTurn(history, conversation, 0, 1));
        if (turn.conversation.title != from) return false;
        INGLE_TRY(history::renameConversation(history, conversation, to));
        return true;
    };
    m_services.storage().run(this, work, [this, conversation, to, then](const Result<bool>& renamed) {
        // The title of before is none that anybody would miss.
        if (!renamed || !*renamed) return;
        m_page.chat()->conversationRenamed(conversation, to);
        emit m_page.chat()->listOutdated();
        then();
    });
}

}  // namespace ingle::desktop
