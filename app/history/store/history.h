/// The history: every conversation, kept in one SQLite file (WAL) whose schema is documented in
/// docs/history-schema.md. What the window has painted is in here before it is painted.
///
/// These two hold the file, and app/history/opening.h opens it. What is read and written is said by functions
/// over them, in headers by subject: one over a HistoryReader only reads, one over a History may write.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/history/store/row_id.h"
#include "ingle/result.h"

namespace ingle::history {

class Database;

/// Whether the history's file is still where it was opened.
enum class Whereabouts {
    InPlace,
    Removed,
    Replaced,
    Overwritten,       ///< it is, but somebody else has written into it
    BeingOverwritten,  ///< and may not have finished: it has changed since the last look
};

/// What reads. One connection: one thread calls everything but interrupt().
class HistoryReader {
  public:
    explicit HistoryReader(std::unique_ptr<Database> database);
    virtual ~HistoryReader();

    /// Why it can only be read: a newer version wrote it, or nobody may write the file.
    const std::optional<Error>& refusal() const;
    /// Ends what another thread reads with ErrorCode::Cancelled. From any thread, while this lives.
    void interrupt();

    const std::string& path() const;
    Database& database() { return *m_database; }  ///< for app/history and its tests

  protected:
    std::unique_ptr<Database> m_database;
};

/// The connection that writes.
class History : public HistoryReader {
  public:
    using HistoryReader::HistoryReader;

    /// What `work` writes into this becomes one transaction (FULL): when it fails, nothing is written.
    Status atOnce(const std::function<Status()>& work);

    /// Brings streamed text to the disk (Database::syncWhenDue()): to be called again after that time, and
    /// soon after an answer has begun. Errors: Io.
    Result<std::optional<std::chrono::milliseconds>> syncWhenDue();

    Whereabouts whereabouts();
    /// Writes everything to `target`, under a name that nobody has, and goes on there: answers that are being
    /// written, too. Errors: Io; Corrupt when the file was overwritten and ours is not to be had any more. It
    /// goes on as before then.
    Status moveTo(const std::string& target);
    /// Closes a file that was overwritten and leaves nothing of ours in it: what only the log held is gone.
    static void leave(std::unique_ptr<History> history);

    /// Whether shredSlice() may have something to do (app/history/trash/shredding.h).
    bool mayShred() const { return m_mayShred; }
    void setMayShred(bool mayShred) { m_mayShred = mayShred; }

  private:
    bool m_mayShred = true;
};

/// What a moveTo() that was killed left in the folder: what is whole gets the name it was to have, or one
/// like it where that has been taken; the rest goes. Returns the names that are not as wanted. Errors: Io.
Result<std::vector<std::string>> takeUpRescued(const std::string& folder);

}  // namespace ingle::history
