/// Pictures of a chat: files become pictures of the draft, and stored ones become pixels. Only the confined
/// child parses any of them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QCache>
#include <QHash>
#include <QImage>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/desktop/services/storage_thread.h"
#include "app/history/chats/pictures.h"
#include "app/storage/lane.h"
#include "ingle/result.h"

namespace ingle::desktop {

/// A picture as it is shown, or why it is not.
struct ShownPicture {
    QImage image;
    QString problem;  ///< a sentence; empty: there is an image
};
/// Null: nobody knows yet.
using ShownPicturePtr = std::shared_ptr<const ShownPicture>;

/// Why a file is not read as a picture: one sentence.
QString pictureSentence(const Error& error);

/// What was read of a file that was found to be a picture.
struct ReadPicture {
    std::string hash;
    std::shared_ptr<const history::PictureFile> file;
};

/// GUI thread. Pixels are kept while there is room for them.
class Pictures : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by a chat")
  public:
    using Then = std::function<void()>;
    enum class Detail { Thumbnail, Whole };

    /// Of the chats in that storage.
    explicit Pictures(StorageThread& storage, QObject* parent = nullptr);

    /// A stored picture if its pixels are here; if not, `then` is called once when they are, or when it is
    /// known why not, unless `context` has gone.
    ShownPicturePtr find(const QString& hash, Detail detail, QObject* context, Then then);

    using Done = std::function<void(const Result<ReadPicture>&)>;
    /// Reads a file, or takes the bytes of one, and decodes it; nothing is stored yet. One after the other in
    /// the order of the calls. `done` is called once, unless this has gone. Errors: those of
    /// documents::readPicture().
    void read(const QString& path, Done done);
    void take(std::string bytes, Done done);

  private:
    using Waiting = std::vector<std::pair<QPointer<QObject>, Then>>;
    using Bytes = std::function<Result<std::string>()>;

    void readFrom(Bytes bytes, Done done);
    void decode(const QString& key, Detail detail, std::shared_ptr<const history::PictureFile> file);
    void keep(const QString& key, ShownPicture shown);

    StorageThread& m_storage;
    QCache<QString, ShownPicturePtr> m_known;  ///< costs are bytes / 1024
    QHash<QString, Waiting> m_asked;
    storage::Lane m_lane;  // last: its work ends first
};

}  // namespace ingle::desktop
