#include "app/desktop/chat/picture_viewer.h"

#include <QFileInfo>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/documents/picture_kind.h"

namespace ingle::desktop {
namespace {

/// The name with the ending that belongs to the picture.
QString fileNameOf(const QString& name, std::string_view mediaType) {
    const auto kind =
        std::ranges::find(documents::kPictureKinds, mediaType, &documents::PictureKindInfo::mediaType);
    const std::string_view ending = kind == documents::kPictureKinds.end() ? "" : kind->ending;
    QString base = QFileInfo(name).completeBaseName().trimmed();
    base.remove('/');
    if (base.isEmpty()) base = PictureViewer::tr("picture");
    return base + QString::fromUtf8(ending.data(), static_cast<qsizetype>(ending.size()));
}

}  // namespace

PictureViewer::PictureViewer(StorageThread& storage, ChatController& chat, TextSaver& saver, Notices& notices,
                             QObject* parent)
    : QObject(parent), m_storage(storage), m_chat(chat), m_saver(saver), m_notices(notices) {}

QString PictureViewer::title() const {
    return name().isEmpty() ? tr("Picture") : name();
}

QString PictureViewer::place() const {
    return m_hashes.size() < 2 ? QString() : tr("%1 of %2").arg(m_index + 1).arg(m_hashes.size());
}

void PictureViewer::show(QStringList hashes, QStringList names, qsizetype index) {
    m_hashes = std::move(hashes);
    m_names = std::move(names);
    m_index = std::clamp<qsizetype>(index, 0, std::max<qsizetype>(0, m_hashes.size() - 1));
    lookForName();
    emit changed();
    emit opened();
}

void PictureViewer::open(const QStringList& hashes, const QStringList& names, int index) {
    m_ofDraft = false;
    show(hashes, names, index);
}

void PictureViewer::openAttached(int index) {
    QStringList hashes, names;
    qsizetype at = 0;
    for (const QVariant& each : m_chat.attachedPictures()) {
        const QVariantMap one = each.toMap();
        if (one["index"].toInt() == index) at = hashes.size();
        hashes << one["picture"].toString();
        names << one["name"].toString();
    }
    m_ofDraft = true;
    show(hashes, names, at);
}

void PictureViewer::step(int by) {
    const qsizetype wanted = m_index + by;
    if (wanted < 0 || wanted >= m_hashes.size()) return;
    m_index = wanted;
    lookForName();
    emit changed();
}

void PictureViewer::describe(const QString& name) {
    if (!m_ofDraft || m_index >= m_names.size() || m_names[m_index] == name) return;
    for (const QVariant& each : m_chat.attachedPictures()) {
        const QVariantMap one = each.toMap();
        if (one["picture"].toString() == hash()) m_chat.describe(one["index"].toInt(), name);
    }
    m_names[m_index] = name;
    emit changed();
}

void PictureViewer::lookForName() {
    m_fileName = fileNameOf(name(), {});
    const auto look = [hash = hash().toStdString()](history::HistoryReader& history) -> Result<std::string> {
        INGLE_TRY_ASSIGN(const auto file, history::picture(history, hash));
        return file.mediaType;
    };
    m_storage.readBehindWrites(this, look, [this, hash = hash()](const Result<std::string>& mediaType) {
        if (!mediaType || hash != this->hash()) return;
        m_fileName = fileNameOf(name(), *mediaType);
        emit changed();
    });
}

void PictureViewer::save(const QUrl& file, bool replace) {
    const auto look = [hash = hash().toStdString()](history::HistoryReader& history) {
        return history::picture(history, hash);
    };
    m_storage.readBehindWrites(this, look, [this, file, replace](Result<history::PictureFile> picture) {
        if (!picture) return m_notices.showError(Notices::Topic::History, picture.error());
        m_saver.saveBytes(std::move(picture->bytes), file, replace);
    });
}

}  // namespace ingle::desktop
