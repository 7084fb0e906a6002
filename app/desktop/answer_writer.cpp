#include "app/desktop/answer_writer.h"

#include <chrono>
#include <utility>

#include "app/desktop/text.h"

namespace ingle::desktop {

using namespace std::chrono_literals;

AnswerWriter::AnswerWriter(StorageThread& storage, QObject* parent)
    : QObject(parent), m_storage(storage), m_retry(this) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(2s);
    connect(&m_retry, &QTimer::timeout, this, &AnswerWriter::write);
}

void AnswerWriter::begin(history::RowId message) {
    m_message = message;
    m_pending = {};
    m_end.reset();
}

void AnswerWriter::append(const TokenChunk& chunk) {
    if (!active()) return;
    m_pending.ids.insert(m_pending.ids.end(), chunk.ids.begin(), chunk.ids.end());
    m_pending.text += chunk.text;
    if (!m_stalled) write();
}

void AnswerWriter::end(history::AnswerEnd end) {
    if (!active()) return;
    m_pending.text += std::exchange(end.text, {});
    m_end = std::move(end);
    if (!m_stalled) write();
}

void AnswerWriter::write() {
    // One write at a time: a slow disk makes the next one larger instead of making a queue.
    if (m_writing || !active()) return;
    const bool nothing = m_pending.ids.empty() && m_pending.text.empty();
    if (nothing && !m_end) return;
    m_writing = true;
    const TokenChunk chunk = std::exchange(m_pending, {});
    const bool isLast = m_end.has_value();
    const auto work = [message = m_message, chunk, end = m_end](StorageThread::Stores& stores) -> Status {
        if (!end) return stores.history->appendAnswer(message, chunk.text, chunk.ids, "");
        history::AnswerEnd whole = *end;
        whole.text = chunk.text;
        whole.ids = chunk.ids;
        return stores.history->finishAnswer(message, whole);
    };
    m_storage.run(this, work, [this, chunk, isLast](const Status& status) {
        m_writing = false;
        if (!status) {
            m_pending.ids.insert(m_pending.ids.begin(), chunk.ids.begin(), chunk.ids.end());
            m_pending.text.insert(0, chunk.text);
            m_stalled = true;
            emit stalled(toQString(status.error().message));
            m_retry.start();
            return;
        }
        if (std::exchange(m_stalled, false)) emit stalled({});
        if (!chunk.text.empty()) emit committed(m_message, chunk.text);
        if (isLast) {
            emit finished(std::exchange(m_message, 0), *m_end);
        } else {
            write();
        }
    });
}

}  // namespace ingle::desktop
