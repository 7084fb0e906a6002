#include "app/desktop/settings/crash_reports.h"

#include <fstream>
#include <optional>
#include <utility>

#include "app/crash/crash_report.h"
#include "app/desktop/services/text.h"

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

}  // namespace ingle::desktop
