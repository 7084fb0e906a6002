#include "app/desktop/services/desktop_portal.h"

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
#include <QWindow>

#include <utility>

namespace ingle::desktop {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kSettings = QStringLiteral("org.freedesktop.portal.Settings");
const QString kNotification = QStringLiteral("org.freedesktop.portal.Notification");
const QString kRequest = QStringLiteral("org.freedesktop.portal.Request");
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

/// The window that a dialog belongs to, as portals name it. Empty where that cannot be said.
QString ownWindow() {
    const QWindow* window = QGuiApplication::focusWindow();
    const bool isX11 = QGuiApplication::platformName() == "xcb";
    return window && isX11 ? QStringLiteral("x11:%1").arg(window->winId(), 0, 16) : QString();
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

void DesktopPortal::askForPlace(const QString& title, const QString& name) {
    // Dialogs of the desktop are out of the question once a private chat was there: see PrivateChat.
    if (!m_available || QCoreApplication::testAttribute(Qt::AA_DontUseNativeDialogs))
        return emit placeUnanswered();
    QDBusConnection bus = QDBusConnection::sessionBus();
    static uint count = 0;
    const QString token = QStringLiteral("inglenook%1").arg(++count);
    // Where the answer will come from is known beforehand, so that none is missed.
    QString sender = bus.baseService().mid(1);
    m_placeRequest = kPath + "/request/" + sender.replace('.', '_') + '/' + token;
    bus.connect(kService, m_placeRequest, kRequest, "Response", this, SLOT(onPlaceAnswered(QDBusMessage)));
    QDBusMessage save = portalCall("org.freedesktop.portal.FileChooser", "SaveFile");
    save << ownWindow() << title << QVariantMap{{"handle_token", token}, {"current_name", name}};
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(save), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, request = m_placeRequest] {
        if (watcher->isError() && m_placeRequest == request) {
            m_placeRequest.clear();
            emit placeUnanswered();
        }
        watcher->deleteLater();
    });
}

void DesktopPortal::onPlaceAnswered(const QDBusMessage& answer) {
    QDBusConnection::sessionBus().disconnect(kService, answer.path(), kRequest, "Response", this,
                                             SLOT(onPlaceAnswered(QDBusMessage)));
    if (answer.path() != m_placeRequest) return;
    m_placeRequest.clear();
    constexpr uint kCancelled = 1;  // 0: answered, 2: it ended otherwise
    const QList<QVariant> arguments = answer.arguments();
    const uint response = arguments.value(0).toUInt();
    const auto results = qdbus_cast<QVariantMap>(arguments.value(1));
    const QUrl file(results.value("uris").toStringList().value(0));
    if (response == 0 && file.isLocalFile()) return emit placeChosen(file);
    if (response == kCancelled) return emit placeCancelled();
    emit placeUnanswered();
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
