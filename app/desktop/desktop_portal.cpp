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

#include <utility>

namespace ingle::desktop {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kSettings = QStringLiteral("org.freedesktop.portal.Settings");
const QString kNotification = QStringLiteral("org.freedesktop.portal.Notification");
const QString kNotice = QStringLiteral("answer");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColorScheme = QStringLiteral("color-scheme");
constexpr uint kDark = 1;  // values of color-scheme: 0 no preference, 1 dark, 2 light
// Where GNOME keeps whether anything is to move; portals hand it out as it is.
const QString kGnome = QStringLiteral("org.gnome.desktop.interface");
const QString kAnimations = QStringLiteral("enable-animations");

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
    readSetting(kAppearance, kColorScheme);
    readSetting(kGnome, kAnimations);
}

void DesktopPortal::readSetting(const QString& space, const QString& key) {
    QDBusMessage read = portalCall(kSettings, "Read");
    read << space << key;
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(read), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, space, key] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        // Read answers a variant inside a variant.
        if (reply.isValid()) take(space, key, reply.value().variant().value<QDBusVariant>().variant());
        watcher->deleteLater();
    });
}

QString DesktopPortal::fixedFontFamily() const {
    return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

void DesktopPortal::notify(const QString& title, const QString& body) {
    if (!m_available) return;
    QDBusMessage add = portalCall(kNotification, "AddNotification");
    add << kNotice << QVariantMap{{"title", title}, {"body", body}};
    QDBusConnection::sessionBus().asyncCall(add);
    m_noticed = true;
}

void DesktopPortal::takeBackNotice() {
    if (!std::exchange(m_noticed, false)) return;
    QDBusMessage remove = portalCall(kNotification, "RemoveNotification");
    remove << kNotice;
    QDBusConnection::sessionBus().asyncCall(remove);
}

void DesktopPortal::copy(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
    emit copied();
}

void DesktopPortal::copyLink(const QString& target) {
    QGuiApplication::clipboard()->setText(target);
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
    take(space, key, value.variant());
}

void DesktopPortal::take(const QString& space, const QString& key, const QVariant& value) {
    if (space == kAppearance && key == kColorScheme && (value.toUInt() == kDark) != m_prefersDark) {
        m_prefersDark = !m_prefersDark;
        emit prefersDarkChanged();
    }
    if (space == kGnome && key == kAnimations && value.toBool() == m_reducesMotion) {
        m_reducesMotion = !m_reducesMotion;
        emit reducesMotionChanged();
    }
}

}  // namespace ingle::desktop
