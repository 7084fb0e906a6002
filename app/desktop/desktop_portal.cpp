#include "app/desktop/desktop_portal.h"

#include <QClipboard>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPalette>
#include <QStandardPaths>
#include <QUrl>

namespace ingle::desktop {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kSettings = QStringLiteral("org.freedesktop.portal.Settings");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColorScheme = QStringLiteral("color-scheme");
constexpr uint kDark = 1;  // values of color-scheme: 0 no preference, 1 dark, 2 light

QDBusMessage portalCall(const QString& interface, const QString& method) {
    return QDBusMessage::createMethodCall(kService, kPath, interface, method);
}

}  // namespace

DesktopPortal::DesktopPortal(QObject* parent) : QObject(parent) {
    // Without a portal, a dark system palette is the next best sign.
    m_prefersDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;

    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    const QDBusConnectionInterface* names = bus.interface();
    m_available =
        names->isServiceRegistered(kService) || names->activatableServiceNames().value().contains(kService);
    if (!m_available) return;

    bus.connect(kService, kPath, kSettings, "SettingChanged", this,
                SLOT(onSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage read = portalCall(kSettings, "Read");
    read << kAppearance << kColorScheme;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(read), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        // Read answers a variant inside a variant.
        if (reply.isValid()) setPrefersDark(reply.value().variant().value<QDBusVariant>().variant());
        watcher->deleteLater();
    });
}

QString DesktopPortal::fixedFontFamily() const {
    return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

void DesktopPortal::copy(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

void DesktopPortal::copyLink(const QString& target) {
    copy(target);
    emit linkCopied(target);
}

void DesktopPortal::openLink(const QString& target) {
    const auto copyInstead = [this, target] { copyLink(target); };
    if (!m_available) return copyInstead();
    QDBusMessage open = portalCall("org.freedesktop.portal.OpenURI", "OpenURI");
    open << QString() << target << QVariantMap();
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(open), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [watcher, copyInstead] {
        if (watcher->isError()) copyInstead();
        watcher->deleteLater();
    });
}

void DesktopPortal::chooseFile(const QString& title) {
    QDBusMessage call = portalCall("org.freedesktop.portal.FileChooser", "OpenFile");
    call << QString() << title << QVariantMap();
    choose(call, SLOT(onFileResponse(uint, QVariantMap)));
}

void DesktopPortal::chooseSave(const QString& title, const QString& name) {
    // Where nobody can be asked: a new name among the documents.
    const auto chooseItself = [this, name] {
        const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
        const QString folder = QDir(documents).exists() ? documents : QDir::homePath();
        QString path = folder + '/' + name;
        for (int i = 2; QFileInfo::exists(path); ++i)
            path = QString("%1/%2-%3.%4")
                       .arg(folder, QFileInfo(name).baseName())
                       .arg(i)
                       .arg(QFileInfo(name).suffix());
        emit saveChosen(path);
    };
    if (!m_available) return chooseItself();
    QDBusMessage call = portalCall("org.freedesktop.portal.FileChooser", "SaveFile");
    call << QString() << title << QVariantMap{{"current_name", name}};
    choose(call, SLOT(onSaveResponse(uint, QVariantMap)), chooseItself);
}

void DesktopPortal::choose(const QDBusMessage& call, const char* slot,
                           const std::function<void()>& otherwise) {
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, slot, otherwise] {
        const QDBusPendingReply<QDBusObjectPath> reply = *watcher;
        if (reply.isValid()) {
            QDBusConnection::sessionBus().connect(kService, reply.value().path(),
                                                  "org.freedesktop.portal.Request", "Response", this, slot);
        } else if (otherwise) {
            otherwise();
        }
        watcher->deleteLater();
    });
}

void DesktopPortal::onSettingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
    if (space == kAppearance && key == kColorScheme) setPrefersDark(value.variant());
}

void DesktopPortal::onFileResponse(uint response, const QVariantMap& results) {
    const QStringList uris = results.value("uris").toStringList();
    if (response == 0 && !uris.isEmpty()) emit fileChosen(QUrl(uris.first()).toLocalFile());
}

void DesktopPortal::onSaveResponse(uint response, const QVariantMap& results) {
    const QStringList uris = results.value("uris").toStringList();
    if (response == 0 && !uris.isEmpty()) emit saveChosen(QUrl(uris.first()).toLocalFile());
}

void DesktopPortal::setPrefersDark(const QVariant& colorScheme) {
    const bool dark = colorScheme.toUInt() == kDark;
    if (dark == m_prefersDark) return;
    m_prefersDark = dark;
    emit prefersDarkChanged();
}

}  // namespace ingle::desktop
