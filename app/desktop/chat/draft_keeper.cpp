#include "app/desktop/chat/draft_keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kDraftDelay = 400ms;
constexpr QChar kAttached(0x1D);
constexpr QChar kPicture = QLatin1Char(history::kDraftPicture);
constexpr qsizetype kHashLength = 64;

/// Neither mark stands in it.
QString unmarked(QString text) {
    return text.remove(kAttached).remove(kPicture);
}

Attached attachedOf(const QString& stored) {
    if (!stored.startsWith(kPicture)) return {stored, {}};
    return {stored.mid(1 + kHashLength), stored.mid(1, kHashLength)};
}

}  // namespace

QString Draft::stored() const {
    QString all = unmarked(text);
    for (const Attached& one : attached) {
        all += kAttached;
        if (one.isPicture()) all += kPicture + one.picture;
        all += unmarked(one.text);
    }
    return all;
}

Draft Draft::fromStored(const QString& stored) {
    QStringList parts = stored.split(kAttached);
    Draft draft{parts.takeFirst(), {}};
    for (const QString& part : parts) draft.attached << attachedOf(part);
    return draft;
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

void DraftKeeper::attach(const Attached& one, qsizetype at) {
    Draft draft = m_draft;
    draft.attached.insert(std::min(at, draft.attached.size()), one);
    replace(std::move(draft));
    m_delay.start();
}

void DraftKeeper::attach(const Attached& picture, qsizetype at,
                         std::shared_ptr<const history::PictureFile> file,
                         std::function<void(const Error&)> failed) {
    attach(picture, at);
    const auto work = [conversation = m_conversation, draft = unsent().stored().toStdString(),
                       file = std::move(file)](history::History& history) -> Status {
        return history.atOnce([&]() -> Status {
            INGLE_TRY(history::storePicture(history, *file));
            return conversation ? history::storeDraft(history, *conversation, draft) : Status();
        });
    };
    const auto stored = [this, hash = picture.picture, failed = std::move(failed)](const Status& status) {
        if (status) return;
        const auto kept = std::ranges::find(m_draft.attached, hash, &Attached::picture);
        if (kept != m_draft.attached.end()) detach(kept - m_draft.attached.begin());
        failed(status.error());
    };
    m_storage.run(this, work, stored);
}

void DraftKeeper::describe(qsizetype at, const QString& text) {
    Draft draft = m_draft;
    draft.attached[at].text = text;
    replace(std::move(draft));
    m_delay.start();
}

Attached DraftKeeper::detach(qsizetype at) {
    Draft draft = m_draft;
    const Attached one = draft.attached.takeAt(at);
    replace(std::move(draft));
    m_delay.start();
    return one;
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
    if (m_conversation) save(*m_conversation, unsent());
}

void DraftKeeper::save(history::RowId conversation, const Draft& draft) {
    const auto work = [conversation,
                       draft = draft.stored().toStdString()](history::History& history) -> Status {
        return history::storeDraft(history, conversation, draft);
    };
    // A draft that cannot be stored is still in the composer.
    m_storage.run(this, work, [](const Status&) {});
}

}  // namespace ingle::desktop
