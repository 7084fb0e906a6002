#include "app/desktop/chat/private_chat.h"

#include <QCoreApplication>

#include <utility>

#include "app/brokers/brokers.h"
#include "app/sandbox/secrecy.h"

namespace ingle::desktop {

struct PrivateChat::Open : QObject {
    Open(const PageParts& parts, QObject* parent)
        : QObject(parent), storage(storage::Storage::InMemory{}), page(storage, parts) {}

    StorageThread storage;
    ChatPage page;
};

PrivateChat::PrivateChat(const PageParts& parts, QObject* parent) : QObject(parent), m_parts(parts) {}

PrivateChat::~PrivateChat() {
    delete m_open;
}

ChatPage* PrivateChat::page() const {
    return m_open != nullptr ? &m_open->page : nullptr;
}

void PrivateChat::show() {
    if (m_open == nullptr) {
        sandbox::keepOutOfDumps();
        m_parts.engine.protect();
        // The desktop's portal looks into a process that asks it for something, and cannot any more. A window
        // that is held asks through a proxy.
        if (!brokers::isHeld()) QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        m_open = new Open(m_parts, this);
        m_open->page.chat()->start();
        emit openChanged();
    }
    if (!std::exchange(m_shown, true)) emit shownChanged();
}

void PrivateChat::leave() {
    if (std::exchange(m_shown, false)) emit shownChanged();
}

void PrivateChat::close() {
    if (m_open == nullptr) return;
    leave();
    Open* gone = std::exchange(m_open, nullptr);
    emit openChanged();
    gone->deleteLater();  // behind what shows it
}

}  // namespace ingle::desktop
