#include "app/desktop/viewmodels/draft_keeper.h"

#include <chrono>
#include <utility>

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kDelay = 400ms;

}  // namespace

DraftKeeper::DraftKeeper(StorageThread& storage, QObject* parent)
    : QObject(parent), m_storage(storage), m_delay(this) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelay);
    connect(&m_delay, &QTimer::timeout, this, [this] { saveNow(); });
}

DraftKeeper::~DraftKeeper() {
    saveChanges();
}

void DraftKeeper::edit(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    m_delay.start();
}

void DraftKeeper::show(history::RowId conversation, const QString& stored) {
    saveChanges();
    m_conversation = conversation;
    replace(stored);
}

QString DraftKeeper::take() {
    m_delay.stop();
    const QString taken = m_text;
    replace({});
    // Where that is sent, what is stored is empty.
    if (!m_beside.isEmpty()) m_delay.start();
    return taken;
}

void DraftKeeper::putBack(history::RowId conversation, const QString& text) {
    if (conversation != m_conversation) return save(conversation, text);
    replace(text + m_text);
    m_delay.start();
}

void DraftKeeper::append(const QString& text) {
    if (text.isEmpty()) return;
    replace(m_text + text);
    m_delay.start();
}

void DraftKeeper::appendLine(const QString& words) {
    if (words.isEmpty()) return;
    replace(followedBy(words));
    m_delay.start();
}

void DraftKeeper::setBeside(const QString& words) {
    if (words == m_beside) return;
    m_beside = words;
    m_delay.start();
}

QString DraftKeeper::followedBy(const QString& words) const {
    return m_text.isEmpty() || words.isEmpty() ? m_text + words : m_text + '\n' + words;
}

void DraftKeeper::replace(const QString& text) {
    m_text = text;
    emit replaced();
}

void DraftKeeper::saveChanges() {
    if (!m_delay.isActive()) return;
    m_delay.stop();
    saveNow();
}

void DraftKeeper::saveNow() {
    // What is stored is not known yet, and what was typed will be added to it.
    if (m_conversation) save(*m_conversation, followedBy(m_beside));
}

void DraftKeeper::save(history::RowId conversation, const QString& text) {
    const auto work = [conversation, draft = text.toStdString()](history::History& history) -> Status {
        return history::storeDraft(history, conversation, draft);
    };
    // A draft that cannot be stored is still in the composer.
    m_storage.run(this, work, [](const Status&) {});
}

}  // namespace ingle::desktop
