/// Colours of code, by a child process (app/typeset) that may be killed: what it reads was written by models.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QByteArray>
#include <QCache>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>

namespace ingle::desktop {

/// What a piece of code is.
enum class CodeColour { Comment, String, Keyword, Number, Name, Type, Variable, Added, Removed };

struct ColourSpan {
    int begin = 0;  ///< UTF-16 units of the code
    int end = 0;
    CodeColour colour = CodeColour::Comment;

    bool operator==(const ColourSpan&) const = default;
};

/// The child's program, beside this one or where it is installed; empty: there is none.
QString findTypesetter();

/// GUI thread. Answers are kept, so that a chat that is opened again asks for nothing.
class CodeColours : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
  public:
    using Spans = QList<ColourSpan>;
    using Then = std::function<void(const Spans&)>;
    /// How long a child may take: what a hanging one keeps away is colours only, and a computer may be busy.
    struct Patience {
        std::chrono::milliseconds start{10'000};  ///< also for its start
        std::chrono::milliseconds answer{3'000};
    };

    /// `program`: the child; where there is none, nothing is coloured.
    explicit CodeColours(QString program, QObject* parent = nullptr);
    CodeColours(QString program, QObject* parent, Patience patience);
    ~CodeColours() override;

    /// `label`: what follows the fence. `then` is called once, now if the answer is known; unless `context`
    /// has gone. What is too long, in an unknown language or takes too long has no spans.
    void ask(const QString& label, const QString& code, QObject* context, Then then);

  private:
    struct Question {
        QByteArray key;
        QByteArray line;
        QPointer<QObject> context;
        Then then;
    };

    void next();
    void read();
    /// What a child that has not answered yet did not find, the next one may.
    enum class Memory { Keep, AskAgain };
    void answer(const Spans& spans, Memory memory = Memory::Keep);
    void giveUp();

    QString m_program;
    QProcess m_child;
    const Patience m_limits;
    QTimer m_patience;
    bool m_warm = false;  ///< the child has answered
    std::deque<Question> m_waiting;
    std::optional<Question> m_asked;
    QCache<QByteArray, Spans> m_known;
};

}  // namespace ingle::desktop
