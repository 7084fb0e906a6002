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
// How a person's answer is told; 0: as they were asked.
constexpr uint kCancelled = 1, kEnded = 2;
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

bool DesktopPortal::canShoot() const {
    // Dialogs of the desktop are out of the question once a private chat was there: see PrivateChat.
    return m_available && !QCoreApplication::testAttribute(Qt::AA_DontUseNativeDialogs);
}

void DesktopPortal::askForScreen() {
    if (!canShoot()) return emit screenRefused();
    ask("org.freedesktop.portal.Screenshot", "Screenshot", {}, {{"interactive", true}},
        [this](uint response, const QVariantMap& results) {
            const QUrl file(results.value("uri").toString());
            if (response == 0 && file.isLocalFile()) return emit screenTaken(file);
            if (response != kCancelled) emit screenRefused();
        });
}

void DesktopPortal::askForPlace(const QString& title, const QString& name) {
    const uint number = ++m_numPlaces;
    if (!m_available || QCoreApplication::testAttribute(Qt::AA_DontUseNativeDialogs))
        return emit placeUnanswered();
    ask("org.freedesktop.portal.FileChooser", "SaveFile", {title}, {{"current_name", name}},
        [this, number](uint response, const QVariantMap& results) {
            if (number != m_numPlaces) return;
            const QUrl file(results.value("uris").toStringList().value(0));
            if (response == 0 && file.isLocalFile()) return emit placeChosen(file);
            if (response == kCancelled) return emit placeCancelled();
            emit placeUnanswered();
        });
}

void DesktopPortal::ask(const QString& interface, const QString& method, const QVariantList& arguments,
                        QVariantMap options, Answered answered) {
    QDBusConnection bus = QDBusConnection::sessionBus();
    static uint count = 0;
    const QString token = QStringLiteral("inglenook%1").arg(++count);
    // Where the answer will come from is known beforehand, so that none is missed.
    QString sender = bus.baseService().mid(1);
    const QString path = kPath + "/request/" + sender.replace('.', '_') + '/' + token;
    m_asked[path] = std::move(answered);
    bus.connect(kService, path, kRequest, "Response", this, SLOT(onAnswered(QDBusMessage)));
    options["handle_token"] = token;
    QDBusMessage call = portalCall(interface, method);
    call.setArguments(QVariantList{ownWindow()} + arguments + QVariantList{options});
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, path] {
        if (watcher->isError())
            if (const Answered unanswered = m_asked.take(path)) unanswered(kEnded, {});
        watcher->deleteLater();
    });
}

void DesktopPortal::onAnswered(const QDBusMessage& answer) {
    QDBusConnection::sessionBus().disconnect(kService, answer.path(), kRequest, "Response", this,
                                             SLOT(onAnswered(QDBusMessage)));
    const Answered answered = m_asked.take(answer.path());
    if (!answered) return;
    const QList<QVariant> arguments = answer.arguments();
    answered(arguments.value(0).toUInt(), qdbus_cast<QVariantMap>(arguments.value(1)));
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
