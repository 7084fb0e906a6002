/// Finding words in the conversation shown, in all of its branches.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include <vector>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/content/text_selection.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

/// A bar that is open as long as the person wants. Steps go from place to place in a message, and from its
/// last one to the next message, whose branch is shown. GUI thread.
class FindInChat : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(bool open READ isOpen NOTIFY openChanged)
    Q_PROPERTY(QString text READ text WRITE setText NOTIFY textChanged)
    /// Which of the messages that were found is shown, or that none was.
    Q_PROPERTY(QString sentence READ sentence NOTIFY foundChanged)
    Q_PROPERTY(bool any READ any NOTIFY foundChanged)
    /// What is marked in the chat: also what was found in all conversations.
    Q_PROPERTY(QString marked READ marked NOTIFY markedChanged)
    /// Which place of a message that is brought into view now is selected.
    Q_PROPERTY(ingle::desktop::TextSelection::Occurrence landing READ landing NOTIFY foundChanged)
  public:
    FindInChat(StorageThread& storage, ChatController& chat, Notices& notices, QObject* parent = nullptr);

    bool isOpen() const { return m_open; }
    const QString& text() const { return m_text; }
    void setText(const QString& text);
    QString sentence() const;
    bool any() const { return !m_found.empty(); }
    const QString& marked() const { return m_marked; }
    TextSelection::Occurrence landing() const { return m_landing; }
    bool canOpen() const { return !m_chat.messages()->messages().empty(); }

    /// Opens the bar, or gives it the keyboard again.
    void ask();
    Q_INVOKABLE void close();
    /// To the place in front (-1) or behind (1): stepWanted() follows.
    Q_INVOKABLE void step(int step);
    /// There is no such place in the message shown: to the next message, and from the last one to the first.
    Q_INVOKABLE void stepMessage(int step);
    /// The person looks at something else: what is marked is no more, unless the bar is open.
    Q_INVOKABLE void lookAway();

  signals:
    void openChanged();
    void asked();
    void closed();
    void textChanged();
    void foundChanged();
    void markedChanged();
    /// In the message shown, if there is another place in it.
    void stepWanted(double message, const QString& words, int step);

  private:
    enum class Look { Go, Stay };
    void look(Look look);
    void take(std::vector<history::RowId> found, Look look);
    void mark(const QString& words);

    StorageThread& m_storage;
    ChatController& m_chat;
    Notices& m_notices;
    QTimer m_delay;
    storage::RequestId m_reading = 0;
    bool m_open = false;
    QString m_text;
    QString m_marked;
    std::vector<history::RowId> m_found;  ///< messages, oldest first
    size_t m_at = 0;                      ///< of m_found, which is shown
    TextSelection::Occurrence m_landing = TextSelection::Best;
};

}  // namespace ingle::desktop
