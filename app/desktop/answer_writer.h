/// Brings a streamed answer into the history, and only then to the view: text is painted after it is
/// committed. GUI thread.
#pragma once

#include <QObject>
#include <QTimer>

#include <optional>

#include "app/desktop/storage_thread.h"
#include "app/history/history.h"

namespace ingle::desktop {

/// One answer at a time. While the disk refuses (full, read-only), what arrived waits in memory, nothing new
/// is painted, and the write is tried again.
class AnswerWriter : public QObject {
    Q_OBJECT
  public:
    explicit AnswerWriter(StorageThread& storage, QObject* parent = nullptr);

    bool active() const { return m_message != 0; }
    history::RowId message() const { return m_message; }

    void begin(history::RowId message);
    void append(const TokenChunk& chunk);
    /// Commits what is left and the end of the answer at once; then finished() follows.
    void end(history::AnswerEnd end);

  signals:
    void committed(ingle::history::RowId message, const std::string& text);
    void finished(ingle::history::RowId message, const ingle::history::AnswerEnd& end);
    /// The disk refuses; empty when it works again.
    void stalled(const QString& sentence);

  private:
    void write();

    StorageThread& m_storage;
    QTimer m_retry;
    history::RowId m_message = 0;
    TokenChunk m_pending;
    std::optional<history::AnswerEnd> m_end;
    bool m_writing = false;
    bool m_stalled = false;
};

}  // namespace ingle::desktop
