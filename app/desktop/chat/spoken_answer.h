/// Tells screen readers what happens in the chat that is shown: the answer by sentences, as they are written,
/// how it ended, and which conversation is shown. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <vector>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/running_answers.h"

namespace ingle::desktop {

class SpokenAnswer : public QObject {
    Q_OBJECT
  public:
    SpokenAnswer(RunningAnswers& answers, ChatController& chat, QObject* parent = nullptr);

  private:
    void onCommitted(history::RowId message, const std::vector<PartPiece>& pieces);
    void onEnded(history::RowId message);

    ChatController& m_chat;
    history::RowId m_message = 0;  ///< of which `m_text` is the rest that was not said yet
    QString m_text;
    bool m_inCode = false;  ///< what follows is a block of code
    bool m_thinks = false;  ///< that was said
};

/// The part of `text` that can be said: whole sentences and lines, or all of it, where it ends; without the
/// marks of Markdown, blocks of code by their name alone. `inCode` tells, and is told, whether a block of
/// code is open. What is taken goes from `text`.
QString takeSentences(QString& text, bool& inCode, bool isEnd);

}  // namespace ingle::desktop
