#include "app/desktop/chat/draft_keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kDraftDelay = 400ms;
constexpr QChar kAttached(0x1D);

}  // namespace

QString Draft::stored() const {
    QString all = text;
    all.remove(kAttached);
    for (QString one : attached) all += kAttached + one.remove(kAttached);
    return all;
}

Draft Draft::fromStored(const QString& stored) {
    QStringList parts = stored.split(kAttached);
    const QString text = parts.takeFirst();
    return {text, parts};
}

DraftKeeper::DraftKeeper(StorageThread& storage, QObject* parent)
    : QObject(parent), m_storage(storage), m_delay(this) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDraftDelay);
    connect(&m_delay, &QTimer::timeout, this, [this] { saveNow(); });
}

DraftKeeper::~DraftKeeper() {
    saveChanges();
}

void DraftKeeper::edit(const QString& text) {
    if (text == m_draft.text) return;
    m_draft.text = text;
    m_delay.start();
}

void DraftKeeper::show(history::RowId conversation, const QString& stored) {
    saveChanges();
    m_conversation = conversation;
    replace(Draft::fromStored(stored));
}

Draft DraftKeeper::take() {
    m_delay.stop();
    const Draft taken = m_draft;
    replace({});
    // Where that is sent, what is stored is empty.
    if (!m_beside.isEmpty()) m_delay.start();
    return taken;
}

void DraftKeeper::putBack(history::RowId conversation, const Draft& draft) {
    if (conversation != m_conversation) return save(conversation, draft);
    replace({draft.text + m_draft.text, draft.attached + m_draft.attached});
    m_delay.start();
}

void DraftKeeper::attach(const QString& text, qsizetype at) {
    Draft draft = m_draft;
    draft.attached.insert(std::min(at, draft.attached.size()), text);
    replace(std::move(draft));
    m_delay.start();
}

QString DraftKeeper::detach(qsizetype at) {
    Draft draft = m_draft;
    const QString text = draft.attached.takeAt(at);
    replace(std::move(draft));
    m_delay.start();
    return text;
}

void DraftKeeper::append(const Draft& draft) {
    if (draft.isEmpty()) return;
    replace({m_draft.text + draft.text, m_draft.attached + draft.attached});
    m_delay.start();
}

void DraftKeeper::append(const QString& text) {
    append(Draft{text, {}});
}

void DraftKeeper::appendLine(const QString& words) {
    if (words.isEmpty()) return;
    replace({followedBy(words), m_draft.attached});
    m_delay.start();
}

void DraftKeeper::setBeside(const QString& words) {
    if (words == m_beside) return;
    m_beside = words;
    m_delay.start();
}

QString DraftKeeper::followedBy(const QString& words) const {
    const QString& text = m_draft.text;
    return text.isEmpty() || words.isEmpty() ? text + words : text + '\n' + words;
}

void DraftKeeper::replace(Draft draft) {
    m_draft = std::move(draft);
    emit replaced();
}

void DraftKeeper::saveChanges() {
    if (!m_delay.isActive()) return;
    m_delay.stop();
    saveNow();
}

void DraftKeeper::saveNow() {
    // What is stored is not known yet, and what was typed will be added to it.
    if (m_conversation) save(*m_conversation, {followedBy(m_beside), m_draft.attached});
}

void DraftKeeper::save(history::RowId conversation, const Draft& unsent) {
    const auto work = [conversation,
                       draft = unsent.stored().toStdString()](history::History& history) -> Status {
        return history::storeDraft(history, conversation, draft);
    };
    // A draft that cannot be stored is still in the composer.
    m_storage.run(this, work, [](const Status&) {});
}

}  // namespace ingle::desktop
