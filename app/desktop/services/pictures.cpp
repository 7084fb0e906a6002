#include "app/desktop/services/pictures.h"

#include <unistd.h>

#include <QCoreApplication>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/text.h"
#include "app/documents/opened_file.h"
#include "app/documents/picture_kind.h"
#include "app/documents/picture_refusals.h"
#include "app/documents/read_picture.h"
#include "app/documents/refusals.h"
#include "ingle/sha256.h"

namespace ingle::desktop {
namespace {

/// Pixels of the longer side.
constexpr int kThumbnailSide = 640;
constexpr int kWholeSide = 4096;
constexpr qsizetype kMostKnown = 96 * 1024;  // KiB
/// What is being decoded when the window closes is left behind after this.
constexpr std::chrono::milliseconds kPatience{200};

int sideOf(Pictures::Detail detail) {
    return detail == Pictures::Detail::Whole ? kWholeSide : kThumbnailSide;
}

QString keyOf(const QString& hash, Pictures::Detail detail) {
    return detail == Pictures::Detail::Whole ? hash + '+' : hash;
}

QImage imageOf(const Picture& picture, int side) {
    const auto width = static_cast<int>(picture.width), height = static_cast<int>(picture.height);
    const QImage all(picture.rgb.data(), width, height, 3 * qsizetype{width}, QImage::Format_RGB888);
    if (std::max(width, height) <= side) return all.convertToFormat(QImage::Format_RGB32);
    return all.scaled(side, side, Qt::KeepAspectRatio, Qt::SmoothTransformation)
        .convertToFormat(QImage::Format_RGB32);
}

Result<Picture> pixelsOf(std::string_view bytes) {
    return documents::readPictureBytes(bytes, {}, documents::Transparency::OnWhite);
}

ShownPicture shownOf(const Result<Picture>& picture, int side) {
    if (!picture) return {{}, pictureSentence(picture.error())};
    return {imageOf(*picture, side), {}};
}

/// Errors: of the file system; pictureTooLarge.
Result<std::string> bytesOfFile(const std::string& path) {
    INGLE_TRY_ASSIGN(const documents::OpenedFile file, documents::openFile(path));
    if (file.isFolder) return refuse(documents::PictureRefusal::Unknown);
    if (file.bytes > documents::limits::kPictureBytes) return refuse(documents::PictureRefusal::TooLarge);
    std::string bytes(file.bytes, '\0');
    for (size_t at = 0; at < bytes.size();) {
        const ssize_t count = ::read(file.descriptor.get(), bytes.data() + at, bytes.size() - at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return refuse(documents::PictureRefusal::Damaged);
        at += static_cast<size_t>(count);
    }
    return bytes;
}

template <typename Call>
void onGuiThread(Call call) {
    QMetaObject::invokeMethod(QCoreApplication::instance(), std::move(call), Qt::QueuedConnection);
}

struct Decoded {
    ReadPicture read;
    ShownPicture thumbnail;
};

Result<Decoded> decoded(Result<std::string> bytes) {
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    INGLE_TRY_ASSIGN(const Picture picture, pixelsOf(*bytes));
    const auto kind = documents::pictureKindOf(*bytes);
    if (!kind) return refuse(documents::PictureRefusal::Unknown);
    Decoded result{{.hash = sha256Hex(*bytes), .file = nullptr}, {imageOf(picture, kThumbnailSide), {}}};
    result.read.file = std::make_shared<const history::PictureFile>(
        history::PictureFile{std::string(documents::infoOf(*kind).mediaType), std::move(*bytes)});
    return result;
}

}  // namespace

QString pictureSentence(const Error& error) {
    switch (documents::refusalOf(error.id).value_or(documents::Refusal::NotAFile)) {
        case documents::Refusal::ReaderFailed:
            return Pictures::tr(
                "Reading this picture failed: it is damaged, or larger than the memory for it.");
        case documents::Refusal::ReaderTooSlow:
            return Pictures::tr("Reading this picture took too long and was ended.");
        case documents::Refusal::ReaderMissing:
            return Pictures::tr(
                "The part of Inglenook that reads pictures is missing. Please install it again.");
        default:
            return errorSentence(error);
    }
}

Pictures::Pictures(StorageThread& storage, QObject* parent)
    : QObject(parent), m_storage(storage), m_known(kMostKnown), m_lane("pictures", kPatience) {}

ShownPicturePtr Pictures::find(const QString& hash, Detail detail, QObject* context, Then then) {
    const QString key = keyOf(hash, detail);
    if (const ShownPicturePtr* known = m_known.object(key)) return *known;
    const bool isAsked = m_asked.contains(key);
    Waiting& waiting = m_asked[key];
    std::erase_if(waiting, [context](const auto& one) { return !one.first || one.first == context; });
    waiting.emplace_back(context, std::move(then));
    if (isAsked) return nullptr;
    const auto look = [hash = hash.toStdString()](history::HistoryReader& history) {
        return history::picture(history, hash);
    };
    m_storage.readBehindWrites(this, look, [this, key, detail](Result<history::PictureFile> file) {
        if (!file) return keep(key, {{}, tr("This picture is not there any more.")});
        decode(key, detail, std::make_shared<const history::PictureFile>(std::move(*file)));
    });
    return nullptr;
}

void Pictures::decode(const QString& key, Detail detail, std::shared_ptr<const history::PictureFile> file) {
    m_lane.post([self = QPointer(this), key, side = sideOf(detail), file = std::move(file)] {
        ShownPicture shown = shownOf(pixelsOf(file->bytes), side);
        onGuiThread([self, key, shown = std::move(shown)] {
            if (self) self->keep(key, shown);
        });
    });
}

void Pictures::keep(const QString& key, ShownPicture shown) {
    const qsizetype cost = std::min(kMostKnown, 1 + shown.image.sizeInBytes() / 1024);
    m_known.insert(key, new ShownPicturePtr(std::make_shared<const ShownPicture>(std::move(shown))), cost);
    for (const auto& [context, then] : m_asked.take(key))
        if (context) then();
}

void Pictures::read(const QString& path, Done done) {
    readFrom([path = path.toStdString()] { return bytesOfFile(path); }, std::move(done));
}

void Pictures::take(std::string bytes, Done done) {
    readFrom([bytes = std::move(bytes)]() -> Result<std::string> { return bytes; }, std::move(done));
}

void Pictures::readFrom(Bytes bytes, Done done) {
    m_lane.post([self = QPointer(this), bytes = std::move(bytes), done = std::move(done)] {
        onGuiThread([self, done, result = decoded(bytes())] {
            if (!self) return;
            if (!result) return done(tl::unexpected<Error>(result.error()));
            self->keep(toQString(result->read.hash), result->thumbnail);
            done(result->read);
        });
    });
}

}  // namespace ingle::desktop
