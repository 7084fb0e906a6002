/// Chats of other programs, and our own exports, on their way into the history: what is in a file is said
/// before anything is written. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QUrl>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "app/exchange/import_chats.h"
#include "app/storage/lane.h"
#include "ingle/recognition.h"

namespace ingle::desktop {

class ChatImport : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Whose chats can be imported: "ChatGPT, GPT4All, …".
    Q_PROPERTY(QString programs READ programs CONSTANT)
    Q_PROPERTY(State state READ state NOTIFY changed)
    /// What is in the file, how far the import is, or what came of it.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
    /// How much of it is written, 0 … 1.
    Q_PROPERTY(double fraction READ fraction NOTIFY changed)
    /// What of it does not come along, a line for each kind.
    Q_PROPERTY(QStringList leftOut READ leftOut NOTIFY changed)
    /// The engine's own words about a failure.
    Q_PROPERTY(QString details READ details NOTIFY changed)
  public:
    enum State { Idle, Looking, Asking, Importing, Done, Failed };
    Q_ENUM(State)

    /// `dataDir`: nothing in there is somebody else's export.
    ChatImport(StorageThread& storage, Notices& notices, std::string dataDir, QObject* parent = nullptr);
    ~ChatImport() override;

    static QString programs();
    State state() const { return m_state; }
    QString sentence() const;
    double fraction() const;
    QStringList leftOut() const;
    QString details() const { return m_details; }

    using Rest = std::function<void(const std::vector<Recognition>&)>;
    /// Asks about those of the things that hold chats, and hands the others on.
    void offer(const std::vector<Recognition>& things, const Rest& rest);
    /// The person says that there are chats in it.
    Q_INVOKABLE void open(const QUrl& url);
    /// Yes, to what is asked.
    Q_INVOKABLE void start();
    /// No, or: stop what is under way; of a result: it was read.
    Q_INVOKABLE void cancel();
    /// The last import, into the trash.
    Q_INVOKABLE void takeBack();

  signals:
    void changed();
    /// There is something to show.
    void wanted();
    void imported();
    void takenBack(const std::vector<ingle::history::RowId>& conversations);

  private:
    struct Job;
    struct Gate;
    using Sorted = std::pair<std::vector<exchange::Recognised>, std::vector<Recognition>>;

    /// Runs on the lane, and `then` with what it returned here.
    template <typename Work, typename Then>
    void post(Work work, Then then);
    void setState(State state);
    void lookAtNext();
    void failed(const Error& error);

    StorageThread& m_storage;
    Notices& m_notices;
    const std::string m_dataDir;
    State m_state = Idle;
    std::deque<exchange::Recognised> m_waiting;  ///< the first one is what everything else speaks of
    exchange::Findings m_findings;
    QString m_failure, m_details;
    void takeBack(const std::vector<history::RowId>& all);

    std::vector<history::RowId> m_last;  ///< what came with the last import
    std::shared_ptr<Job> m_job;
    std::shared_ptr<Gate> m_gate;
    QTimer m_ticks;  ///< while something is under way
    storage::Lane m_lane;
};

}  // namespace ingle::desktop
