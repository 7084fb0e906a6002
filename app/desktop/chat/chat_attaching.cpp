/// What is attached to a message: long texts and pictures.
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

/// UTF-16 units: a longer text that is pasted would fill the field to write in.
constexpr qsizetype kLongPaste = 4000;

/// How pictures come from other programs. Qt's own form would be made by decoding them in this process.
constexpr std::array kPictureTypes{"image/png", "image/jpeg", "image/webp"};

QByteArray pictureIn(const QMimeData& pasted) {
    for (const char* type : kPictureTypes)
        if (const QByteArray bytes = pasted.data(type); !bytes.isEmpty()) return bytes;
    return {};
}

}  // namespace

QVariantList ChatController::attachedTexts() const {
    QVariantList texts;
    for (qsizetype i = 0; i < m_drafts.attached().size(); ++i) {
        const Attached& one = m_drafts.attached()[i];
        if (one.isPicture()) continue;
        const QString size = QLocale().toString(one.text.size());
        texts << QVariantMap{{"index", i}, {"name", tr("Pasted text, %1 characters").arg(size)}};
    }
    return texts;
}

QVariantList ChatController::attachedPictures() const {
    QVariantList pictures;
    for (qsizetype i = 0; i < m_drafts.attached().size(); ++i) {
        const Attached& one = m_drafts.attached()[i];
        if (one.isPicture())
            pictures << QVariantMap{{"index", i}, {"name", one.text}, {"picture", one.picture}};
    }
    return pictures;
}

bool ChatController::attachPasted() {
    const QMimeData* clipboard = QGuiApplication::clipboard()->mimeData();
    const QList<QUrl> files = clipboard->urls();
    if (!files.isEmpty() && std::ranges::all_of(files, &QUrl::isLocalFile)) {
        emit filesPasted(files);
        return true;
    }
    if (!clipboard->hasText()) {
        if (const QByteArray picture = pictureIn(*clipboard); !picture.isEmpty()) {
            attachBytes(picture);
            return true;
        }
        if (clipboard->hasImage()) {
            m_notices.showToast(tr("This picture cannot be pasted. PNG, JPEG and WebP can."));
            return true;
        }
    }
    const QString pasted = QGuiApplication::clipboard()->text();
    if (pasted.size() <= kLongPaste) return false;
    m_drafts.attach({pasted, {}}, m_drafts.attached().size());
    return true;
}

void ChatController::attachBytes(const QByteArray& bytes) {
    if (!m_readOnly) m_pictures.take(bytes.toStdString(), takePicture(tr("Pasted picture")));
}

void ChatController::attachFile(const QString& path) {
    m_pictures.read(path, takePicture(QFileInfo(path).fileName()));
}

Pictures::Done ChatController::takePicture(const QString& name) {
    if (m_attaching++ == 0) m_notices.clearBanner(Notices::Topic::Files);
    emit attachingChanged();
    return [this, name, chat = m_conversation](const Result<ReadPicture>& picture) {
        --m_attaching;
        emit attachingChanged();
        if (!picture) {
            m_sendsWhenAttached = false;
            const QString sentence = pictureSentence(picture.error());
            m_notices.showBanner({Notices::Topic::Files, tr("%1: %2", "a file").arg(name, sentence)});
        } else if (chat != m_conversation) {
            m_sendsWhenAttached = false;
            m_notices.showToast(tr("%1 was not attached, because another chat was opened.").arg(name));
        } else {
            attachPicture(name, *picture);
        }
        sendAttached();
    };
}

void ChatController::attachPicture(const QString& name, const ReadPicture& picture) {
    attachPicture({name, toQString(picture.hash)}, m_drafts.attached().size(), picture.file);
}

void ChatController::attachPicture(const Attached& picture, qsizetype at, const PictureFilePtr& file) {
    m_drafts.attach(picture, at, file,
                    [this](const Error& error) { m_notices.showError(Notices::Topic::History, error); });
    canSee(draftParts());  // it is told before anything is sent
}

void ChatController::sendAttached() {
    if (m_attaching > 0 || !std::exchange(m_sendsWhenAttached, false)) return;
    send(draft());
}

void ChatController::detach(int index) {
    if (index < 0 || index >= m_drafts.attached().size()) return;
    const Attached one = m_drafts.detach(index);
    if (attachedPictures().isEmpty()) m_notices.clearBanner(Notices::Topic::Sight);
    // Nothing names a picture now, so it goes when the trash is emptied; but not from here.
    const auto file = std::make_shared<PictureFilePtr>();
    if (one.isPicture()) keepBytes(one.picture, file);
    m_notices.showUndo(this, one.isPicture() ? tr("Picture removed") : tr("Attached text removed"),
                       [this, conversation = m_conversation, one, index, file] {
                           const qsizetype last = m_drafts.attached().size();
                           const qsizetype at = conversation == m_conversation ? index : last;
                           if (*file)
                               attachPicture(one, at, *file);
                           else
                               m_drafts.attach(one, at);
                           canSee(draftParts());
                       });
}

void ChatController::keepBytes(const QString& hash, const std::shared_ptr<PictureFilePtr>& file) {
    const auto look = [hash = hash.toStdString()](history::HistoryReader& history) {
        return history::picture(history, hash);
    };
    m_storage.readBehindWrites(this, look, [file](Result<history::PictureFile> picture) {
        if (picture) *file = std::make_shared<const history::PictureFile>(std::move(*picture));
    });
}

QVariantList ChatController::picturesOf(qint64 message) const {
    QVariantList pictures;
    const history::Message* found = m_messages.find(message);
    if (found == nullptr) return pictures;
    for (const Part& part : found->parts)
        if (part.kind == PartKind::Image)
            pictures << QVariantMap{{"name", toQString(part.text)}, {"picture", toQString(part.data)}};
    return pictures;
}

void ChatController::describe(int index, const QString& text) {
    if (index < 0 || index >= m_drafts.attached().size() || !m_drafts.attached()[index].isPicture()) return;
    if (m_drafts.attached()[index].text != text) m_drafts.describe(index, text);
}

}  // namespace ingle::desktop
