/// What the window says outside the conversation: one banner that stays, one toast that goes by itself.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include <functional>

namespace ingle::desktop {

class Notices : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(QString banner READ banner NOTIFY bannerChanged)
    /// The text of the banner's button; empty: it has none.
    Q_PROPERTY(QString bannerAction READ bannerAction NOTIFY bannerChanged)
    Q_PROPERTY(QString toast READ toast NOTIFY toastChanged)
    Q_PROPERTY(bool canUndo READ canUndo NOTIFY toastChanged)
  public:
    using QObject::QObject;

    QString banner() const { return m_banner; }
    QString bannerAction() const { return m_bannerAction; }
    QString toast() const { return m_toast; }
    bool canUndo() const { return static_cast<bool>(m_undo); }

    void showBanner(const QString& sentence);
    /// With a button that dismisses the banner and then calls `run`.
    void showBanner(const QString& sentence, const QString& action, std::function<void()> run);
    /// `undo`: what the toast's button does; empty: no button.
    void showToast(const QString& sentence, std::function<void()> undo = {});

    Q_INVOKABLE void dismissBanner();
    Q_INVOKABLE void runBannerAction();
    Q_INVOKABLE void dismissToast();
    Q_INVOKABLE void undo();

  signals:
    void bannerChanged();
    void toastChanged();

  private:
    QString m_banner;
    QString m_bannerAction;
    std::function<void()> m_runBannerAction;
    QString m_toast;
    std::function<void()> m_undo;
};

}  // namespace ingle::desktop
