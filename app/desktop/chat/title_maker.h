/// Has the model make the title of a conversation, after its first answer and while nothing else is asked of
/// the model. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

#include "app/desktop/chat/chat_page.h"
#include "app/desktop/services/services.h"

namespace ingle::desktop {

class TitleMaker : public QObject {
    Q_OBJECT
  public:
    /// Of the conversations of that page. `isIdle`: whether no answer is being written, there or elsewhere.
    TitleMaker(Services& services, ChatPage& page, std::function<bool()> isIdle, QObject* parent = nullptr);

    /// Somebody waits for the model: a title that is being made is given up.
    void giveWay();

  private:
    void onStateChanged();
    /// What is to be named, or is being named, is there no more.
    void forget();
    void look();
    void ask(const history::Turn& turn);
    void take(history::RowId conversation, const QString& before, const QString& title);
    /// Renames the conversation where it still has the title `from`.
    void retitle(history::RowId conversation, const QString& from, const QString& to,
                 const std::function<void()>& then);
    bool mayAsk() const;

    Services& m_services;
    ChatPage& m_page;
    const std::function<bool()> m_isIdle;
    struct {
        history::RowId conversation = 0;
        history::RowId answer = 0;
    } m_next;  ///< what was just answered; 0: nothing
    protocol::RequestId m_request = 0;
    quint64 m_number = 0;  ///< of what was begun last; what belongs to another one is given up
};

}  // namespace ingle::desktop
