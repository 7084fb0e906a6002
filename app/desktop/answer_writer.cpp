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
    m_ending.reset();
}

void AnswerWriter::append(const TokenChunk& chunk) {
    if (!active()) return;
    m_pending.ids.insert(m_pending.ids.end(), chunk.ids.begin(), chunk.ids.end());
    m_pending.text += chunk.text;
    if (!m_stalled) write();
}

void AnswerWriter::end(Ending ending) {
    if (!active()) return;
    m_ending = std::move(ending);
    if (!m_stalled) write();
}

void AnswerWriter::write() {
    // One write at a time: a slow disk makes the next one larger instead of making a queue.
    if (m_writing || !active()) return;
    const bool nothing = m_pending.ids.empty() && m_pending.text.empty();
    if (nothing && !m_ending) return;
    m_writing = true;
    const auto work = [message = m_message, chunk = m_pending,
                       ending = m_ending](StorageThread::Stores& stores) -> Status {
        INGLE_TRY(
            stores.history->appendAnswer(message, chunk.text, chunk.ids, ending ? ending->withheld : ""));
        if (ending) {
            INGLE_TRY(stores.history->finishAnswer(message, ending->status, ending->error, ending->stats));
        }
        return {};
    };
    TokenChunk chunk = std::exchange(m_pending, {});
    m_storage.run(this, work, [this, chunk = std::move(chunk), ending = m_ending](const Status& status) {
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
        if (ending) {
            emit finished(std::exchange(m_message, 0), *ending);
        } else {
            write();
        }
    });
}

}  // namespace ingle::desktop
