#include "app/desktop/services/running_answers.h"

#include <QTimer>

#include <algorithm>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/answers.h"

namespace ingle::desktop {

using history::MessageStatus;
using history::RowId;
using State = AnswerProgress::State;

namespace {

/// By the person.
history::AnswerEnd stopped() {
    history::AnswerEnd ending;
    ending.status = MessageStatus::Stopped;
    ending.reason = StopReason::Cancelled;
    return ending;
}

constexpr qint64 kSpeedWindowMs = 300;  // a speed over less time would only flicker
constexpr int kSeekMs = 2'000;          // so long an answer waits for better passages

}  // namespace

struct RunningAnswers::Answer : QObject {
    Answer(StorageThread& storage, QObject* parent) : QObject(parent), writer(storage) {}

    RowId conversation = 0;
    history::AnswerTerms usual;
    AnswerProgress progress;
    AnswerWriter writer;
    history::Prompt prompt;
    std::vector<Part> parts;  ///< told, as they are in the history
    RowId firstKept = 0;
    protocol::RequestId request = 0;
    int numBrought = 0;       ///< pictures
    bool engineDone = false;  ///< no more of this answer will come
    QElapsedTimer sinceFirstToken;
};

RunningAnswers::RunningAnswers(StorageThread& storage, EngineClient& engine, QObject* parent)
    : QObject(parent), m_storage(storage), m_engine(engine), m_courier(storage, engine) {}

RunningAnswers::~RunningAnswers() {
    // Nobody hears of them any more.
    for (const Answer* answer : m_answers) m_engine.cancel(answer->request);
}

RunningAnswers::Answer* RunningAnswers::find(RowId conversation) const {
    const auto found = std::ranges::find(m_answers, conversation, &Answer::conversation);
    return found == m_answers.end() ? nullptr : *found;
}

const AnswerProgress* RunningAnswers::of(RowId conversation) const {
    const Answer* answer = find(conversation);
    return answer == nullptr ? nullptr : &answer->progress;
}

bool RunningAnswers::follows(RowId conversation, RowId question) const {
    const Answer* answer = find(conversation);
    return answer != nullptr &&
           std::ranges::find(answer->prompt.messages, question) != answer->prompt.messages.end();
}

bool RunningAnswers::complete(RowId conversation, std::vector<history::Message>& branch) const {
    const Answer* answer = find(conversation);
    const bool begins = answer != nullptr && answer->writer.message() == 0;
    for (history::Message& message : branch) {
        if (answer != nullptr && answer->writer.active() && answer->writer.message() == message.id) {
            message.parts = answer->parts;
            message.firstKept = answer->firstKept;
            message.status = MessageStatus::Streaming;
        } else if (message.status == MessageStatus::Streaming && !begins) {
            return false;
        }
    }
    return true;
}

void RunningAnswers::setState(Answer& answer, State state) {
    if (answer.progress.state == state) return;
    answer.progress.state = state;
    emit stateChanged(answer.conversation);
}

void RunningAnswers::start(RowId conversation, history::AnswerTerms usual, Work work, Started started) {
    Answer& answer = *m_answers.emplace_back(new Answer(m_storage, this));
    answer.conversation = conversation;
    answer.usual = std::move(usual);
    connect(&answer.writer, &AnswerWriter::committed, this,
            [this, &answer](RowId message, const std::vector<PartPiece>& pieces) {
                for (const PartPiece& piece : pieces) ingle::append(answer.parts, piece);
                emit committed(message, pieces);
            });
    connect(&answer.writer, &AnswerWriter::finished, this,
            [this, &answer](RowId, const history::AnswerEnd& ending) { onFinished(answer, ending); });
    connect(&answer.writer, &AnswerWriter::stalled, this, [this, &answer](const QString& sentence) {
        answer.progress.stalled = !sentence.isEmpty();
        emit stalled(sentence);
        emit stateChanged(answer.conversation);
    });
    emit stateChanged(conversation);
    m_storage.run(this, std::move(work),
                  [this, &answer, started = std::move(started)](const Result<history::Turn>& turn) {
                      if (turn) answer.conversation = turn->conversation.id;
                      started(turn);
                      onStarted(answer, turn);
                  });
}

void RunningAnswers::onStarted(Answer& answer, const Result<history::Turn>& turn) {
    if (!turn) return remove(answer);
    const history::Message& message = turn->branch.back();
    answer.parts = message.parts;
    answer.firstKept = message.firstKept;
    answer.writer.begin(message.id, message.parts.empty() ? nullptr : &message.parts.back());
    answer.prompt = history::promptOf(*turn, answer.usual);
    if (turn->sought.empty() || !m_embeddingModel.isThere()) return generate(answer);
    seek(answer, turn->sought);
}

void RunningAnswers::seek(Answer& answer, const std::string& question) {
    const auto onChosen = [this, &answer](const Result<history::Turn>& turn) {
        if (turn) {
            answer.prompt = history::promptOf(*turn, answer.usual);
            emit chosenAgain(*turn);
        }
        generate(answer);
    };
    const auto onMeaning = [this, &answer, onChosen,
                            model = m_embeddingModel.id](const Result<TextRows>& rows) {
        if (!rows) return generate(answer);
        const auto work = [message = answer.writer.message(),
                           meaning = history::TextVector{model, rows->front()}](history::History& history) {
            return history::chooseAgain(history, message, meaning);
        };
        m_storage.run(&answer, work, onChosen);
    };
    answer.request = m_engine.embed(m_embeddingModel.path, {question}, TextUse::Query,
                                    EngineClient::When::Now, whileAlive(&answer, onMeaning));
    QTimer::singleShot(kSeekMs, &answer, [this, &answer, request = answer.request] {
        if (answer.request == request) m_engine.cancel(request);
    });
}

void RunningAnswers::generate(Answer& answer) {
    // Stopped before there was anything to cancel.
    if (answer.progress.state == State::Stopping) return onEngineDone(answer, stopped());
    answer.prompt.request.guesses = m_guesses;
    setState(answer, m_answers.size() > 1 ? State::Waiting : State::Reading);
    answer.request = m_engine.generate(
        answer.prompt.request,
        {.planned = whileAlive(&answer, [this, &answer](const PromptPlan& plan) { onPlanned(answer, plan); }),
         .promptProgress = whileAlive(&answer,
                                      [this, &answer](double fraction) {
                                          AnswerProgress& now = answer.progress;
                                          const bool isPlanned = now.plan.promptTokens > 0;
                                          (isPlanned ? now.promptFraction : now.pictureFraction) = fraction;
                                          emit progressed(answer.conversation);
                                      }),
         .tokens = whileAlive(&answer, [this, &answer](const TokenChunk& chunk) { onTokens(answer, chunk); }),
         .finished = whileAlive(&answer, [this, &answer](const Result<protocol::Done>& done) {
             if (!done && bringPicture(answer, done.error())) return;
             if (!done) return onEngineDone(answer, history::failedWith(done.error()));
             history::AnswerEnd ending;
             const GenerateResult* result = &done->result;
             ending.receipt = done->receipt;
             if (result->stats.decodeMs > 0) {
                 answer.progress.tokensPerSecond = result->stats.newTokens * 1000.0 / result->stats.decodeMs;
             }
             ending.stats = result->stats;
             ending.pieces = result->tail;
             ending.withheld = result->withheld;
             ending.reason = result->reason;
             if (result->reason != StopReason::EndOfText) ending.status = MessageStatus::Stopped;
             onEngineDone(answer, std::move(ending));
         })});
}

bool RunningAnswers::bringPicture(Answer& answer, const Error& error) {
    if (++answer.numBrought > PictureCourier::kMostAtOnce) return false;
    return m_courier.bring(
        error, &answer, [this, &answer] { generate(answer); },
        [this, &answer](const Error& why) { onEngineDone(answer, history::failedWith(why)); });
}

void RunningAnswers::stop(RowId conversation) {
    if (Answer* answer = find(conversation)) stop(*answer);
}

void RunningAnswers::stopAll() {
    for (Answer* answer : m_answers) stop(*answer);
}

void RunningAnswers::stop(Answer& answer) {
    if (answer.progress.state == State::Stopping) return;
    // While the question is still being stored there is nothing to cancel; generate() finds it.
    if (answer.request != 0) m_engine.cancel(answer.request);
    setState(answer, State::Stopping);
}

void RunningAnswers::abandon(RowId conversation) {
    Answer* answer = find(conversation);
    if (answer == nullptr) return;
    stop(*answer);
    answer->writer.end(stopped());
}

void RunningAnswers::onPlanned(Answer& answer, const PromptPlan& plan) {
    answer.progress.plan = plan;
    if (answer.progress.state == State::Waiting) setState(answer, State::Reading);
    emit progressed(answer.conversation);
    const RowId firstKept = history::firstKept(answer.prompt, plan);
    answer.firstKept = firstKept;
    emit planned(answer.conversation, firstKept);
    const auto work = [message = answer.writer.message(), hash = plan.promptHash,
                       firstKept](history::History& history) -> Status {
        return history::setPrompt(history, message, hash, firstKept);
    };
    m_storage.run(this, work, [](const Status&) {});  // a cache key; the answer does not depend on it
}

void RunningAnswers::onTokens(Answer& answer, const TokenChunk& chunk) {
    AnswerProgress& progress = answer.progress;
    if (progress.newTokens == 0) answer.sinceFirstToken.start();
    const qint64 elapsedMs = answer.sinceFirstToken.elapsed();
    if (elapsedMs > kSpeedWindowMs) {
        progress.tokensPerSecond = progress.newTokens * 1000.0 / static_cast<double>(elapsedMs);
    }
    progress.newTokens += static_cast<uint32_t>(chunk.ids.size());
    if (progress.state != State::Stopping) setState(answer, State::Streaming);
    emit progressed(answer.conversation);
    answer.writer.append(chunk);
}

void RunningAnswers::onEngineDone(Answer& answer, history::AnswerEnd ending) {
    answer.engineDone = true;
    if (!answer.writer.active()) return remove(answer);
    answer.writer.end(std::move(ending));
}

void RunningAnswers::onFinished(Answer& answer, const history::AnswerEnd& ending) {
    emit ended(answer.conversation, answer.writer.message(), ending);
    if (answer.engineDone) return remove(answer);
    // Nothing of it is kept any more, but its last words are still to come.
    stop(answer);
}

QString RunningAnswers::endSentence(const history::Message& message) {
    if (message.stopReason == StopReason::MaxTokens) return tr("The answer reached its length limit.");
    if (message.stopReason == StopReason::ContextFull) return tr("The model's context is full.");
    return message.error ? errorSentence(*message.error) : QString();
}

QString RunningAnswers::endDetails(const history::Message& message) {
    return message.error ? errorDetails(*message.error) : QString();
}

void RunningAnswers::remove(Answer& answer) {
    std::erase(m_answers, &answer);
    answer.deleteLater();  // its writer may be the one that is speaking
    emit stateChanged(answer.conversation);
}

}  // namespace ingle::desktop
