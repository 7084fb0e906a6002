#include "app/desktop/chat/find_in_chat.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/history/search/search.h"

namespace ingle::desktop {
namespace {

using history::RowId;

constexpr std::chrono::milliseconds kFindDelay{120};  // while somebody types

}  // namespace

FindInChat::FindInChat(StorageThread& storage, ChatController& chat, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_chat(chat), m_notices(notices), m_delay(this) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kFindDelay);
    connect(&m_delay, &QTimer::timeout, this, [this] { look(Look::Go); });
    connect(&chat, &ChatController::conversationChanged, this, [this] {
        close();
        mark({});
    });
    connect(&chat, &ChatController::found, this, [this](double, const QString& words) { mark(words); });
    connect(&chat, &ChatController::sent, this, &FindInChat::lookAway);
    // An answer has ended, or a message has gone.
    connect(chat.messages(), &ChatRows::messagesChanged, this, [this] { look(Look::Stay); });
    connect(&chat, &ChatController::generationChanged, this, [this] {
        if (m_chat.generation() == ChatController::Idle) look(Look::Stay);
    });
}

void FindInChat::ask() {
    if (!canOpen()) return;
    if (!std::exchange(m_open, true)) {
        emit openChanged();
        look(Look::Stay);
        if (any()) mark(m_text);
    }
    emit asked();
}

void FindInChat::close() {
    if (!std::exchange(m_open, false)) return;
    m_delay.stop();
    m_landing = TextSelection::Best;
    mark({});
    emit openChanged();
    emit closed();
}

void FindInChat::lookAway() {
    if (!m_open) mark({});
}

void FindInChat::mark(const QString& words) {
    if (std::exchange(m_marked, words) != words) emit markedChanged();
}

void FindInChat::setText(const QString& text) {
    if (std::exchange(m_text, text) == text) return;
    emit textChanged();
    m_delay.start();
}

void FindInChat::look(Look look) {
    if (!m_open) return;
    m_storage.cancel(m_reading);  // nobody waits for what was asked before
    const QString text = m_text;
    const auto work = [conversation = static_cast<RowId>(m_chat.conversationId()),
                       words = text.toStdString()](history::HistoryReader& history) {
        return history::findIn(history, conversation, words);
    };
    m_reading = m_storage.run(this, work, [this, text, look](Result<std::vector<RowId>> found) {
        if (text != m_text || !m_open) return;
        if (found)
            take(std::move(*found), look);
        else if (found.error().code != ErrorCode::Cancelled)
            m_notices.showError(Notices::Topic::History, found.error());
    });
}

void FindInChat::take(std::vector<RowId> found, Look look) {
    const RowId before = m_at < m_found.size() ? m_found[m_at] : 0;
    m_found = std::move(found);
    // What is shown already, or else the newest one of the branch in view, or of all.
    const auto newest = std::find_if(m_found.rbegin(), m_found.rend(), [this](RowId message) {
        return m_chat.messages()->find(message) != nullptr;
    });
    const auto same = std::ranges::find(m_found, before);
    if (same != m_found.end())
        m_at = static_cast<size_t>(same - m_found.begin());
    else if (newest != m_found.rend())
        m_at = static_cast<size_t>(m_found.rend() - newest) - 1;
    else
        m_at = m_found.empty() ? 0 : m_found.size() - 1;
    emit foundChanged();
    mark(m_found.empty() ? QString() : m_text);
    if (look == Look::Stay || m_found.empty()) return;
    m_landing = TextSelection::Best;
    m_chat.openAt(static_cast<qint64>(m_chat.conversationId()), m_found[m_at], m_text);
}

QString FindInChat::sentence() const {
    if (m_text.trimmed().isEmpty()) return {};
    if (m_found.empty()) return tr("Nothing found");
    return tr("Message %1 of %2").arg(m_at + 1).arg(m_found.size());
}

void FindInChat::step(int step) {
    if (!m_open) return ask();
    if (m_at < m_found.size()) emit stepWanted(static_cast<double>(m_found[m_at]), m_text, step);
}

void FindInChat::stepMessage(int step) {
    if (m_found.empty()) return;
    m_at = (m_at + m_found.size() + static_cast<size_t>(step)) % m_found.size();
    m_landing = step > 0 ? TextSelection::First : TextSelection::Last;
    emit foundChanged();
    m_chat.openAt(static_cast<qint64>(m_chat.conversationId()), m_found[m_at], m_text);
}

}  // namespace ingle::desktop
