/// What the window says outside the conversation: banners that stay, and toasts that go by themselves. No
/// notice takes another's place unless it is about the same thing.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <functional>
#include <vector>

#include "ingle/result.h"

namespace ingle::desktop {

class Notices : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// The banner in view; others wait under it.
    Q_PROPERTY(QString banner READ banner NOTIFY bannerChanged)
    /// The engine's own words about the error that it tells; empty: there is nothing else to say.
    Q_PROPERTY(QString bannerDetails READ bannerDetails NOTIFY bannerChanged)
    /// The text of its button; empty: it has none.
    Q_PROPERTY(QString bannerAction READ bannerAction NOTIFY bannerChanged)
    /// How many there are.
    Q_PROPERTY(int bannerCount READ bannerCount NOTIFY bannerChanged)
    /// The oldest first; of each "key", "text" and "canUndo".
    Q_PROPERTY(QVariantList toasts READ toasts NOTIFY toastsChanged)
  public:
    /// What a banner is about: a newer one takes the place of an older one. The last topics are shown first.
    enum class Topic {
        Opening,  ///< of the history
        Crash,    ///< offers wait until there is nothing else
        Arrival,  ///< a file that came
        Check,    ///< of an answer
        Files,    ///< what was written for the person
        Leaving,  ///< words that are to stay would leave this computer
        Sight,    ///< the model cannot see what it is asked about
        Model,
        History,
        File,   ///< of the history: where it is
        Stall,  ///< the history cannot be written now
    };

    struct Banner {
        Topic topic = Topic::History;
        QString sentence;
        QString action = {};                  ///< the button's text
        std::function<void()> run = {};       ///< what it does, after the banner is gone
        std::function<void()> answered = {};  ///< the person used the button or closed it
        QString details = {};                 ///< see bannerDetails
    };

    using QObject::QObject;

    QString banner() const { return m_banners.empty() ? QString() : m_banners.back().sentence; }
    QString bannerDetails() const { return m_banners.empty() ? QString() : m_banners.back().details; }
    QString bannerAction() const { return m_banners.empty() ? QString() : m_banners.back().action; }
    int bannerCount() const { return static_cast<int>(m_banners.size()); }
    QVariantList toasts() const;
    /// The newest; empty: there is none.
    QString toast() const { return m_toasts.empty() ? QString() : m_toasts.back().text; }

    void showBanner(Banner banner);
    static Banner bannerOf(Topic topic, const Error& error);
    /// One that says the same already stays, with what it offers to do.
    void showError(Topic topic, const Error& error);
    /// A file that the person wanted is not there.
    void showNotWritten(const QString& path, const Error& error);
    /// What was said about it is no longer true.
    void clearBanner(Topic topic);
    void showToast(const QString& sentence);
    /// What there is a way back from.
    enum class Done { Change, Deletion };
    /// With a way back: its button, or Ctrl+Z until something newer is undone first; no longer than `owner`
    /// is there.
    void showUndo(const QObject* owner, const QString& sentence, std::function<void()> undo,
                  Done done = Done::Change);

    bool canUndo() const { return !m_undos.empty(); }
    /// What was done last and can be undone.
    void undoLast();
    /// It is too late to undo them: what was deleted is gone for good.
    void forgetDeletions();
    /// There is another history now: nothing that was done can be undone in it.
    void forgetUndos();

    /// By the person: the one in view.
    Q_INVOKABLE void dismissBanner();
    Q_INVOKABLE void runBannerAction();
    /// Its time is over, or the person has read it.
    Q_INVOKABLE void dismissToast(int key);
    /// What that toast speaks of.
    Q_INVOKABLE void undo(int key);

  signals:
    /// A sentence that was not there before.
    void told(const QString& sentence);
    void bannerChanged();
    void toastsChanged();
    void undosChanged();

  private:
    struct Toast {
        int key;
        QString text;
        bool canUndo;
    };
    struct Undo {
        int key;
        std::function<void()> run;
        Done done;
        const QObject* owner;
    };
    Banner takeShown();
    void forget(const std::function<bool(const Undo&)>& which);
    int addToast(const QString& sentence, bool canUndo);

    std::vector<Banner> m_banners;  ///< by topic; the last one is in view
    std::vector<Toast> m_toasts;
    std::vector<Undo> m_undos;  ///< the newest last
    int m_lastKey = 0;
};

}  // namespace ingle::desktop
