/// The private chat of the window: one at a time, of which nothing reaches the disk.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <memory>

#include "app/desktop/chat/chat_page.h"

namespace ingle::desktop {

/// Its history is in memory and goes when it is closed; the engine keeps nothing of it. From the first one on
/// neither this process nor a host can be dumped, until it ends: what was freed is still in its memory.
class PrivateChat : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(bool open READ isOpen NOTIFY openChanged)
    /// It is what the window shows.
    Q_PROPERTY(bool shown READ isShown NOTIFY shownChanged)
    /// As long as it is open.
    Q_PROPERTY(ingle::desktop::ChatPage* page READ page NOTIFY openChanged)
  public:
    explicit PrivateChat(const PageParts& parts, QObject* parent = nullptr);
    ~PrivateChat() override;

    bool isOpen() const { return m_open != nullptr; }
    bool isShown() const { return m_shown; }
    ChatPage* page() const;

    /// Begins one, where none is open.
    Q_INVOKABLE void show();
    /// It stays open behind what is shown instead.
    void leave();
    /// It is gone.
    Q_INVOKABLE void close();

  signals:
    void openChanged();
    void shownChanged();

  private:
    struct Open;

    const PageParts m_parts;
    Open* m_open = nullptr;  ///< a child
    bool m_shown = false;
};

}  // namespace ingle::desktop
