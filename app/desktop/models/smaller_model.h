/// A model as its makers published it, or one that does not fit: used as it is, or written as a smaller file,
/// which takes minutes and goes on while its card is closed.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QUrl>

#include <optional>

#include "app/desktop/services/background_work.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/opener.h"

namespace ingle::desktop {

class SmallerModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(State state READ state NOTIFY changed)
    Q_PROPERTY(QString name READ name NOTIFY changed)
    /// "Qwen3 8B, as published: 16.4 GB. Use it as it is, or make it smaller: 5.0 GB."; then how far that is,
    /// or why it failed.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
    /// What making it is called, the first time and again.
    Q_PROPERTY(QString makeWords READ makeWords NOTIFY changed)
    /// What it takes, and where.
    Q_PROPERTY(QString place READ place NOTIFY changed)
    Q_PROPERTY(QUrl folder READ folder WRITE setFolder NOTIFY changed)
    /// There is memory for it as it is.
    Q_PROPERTY(bool fits READ fits NOTIFY changed)
    Q_PROPERTY(double fraction READ fraction NOTIFY changed)
    /// "Making Qwen3 8B smaller: 34 %"; empty: nothing is made.
    Q_PROPERTY(QString progress READ progress NOTIFY changed)
    /// "about 3 minutes left"; empty: not known yet.
    Q_PROPERTY(QString timeLeft READ timeLeft NOTIFY changed)
    Q_PROPERTY(QString failureDetails READ failureDetails NOTIFY changed)
  public:
    enum State {
        Idle,
        Asking,
        Making,
        Failed,
    };
    Q_ENUM(State)

    /// `folder`: where smaller files go unless the person chooses another.
    SmallerModel(EngineClient& engine, Opener& opener, BackgroundWork& work, Notices& notices,
                 const QString& folder, QObject* parent = nullptr);

    State state() const { return m_state; }
    QString name() const;
    QString sentence() const;
    QString makeWords() const;
    QString place() const;
    QUrl folder() const { return QUrl::fromLocalFile(m_folder); }
    void setFolder(const QUrl& folder);
    bool fits() const { return m_info.memory.fits(); }
    double fraction() const { return m_fraction; }
    QString progress() const;
    QString timeLeft() const;
    QString failureDetails() const;

    /// Asks about a model that does not fit as it is.
    void lookAt(const QString& path);

    Q_INVOKABLE void useAsItIs();
    Q_INVOKABLE void make();
    /// Ends what is being made; nothing of it stays.
    Q_INVOKABLE void stop();
    /// Shows the card again while something is made.
    Q_INVOKABLE void show();
    /// The card is closed: what is made goes on, and what was asked is answered by no.
    Q_INVOKABLE void closed();

  signals:
    void changed();
    /// There is something to choose, or to see.
    void wanted();

  private:
    void ask(const Recognition& model);
    void onMade(const Result<protocol::Imported>& made);
    void offer(const QString& path);
    QString question() const;
    QString failure() const;
    void setState(State state);

    EngineClient& m_engine;
    Opener& m_opener;
    Notices& m_notices;
    QString m_folder;
    State m_state = Idle;
    ModelInfo m_info;
    bool m_isPublished = true;
    bool m_isShown = false;
    protocol::RequestId m_request = 0;
    QElapsedTimer m_begun;
    double m_fraction = 0;
    std::optional<Error> m_failure;
};

}  // namespace ingle::desktop
