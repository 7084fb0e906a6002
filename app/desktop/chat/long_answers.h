/// Tells the desktop that an answer has come to its end which took long, while nobody was looking. Nothing of
/// what was said is in it but the conversation's title; private chats are not told of at all. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <chrono>
#include <functional>
#include <map>

#include "app/desktop/services/desktop_portal.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/settings.h"

namespace ingle::desktop {

class LongAnswers : public QObject {
    Q_OBJECT
  public:
    /// From here on somebody may have turned to something else.
    static constexpr std::chrono::seconds kLong{20};
    /// Of a conversation; empty: it has none.
    using TitleOf = std::function<QString(history::RowId conversation)>;

    LongAnswers(RunningAnswers& answers, Settings& settings, TitleOf titleOf, DesktopPortal& portal,
                QObject* parent = nullptr);

    /// For tests: no display server says there who is looking.
    void pretend(std::chrono::milliseconds longTime, bool isSeen) {
        m_long = longTime;
        m_isSeen = [isSeen] { return isSeen; };
    }

  signals:
    void told(const QString& words, const QString& title);

  private:
    void onState(history::RowId conversation);
    void onEnded(history::RowId conversation, const history::AnswerEnd& ending);

    RunningAnswers& m_answers;
    Settings& m_settings;
    const TitleOf m_titleOf;
    DesktopPortal& m_portal;
    std::chrono::milliseconds m_long = kLong;
    std::function<bool()> m_isSeen;
    std::map<history::RowId, QElapsedTimer> m_begun;  ///< of those that are being written
};

}  // namespace ingle::desktop
