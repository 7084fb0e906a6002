#include "app/desktop/data/chat_import.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/exchange_sentences.h"
#include "app/desktop/services/text.h"
#include "app/history/trash/trash.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;
using history::RowId;

/// An import that was told to end does so in this time; else what it has brought goes at the next start.
constexpr auto kImportPatience = 500ms;
constexpr auto kImportTick = 100ms;

QString nameOf(const exchange::Recognised& recognised) {
    return QFileInfo(toQString(recognised.source.path)).fileName();
}

QString programOf(const exchange::Recognised& recognised) {
    return toQString(std::string(recognised.importer->program));
}

/// Our own history is open: whoever else opens its file and closes it lets go of SQLite's locks
/// (https://www.sqlite.org/howtocorrupt.html, 2.2).
bool isIn(const std::string& folder, const std::string& path) {
    std::error_code error;
    return std::filesystem::equivalent(std::filesystem::path(path).parent_path(), folder, error);
}

}  // namespace

/// What lane and window tell each other.
struct ChatImport::Job {
    std::atomic<bool> cancelled = false;
    std::atomic<uint64_t> done = 0;

    static exchange::Course courseOf(const std::shared_ptr<Job>& job) {
        return {.isCancelled = [job] { return job->cancelled.load(); },
                .progress = [job](uint64_t count) { job->done = count; }};
    }
};

/// The way to the history, as long as the window has one: the lane may be left behind.
struct ChatImport::Gate {
    std::mutex mutex;
    StorageThread* storage;

    Status run(const std::function<Status(history::History&)>& work) {
        const auto done = std::make_shared<std::promise<Status>>();
        {
            const std::lock_guard lock(mutex);
            if (!storage) return fail(ErrorCode::Cancelled, "The window was closed.");
            storage->write(work, [done](const Status& status) { done->set_value(status); });
        }
        return done->get_future().get();
    }
};

ChatImport::ChatImport(StorageThread& storage, Notices& notices, std::string dataDir, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_notices(notices),
      m_dataDir(std::move(dataDir)),
      m_gate(std::make_shared<Gate>()),
      m_lane("import", kImportPatience) {
    m_gate->storage = &storage;
    m_ticks.setInterval(kImportTick);
    connect(&m_ticks, &QTimer::timeout, this, &ChatImport::changed);
}

ChatImport::~ChatImport() {
    if (m_job) m_job->cancelled = true;
    const std::lock_guard lock(m_gate->mutex);
    m_gate->storage = nullptr;
}

template <typename Work, typename Then>
void ChatImport::post(Work work, Then then) {
    m_lane.post([self = QPointer(this), work = std::move(work), then = std::move(then)] {
        auto result = work();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, then, result = std::move(result)] {
                if (self) then(result);
            },
            Qt::QueuedConnection);
    });
}

void ChatImport::offer(const std::vector<Recognition>& things, const Rest& rest) {
    post(
        [things, dataDir = m_dataDir]() -> Sorted {
            Sorted sorted;
            for (const Recognition& thing : things) {
                const bool isOurs = isIn(dataDir, thing.path);
                auto found = isOurs ? tl::unexpected<Error>(Error{}) : exchange::recognise(thing.path);
                if (found)
                    sorted.first.push_back(std::move(*found));
                else
                    sorted.second.push_back(thing);
            }
            return sorted;
        },
        [this, rest](const Sorted& sorted) {
            if (!sorted.second.empty()) rest(sorted.second);
            m_waiting.insert(m_waiting.end(), sorted.first.begin(), sorted.first.end());
            lookAtNext();
        });
}

void ChatImport::open(const QUrl& url) {
    const std::string path = url.toLocalFile().toStdString();
    if (isIn(m_dataDir, path))
        return m_notices.showToast(tr("These are your own conversations; “Your data” restores backups."));
    post([path] { return exchange::recognise(path); },
         [this, path](const Result<exchange::Recognised>& found) {
             if (found) {
                 m_waiting.push_back(*found);
                 return lookAtNext();
             }
             const QString name = QFileInfo(toQString(path)).fileName();
             m_notices.showBanner({.topic = Notices::Topic::Files,
                                   .sentence = tr("%1 holds no chats of a program that is known.").arg(name),
                                   .details = errorDetails(found.error())});
         });
}

