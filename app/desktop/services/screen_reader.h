/// What a screen reader says that has not the keyboard's focus: notices, answers as they are written, the row
/// that is chosen in a list below a field.
///
/// Qt 6.4 has no announcements of its own, and of what changes elsewhere than at the focus Orca 43 reads one
/// thing: an object that is a notification, when it is shown (it says "notification" before that).
/// ScreenReaderVoice is that object. Tried in vain: a description or a name that changes at the focus (Qt 6.4
/// sends an object in place of the text, and Orca's handler fails), alerts and status bars (not read), text
/// that grows (read only where it was typed).
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAccessible>
#include <QObject>
#include <QQmlEngine>
#include <QQuickItem>
#include <QStringList>
#include <QTimer>

namespace ingle::desktop {

/// One for the program, as accessibility is. GUI thread.
class ScreenReader : public QObject, public QAccessible::ActivationObserver {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    /// How many voices there are, which speak in turn.
    Q_PROPERTY(int voices READ voices CONSTANT)
    /// The role of an object that is read when it is shown, which QML does not name.
    Q_PROPERTY(int notification READ notification CONSTANT)
  public:
    static ScreenReader& instance();
    static ScreenReader* create(QQmlEngine*, QJSEngine*);
    ~ScreenReader() override;

    /// One listens; nothing is said otherwise.
    bool active() const { return m_active; }
    int voices() const { return kVoices; }
    int notification() const { return QAccessible::Notification; }
    /// Behind what is being said. Texts that come close together are said in one go.
    Q_INVOKABLE void say(const QString& text);

  signals:
    void said(int turn, const QString& words);

  private:
    static constexpr int kVoices = 8;

    ScreenReader();
    void accessibilityActiveChanged(bool active) override;
    void next();

    bool m_active = false;
    int m_turn = 0;
    QStringList m_waiting;
    QTimer m_pause;
};

/// An object that readers listen to: Main.qml gives it the role ScreenReader::notification and its words as
/// its name. Nowhere to be seen.
class ScreenReaderVoice : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    /// It speaks when this is its turn, from 0.
    Q_PROPERTY(int turn MEMBER m_turn)
    Q_PROPERTY(QString words READ words NOTIFY wordsChanged)
  public:
    explicit ScreenReaderVoice(QQuickItem* parent = nullptr);

    const QString& words() const { return m_words; }

  signals:
    void wordsChanged();

  private:
    int m_turn = 0;
    QString m_words;
};

}  // namespace ingle::desktop
