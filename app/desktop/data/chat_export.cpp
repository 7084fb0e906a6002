#include "app/desktop/data/chat_export.h"

#include <QCoreApplication>
#include <QPointer>
#include <QVariantMap>

#include <atomic>
#include <chrono>
#include <utility>

#include "app/desktop/services/exchange_sentences.h"
#include "app/desktop/services/text.h"
#include "app/history/opening.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kExportPatience = 500ms;
constexpr auto kExportTick = 100ms;

}  // namespace

struct ChatExport::Job {
    std::atomic<bool> cancelled = false;
    std::atomic<uint64_t> done = 0;
};

ChatExport::ChatExport(StorageThread& storage, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_notices(notices), m_lane("export", kExportPatience) {
    m_ticks.setInterval(kExportTick);
    connect(&m_ticks, &QTimer::timeout, this, &ChatExport::changed);
}

ChatExport::~ChatExport() {
    cancel();
}

QVariantList ChatExport::forms() const {
    const auto wordsOf = [](std::string_view extension) {
        return extension == "json" ? tr("Everything in the conversations; it can be brought in again.")
               : extension == "md" ? tr("Text, as shown, for editors and notes.")
                                   : tr("A page, as shown, to read in a browser and to print.");
    };
    QVariantList list;
    for (const exchange::Exporter* each : exchange::allChatExporters()) {
        list.append(QVariantMap{{"extension", toQString(std::string(each->extension))},
                                {"name", toQString(std::string(each->name))},
                                {"words", wordsOf(each->extension)}});
    }
    return list;
}

QString ChatExport::sentence() const {
    if (!m_job) return {};
    return m_job->done == 0 ? tr("Writing…") : tr("Writing: %1 so far").arg(chatsText(m_job->done));
}

void ChatExport::write(qint64 conversation, qint64 folder, const QString& extension, const QUrl& target,
                       bool replace) {
    const exchange::Exporter* exporter = exchange::findExporter(extension.toStdString());
    if (m_job || !exporter || !target.isLocalFile()) return;
    m_job = std::make_shared<Job>();
    m_ticks.start();
    emit changed();
    const QString path = target.toLocalFile();
    const auto write = [=, file = path.toStdString(),
                        job = m_job](const Result<std::string>& history) -> Result<uint64_t> {
        if (!history) return tl::unexpected<Error>(history.error());
        // A connection of its own: it sees one moment of the history, however long it takes.
        INGLE_TRY_ASSIGN(const auto reader, history::openReader(*history));
        return exchange::exportChats(*reader, {.conversation = conversation, .folder = folder}, *exporter,
                                     file, replace ? io::Existing::Replaced : io::Existing::Kept,
                                     {.isCancelled = [job] { return job->cancelled.load(); },
                                      .progress = [job](uint64_t count) { job->done = count; }});
    };
    // What was asked to be written before this is in it.
    m_storage.run(
        this, [](history::History& history) -> Result<std::string> { return history.path(); },
        [this, path, write](const Result<std::string>& history) {
            m_lane.post([self = QPointer(this), path, write, history] {
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [self, path, written = write(history)] {
                        if (self) self->onWritten(path, written);
                    },
                    Qt::QueuedConnection);
            });
        });
}

void ChatExport::onWritten(const QString& path, const Result<uint64_t>& written) {
    m_job.reset();
    m_ticks.stop();
    emit changed();
    if (written) {
        m_notices.showToast(tr("Saved %1 as %2").arg(chatsText(*written), path));
        return emit done();
    }
    if (written.error().code == ErrorCode::Cancelled)
        return m_notices.showToast(tr("The export was stopped; there is no file of it."));
    m_notices.showNotWritten(path, written.error());
}

void ChatExport::cancel() {
    if (m_job) m_job->cancelled = true;
}

}  // namespace ingle::desktop