/// Counts what is in it, unless another one is in work.
void ChatImport::lookAtNext() {
    if (m_state != Idle || m_waiting.empty()) return;
    m_job = std::make_shared<Job>();
    setState(Looking);
    emit wanted();
    post([recognised = m_waiting.front(),
          job = m_job] { return exchange::examine(recognised, Job::courseOf(job)); },
         [this](const Result<exchange::Findings>& findings) {
             if (!findings) return failed(findings.error());
             m_findings = *findings;
             setState(Asking);
         });
}

void ChatImport::start() {
    if (m_state != Asking) return;
    m_job = std::make_shared<Job>();
    setState(Importing);
    post(
        [recognised = m_waiting.front(), gate = m_gate, job = m_job] {
            const auto with = [gate](const std::function<Status(history::History&)>& work) {
                return gate->run(work);
            };
            return exchange::importChats(recognised, with, Job::courseOf(job));
        },
        [this](const Result<exchange::Imported>& result) {
            if (!result) return failed(result.error());
            m_findings = result->findings;
            m_last = result->conversations;
            setState(Done);
            m_notices.showUndo(this, sentence(), [this, all = result->conversations] { takeBack(all); });
            emit imported();
        });
}

void ChatImport::failed(const Error& error) {
    if (error.code == ErrorCode::Cancelled) {
        if (m_state == Importing) m_notices.showToast(tr("The import was stopped; nothing of it stays."));
        setState(Idle);
        m_waiting.pop_front();
        return lookAtNext();
    }
    m_failure = errorSentence(error);
    m_details = errorDetails(error);
    m_findings = {};
    setState(Failed);
}

void ChatImport::cancel() {
    if (m_state == Looking || m_state == Importing) {
        m_job->cancelled = true;
        return;
    }
    if (m_state == Idle) return;
    m_failure = m_details = QString();
    setState(Idle);
    m_waiting.pop_front();
    lookAtNext();
}

void ChatImport::takeBack() {
    takeBack(std::exchange(m_last, {}));
}

void ChatImport::takeBack(const std::vector<history::RowId>& all) {
    const auto work = [all](history::History& history) {
        return history.atOnce([&]() -> Status {
            // One that was deleted meanwhile is where it should be.
            for (const RowId each : all) (void)history::trashConversation(history, each);
            return {};
        });
    };
    m_storage.run(this, work, [this, all](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        if (m_state == Done) cancel();
        m_notices.showToast(tr("The imported chats are in the trash"));
        emit takenBack(all);
    });
}

void ChatImport::setState(State state) {
    m_state = state;
    if (state == Looking || state == Importing)
        m_ticks.start();
    else
        m_ticks.stop();
    emit changed();
}

double ChatImport::fraction() const {
    if (m_state != Importing || m_findings.conversations == 0) return 0;
    return static_cast<double>(m_job->done) / static_cast<double>(m_findings.conversations);
}

QStringList ChatImport::leftOut() const {
    return m_state == Asking || m_state == Done ? leftOutTexts(m_findings) : QStringList();
}

QString ChatImport::programs() {
    return toQString(exchange::importedPrograms());
}

QString ChatImport::sentence() const {
    if (m_state == Idle) return {};
    const QString program = programOf(m_waiting.front()), name = nameOf(m_waiting.front());
    switch (m_state) {
        case Looking:
            return m_job->done == 0 ? tr("Reading %1…").arg(name)
                                    : tr("Reading %1: %2 so far").arg(name, chatsText(m_job->done));
        case Asking: {
            if (m_findings.conversations == 0) return tr("%1 of %2 holds no chat.").arg(name, program);
            const QString what = tr("%1 holds %2 of %3 with %4")
                                     .arg(name, chatsText(m_findings.conversations), program,
                                          messagesText(m_findings.messages));
            const QString years = yearsText(m_findings);
            return years.isEmpty() ? tr("%1.").arg(what) : tr("%1, from %2.").arg(what, years);
        }
        case Importing:
            return tr("Importing chats: %1 of %2")
                .arg(QLocale().toString(static_cast<qulonglong>(m_job->done)),
                     QLocale().toString(static_cast<qulonglong>(m_findings.conversations)));
        case Done:
            return tr("Imported: %1 of %2 with %3.")
                .arg(chatsText(m_findings.conversations), program, messagesText(m_findings.messages));
        default:
            return tr("%1 cannot be imported: %2").arg(name, m_failure);
    }
}

}  // namespace ingle::desktop
