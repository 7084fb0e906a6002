/// The desktop around the window, over D-Bus: light or dark, opening links. (The window's
/// children inherit its socket filter, so a link must be opened by somebody else.) GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QHash>
#include <QObject>
#include <QString>
#include <QUrl>
#include <QVariantList>
#include <QVariantMap>

#include <functional>

namespace ingle::desktop {

class DesktopPortal : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(bool prefersDark READ prefersDark NOTIFY prefersDarkChanged)
    /// Nothing is to move or fade.
    Q_PROPERTY(bool reducesMotion READ reducesMotion NOTIFY reducesMotionChanged)
    Q_PROPERTY(QString fixedFontFamily READ fixedFontFamily CONSTANT)
  public:
    /// Where there is no portal, dialogs are Qt's own from here on.
    explicit DesktopPortal(QObject* parent = nullptr);

    bool prefersDark() const { return m_prefersDark; }
    bool reducesMotion() const { return m_reducesMotion; }
    QString fixedFontFamily() const;

    /// Shows a notice, in the place of the last one; nothing, where there is no portal.
    void notify(const QString& title, const QString& body);
    void takeBackNotice();

    /// Shows the desktop's own dialog for a place to save at, which asks whether a file that is there is to
    /// be replaced. placeChosen() follows, or placeCancelled(), or placeUnanswered(), where there is none. A
    /// newer question takes the place of an older one.
    void askForPlace(const QString& title, const QString& name);

    /// Whether the desktop can be asked for a picture of the screen.
    bool canShoot() const;
    /// Lets the person take one. screenTaken() or screenRefused() follows, or nothing, when they want none.
    void askForScreen();

    Q_INVOKABLE void copy(const QString& text);
    /// linkCopied() follows.
    Q_INVOKABLE void copyLink(const QString& target);
    /// linkCopied() follows when no portal could open it.
    Q_INVOKABLE void openLink(const QString& target);

  signals:
    void prefersDarkChanged();
    void reducesMotionChanged();
    void copied();
    void linkCopied(const QString& target);
    void placeChosen(const QUrl& file);
    void placeCancelled();
    void placeUnanswered();
    void screenTaken(const QUrl& file);
    void screenRefused();

  private slots:
    void onAnswered(const QDBusMessage& answer);
    void onSettingChanged(const QString& space, const QString& key, const QDBusVariant& value);

  private:
    /// What a person answered to a dialog of the portal: 0, 1 when they cancelled it, or 2 when it ended
    /// otherwise, and when there is none.
    using Answered = std::function<void(uint response, const QVariantMap& results)>;
    /// Shows a dialog: `arguments` are those between the window and the options.
    void ask(const QString& interface, const QString& method, const QVariantList& arguments,
             QVariantMap options, Answered answered);
    void readSetting(const QString& space, const QString& key);
    void take(const QString& space, const QString& key, const QVariant& value);

    bool m_available = false;
    QHash<QString, Answered> m_asked;  ///< by the path of the question
    uint m_numPlaces = 0;              ///< how often a place was asked for
    bool m_noticed = false;            ///< a notice may be there
    bool m_prefersDark = false;
    bool m_reducesMotion = false;
};

}  // namespace ingle::desktop
