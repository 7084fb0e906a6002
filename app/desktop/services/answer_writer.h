/// Brings a streamed answer into the history, and only then to the view: text is painted after it is
/// committed. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <optional>
#include <vector>

#include "app/desktop/services/storage_thread.h"
#include "app/history/chats/answers.h"

namespace ingle::desktop {

/// One answer at a time. While the disk refuses (ErrorCode::Io: full, read-only), what arrived waits in
/// memory, nothing new is painted, and the write is tried again. Any other error is there to stay: it ends
/// the answer.
class AnswerWriter : public QObject {
    Q_OBJECT
  public:
    explicit AnswerWriter(StorageThread& storage, QObject* parent = nullptr);

    bool active() const { return m_state != State::Idle; }
    history::RowId message() const { return m_message; }

    /// `last`: the last part of an answer that goes on; null: it has none yet.
    void begin(history::RowId message, const Part* last = nullptr);
    void append(const TokenChunk& chunk);
    /// Commits what is left and the end of the answer at once; then finished() follows.
    void end(history::AnswerEnd end);

  signals:
    void committed(ingle::history::RowId message, const std::vector<ingle::PartPiece>& pieces);
    /// After end(), or by itself with a failed ending when the history refuses the answer for good.
    void finished(ingle::history::RowId message, const ingle::history::AnswerEnd& end);
    /// The disk refuses; empty when it works again.
    void stalled(const QString& sentence);

  private:
    enum class State {
        Idle,     ///< no answer
        Open,     ///< everything that arrived is written
        Writing,  ///< a write is on its way; what arrives meanwhile goes with the next one
        Waiting,  ///< the disk refused; the next attempt comes with the timer
    };

    /// With how long each thought took, behind its last piece.
    std::vector<PartPiece> timed(std::vector<PartPiece> pieces);
    void endThought(std::vector<PartPiece>& pieces);
    void write();
    void onRefused(const TokenChunk& chunk, const Error& error);
    void finish(const history::AnswerEnd& end);
    /// The disk works again, or it no longer matters.
    void endStall();

    StorageThread& m_storage;
    QTimer m_retry;
    State m_state = State::Idle;
    history::RowId m_message = 0;
    TokenChunk m_pending;  ///< what arrived and is not stored yet
    std::optional<history::AnswerEnd> m_end;
    bool m_thinks = false;    ///< the last piece was a thought
    QElapsedTimer m_thought;  ///< since that began; invalid: not in this run
    bool m_stalled = false;   ///< stalled() was said and not taken back
};

}  // namespace ingle::desktop
