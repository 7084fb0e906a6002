/// The child process that colours code and draws formulas (app/typeset). It may be killed at any time: what
/// it reads was written by models.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QLocalSocket>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>

namespace ingle::desktop {

/// The child's program, beside this one or where it is installed; empty: there is none.
QString findTypesetter();

/// How long a child may take: what a hanging one keeps away is beauty only, and a computer may be busy.
struct TypesetterPatience {
    std::chrono::milliseconds start{10'000};  ///< also for its start
    std::chrono::milliseconds answer{3'000};
};

/// One question at a time, the newest first, which is in view. GUI thread.
class Typesetter : public QObject {
    Q_OBJECT
  public:
    /// Whether the next child would say the same: what one that has not answered yet did not find, it may.
    enum class Memory { Keep, AskAgain };
    /// An empty object: there is no answer.
    using Then = std::function<void(const QJsonObject&, Memory)>;

    /// `program`: the child; where there is none, nothing is answered.
    Typesetter(QString program, TypesetterPatience patience, QObject* parent = nullptr);
    ~Typesetter() override;

    bool exists() const { return !m_program.isEmpty(); }

    /// `then` is called once, unless `context` has gone. Of very many that wait the oldest gets no answer.
    void ask(const QJsonObject& question, QObject* context, Then then);
    /// What was asked for this one and is still waiting is not asked any more.
    void forget(const QObject* context);

  private:
    struct Question {
        QByteArray line;
        QPointer<QObject> context;
        Then then;
    };

    void next();
    /// False: it does not start.
    bool startChild();
    void endChild();
    void onEnded();
    void read();
    void answer(const QJsonObject& object, Memory memory = Memory::Keep);

    QString m_program;
    pid_t m_pid = 0;  ///< of the child; 0: there is none
    QLocalSocket m_child;
    const TypesetterPatience m_limits;
    QTimer m_patience;
    bool m_warm = false;  ///< the child has answered
    int m_coldEnds = 0;   ///< so many children in a row ended before they answered
    std::deque<Question> m_waiting;
    std::optional<Question> m_asked;
};

}  // namespace ingle::desktop
