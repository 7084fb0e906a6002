#include "app/desktop/desktop_portal.h"

#include <QClipboard>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPalette>
#include <QVariantMap>

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
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);

    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    const QDBusConnectionInterface* names = bus.interface();
    m_available =
        names->isServiceRegistered(kService) || names->activatableServiceNames().value().contains(kService);
    if (!m_available) return;
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs, false);

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

void DesktopPortal::onSettingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
    if (space == kAppearance && key == kColorScheme) setPrefersDark(value.variant());
}

void DesktopPortal::setPrefersDark(const QVariant& colorScheme) {
    const bool dark = colorScheme.toUInt() == kDark;
    if (dark == m_prefersDark) return;
    m_prefersDark = dark;
    emit prefersDarkChanged();
}

}  // namespace ingle::desktop
