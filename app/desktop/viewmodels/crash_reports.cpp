#include "app/desktop/viewmodels/crash_reports.h"

#include <QFile>

#include <utility>

#include "app/crash/crash_report.h"
#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

/// Ours have a few KiB; somebody may have put anything there.
constexpr qint64 kMaxBytes = 256 * 1024;

}  // namespace

CrashReports::CrashReports(std::string folder, Notices& notices, QObject* parent)
    : QObject(parent), m_folder(std::move(folder)), m_notices(notices) {}

void CrashReports::look() {
    const auto path = crash::unseenReport(m_folder);
    if (!path) return;
    QFile file(toQString(*path));
    if (!file.open(QIODevice::ReadOnly)) return;
    m_text = QString::fromUtf8(file.read(kMaxBytes));
    emit changed();
    // Until it is answered, by opening or closing: what else is said meanwhile does not count. One that
    // cannot be marked is offered again, which does no harm.
    m_notices.showBanner(
        {.topic = Notices::Topic::Crash,
         .sentence =
             tr("Inglenook crashed. A report of it was kept on this computer; it holds nothing you wrote."),
         .action = tr("Show the report"),
         .run = [this] { emit shown(); },
         .answered = [this] { (void)crash::markSeen(m_folder); }});
}

void CrashReports::saveTo(const QUrl& target) {
    const QString path = target.toLocalFile();
    QFile file(path);
    const QByteArray bytes = m_text.toUtf8();
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.flush())
        m_notices.showToast(tr("Saved as %1").arg(path));
    else
        m_notices.showBanner(
            {Notices::Topic::Files, tr("%1 could not be written: %2.").arg(path, file.errorString())});
}

}  // namespace ingle::desktop
