#include "app/desktop/viewmodels/crash_reports.h"

#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "app/crash/crash_report.h"
#include "app/desktop/text.h"
#include "engine/io/atomic_file.h"

namespace ingle::desktop {
namespace {

/// Ours have a few KiB; somebody may have put anything there.
constexpr size_t kMaxBytes = 256 * 1024;

/// The newest one that nobody has been shown.
Result<std::optional<std::string>> readUnseen(const std::string& folder) {
    const auto path = crash::unseenReport(folder);
    if (!path) return std::nullopt;
    std::ifstream file(*path, std::ios::binary);
    std::string text(kMaxBytes, 0);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(file.gcount()));
    if (text.empty()) return std::nullopt;
    return text;
}

Status writeFile(const std::string& path, const std::string& text) {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit();
}

}  // namespace

CrashReports::CrashReports(std::string folder, StorageThread& storage, Notices& notices, QObject* parent)
    : QObject(parent), m_folder(std::move(folder)), m_storage(storage), m_notices(notices) {}

void CrashReports::look() {
    const auto work = [folder = m_folder] { return readUnseen(folder); };
    m_storage.run(this, work, [this](const Result<std::optional<std::string>>& report) {
        if (report && *report) offer(toQString(**report));
    });
}

void CrashReports::offer(const QString& report) {
    m_text = report;
    emit changed();
    // Until it is answered, by opening or closing: what else is said meanwhile does not count. One that
    // cannot be marked is offered again, which does no harm.
    const auto markSeen = [this] {
        m_storage.run(
            this, [folder = m_folder] { return crash::markSeen(folder); }, [](const Status&) {});
    };
    m_notices.showBanner(
        {.topic = Notices::Topic::Crash,
         .sentence =
             tr("Inglenook crashed. A report of it was kept on this computer; it holds nothing you wrote."),
         .action = tr("Show the report"),
         .run = [this] { emit shown(); },
         .answered = markSeen});
}

void CrashReports::saveTo(const QUrl& target) {
    const QString path = target.toLocalFile();
    const auto work = [file = path.toStdString(), text = m_text.toStdString()] {
        return writeFile(file, text);
    };
    m_storage.run(this, work, [this, path](const Status& written) {
        if (written) return m_notices.showToast(tr("Saved as %1").arg(path));
        m_notices.showBanner({.topic = Notices::Topic::Files,
                              .sentence = tr("%1 could not be written.").arg(path),
                              .details = toQString(written.error().message)});
    });
}

}  // namespace ingle::desktop
