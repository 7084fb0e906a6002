/// What the window says outside the conversation: one banner that stays, one toast that goes by itself. The
/// last banner wins; an offer waits under it.
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

    QString banner() const { return shown().sentence; }
    QString bannerAction() const { return shown().action; }
    QString toast() const { return m_toast; }
    bool canUndo() const { return static_cast<bool>(m_undo); }

    void showBanner(const QString& sentence);
    /// With a button that dismisses the banner and then calls `run`.
    void showBanner(const QString& sentence, const QString& action, std::function<void()> run);
    /// A banner that others do not replace: it is shown whenever there is no other, until the person uses its
    /// button or closes it; `answered` is called then. A later offer takes an earlier one's place.
    void showOffer(const QString& sentence, const QString& action, std::function<void()> run,
                   std::function<void()> answered);
    /// What was said is no longer true, or something else begins. An offer stays.
    void clearBanner();
    /// `undo`: what the toast's button does; empty: no button.
    void showToast(const QString& sentence, std::function<void()> undo = {});

    /// By the person: whichever is shown.
    Q_INVOKABLE void dismissBanner();
    Q_INVOKABLE void runBannerAction();
    Q_INVOKABLE void dismissToast();
    Q_INVOKABLE void undo();

  signals:
    void bannerChanged();
    void toastChanged();

  private:
    struct Banner {
        QString sentence;
        QString action;
        std::function<void()> run;
        std::function<void()> answered;
    };
    const Banner& shown() const { return m_banner.sentence.isEmpty() ? m_offer : m_banner; }
    /// Takes away what is shown.
    Banner takeShown();

    Banner m_banner;
    Banner m_offer;
    QString m_toast;
    std::function<void()> m_undo;
};

}  // namespace ingle::desktop
