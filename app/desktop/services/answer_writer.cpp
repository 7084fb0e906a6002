#include "app/desktop/services/answer_writer.h"

#include <chrono>
#include <string>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/history/chats/answers.h"

namespace ingle::desktop {

using namespace std::chrono_literals;

AnswerWriter::AnswerWriter(StorageThread& storage, QObject* parent)
    : QObject(parent), m_storage(storage), m_retry(this) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(2s);
    connect(&m_retry, &QTimer::timeout, this, &AnswerWriter::write);
}

void AnswerWriter::begin(history::RowId message, const Part* last) {
    m_state = State::Open;
    m_thinks = last != nullptr && last->kind == PartKind::Thought;
    m_thought.invalidate();
    m_message = message;
    m_pending = {};
    m_end.reset();
}

void AnswerWriter::append(const TokenChunk& chunk) {
    if (!active()) return;
    ingle::append(m_pending, {chunk.ids, timed(chunk.pieces)});
    if (m_state == State::Open) write();
}

void AnswerWriter::end(history::AnswerEnd end) {
    if (!active() || m_end) return;
    std::vector<PartPiece> last = timed(std::exchange(end.pieces, {}));
    endThought(last);
    ingle::append(m_pending, {std::exchange(end.ids, {}), std::move(last)});
    m_end = std::move(end);
    if (m_state == State::Open) write();
}

std::vector<PartPiece> AnswerWriter::timed(std::vector<PartPiece> pieces) {
    std::vector<PartPiece> out;
    for (PartPiece& piece : pieces) {
        const bool thinks = piece.kind == PartKind::Thought;
        if (m_thinks && (!thinks || piece.begins)) endThought(out);
        if (thinks && !std::exchange(m_thinks, true)) m_thought.start();
        out.push_back(std::move(piece));
    }
    return out;
}

void AnswerWriter::endThought(std::vector<PartPiece>& pieces) {
    if (!std::exchange(m_thinks, false) || !m_thought.isValid()) return;
    pieces.push_back({PartKind::Thought, "", std::to_string(m_thought.elapsed())});
    m_thought.invalidate();
}

void AnswerWriter::write() {
    // One write at a time: a slow disk makes the next one larger instead of making a queue.
    m_state = State::Writing;
    const TokenChunk chunk = std::exchange(m_pending, {});
    const auto work = [message = m_message, chunk, end = m_end](history::History& history) -> Status {
        if (!end) return history::appendAnswer(history, message, chunk.pieces, chunk.ids, "");
        history::AnswerEnd whole = *end;
        whole.pieces = chunk.pieces;
        whole.ids = chunk.ids;
        return history::finishAnswer(history, message, whole);
    };
    m_storage.run(this, work, [this, chunk, isLast = m_end.has_value()](const Status& status) {
        if (!status) return onRefused(chunk, status.error());
        endStall();
        if (!chunk.pieces.empty()) emit committed(m_message, chunk.pieces);
        if (isLast) return finish(*m_end);
        m_state = State::Open;
        if (m_end || !m_pending.ids.empty() || !m_pending.pieces.empty()) write();
    });
}

void AnswerWriter::onRefused(const TokenChunk& chunk, const Error& error) {
    if (error.code != ErrorCode::Io) {
        endStall();
        return finish(history::failedWith(error));
    }
    TokenChunk again = chunk;
    ingle::append(again, m_pending);
    m_pending = std::move(again);
    m_state = State::Waiting;
    m_stalled = true;
    m_retry.start();
    emit stalled(errorSentence(error));
}

void AnswerWriter::endStall() {
    if (std::exchange(m_stalled, false)) emit stalled({});
}

void AnswerWriter::finish(const history::AnswerEnd& end) {
    m_state = State::Idle;
    // By value: the signal may begin the next answer.
    emit finished(m_message, history::AnswerEnd(end));
}

}  // namespace ingle::desktop
