#include "app/desktop/services/save_place.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace ingle::desktop {
namespace {

constexpr qsizetype kMostNameBytes = 255;  // of every usual file system

QUrl firstFolder() {
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QUrl::fromLocalFile(QFileInfo(documents).isDir() ? documents : QDir::homePath());
}

/// The path that a person means by a name in a folder.
QString pathOf(const QString& folder, const QString& name) {
    const QString whole = name.startsWith("~/") ? QDir::homePath() + name.mid(1) : name;
    return QDir::cleanPath(QDir(folder).absoluteFilePath(whole));
}

}  // namespace

struct SavePlace::Finding {
    enum class Kind { Free, Taken, Folder, NoFolder, NotWritable, NoFile, TooLong };
    Kind kind = Kind::Free;
    QString path;
};

SavePlace::SavePlace(DesktopPortal& portal, StorageThread& storage, QObject* parent)
    : QObject(parent), m_storage(storage), m_portal(portal), m_folder(firstFolder()) {
    connect(&portal, &DesktopPortal::placeChosen, this,
            [this](const QUrl& file) { emit chosen(file, true); });
    connect(&portal, &DesktopPortal::placeCancelled, this, &SavePlace::cancelled);
    connect(&portal, &DesktopPortal::placeUnanswered, this, &SavePlace::unanswered);
}

void SavePlace::setFolder(const QUrl& folder) {
    if (!folder.isLocalFile() || folder == m_folder) return;
    m_folder = folder;
    emit folderChanged();
}

QString SavePlace::folderText() const {
    const QString path = m_folder.toLocalFile(), home = QDir::homePath();
    if (path == home) return QStringLiteral("~");
    return path.startsWith(home + '/') ? '~' + path.mid(home.size()) : path;
}

void SavePlace::goUp() {
    setFolder(QUrl::fromLocalFile(QDir::cleanPath(m_folder.toLocalFile() + "/..")));
}

void SavePlace::ask(const QString& title, const QString& name) {
    m_portal.askForPlace(title, name);
}

void SavePlace::look(const QString& name) {
    if (name.trimmed().isEmpty()) return emit refused(tr("Type a name for the file."));
    const auto work = [path = pathOf(m_folder.toLocalFile(), name)]() -> Finding {
        using enum Finding::Kind;
        const QFileInfo there(path), parent(there.path());
        if (there.isDir()) return {Folder, path};
        if (there.fileName().toUtf8().size() > kMostNameBytes) return {TooLong, path};
        if (!parent.isDir()) return {NoFolder, parent.filePath()};
        if (!parent.isWritable()) return {NotWritable, parent.filePath()};
        if (!there.exists() && !there.isSymLink()) return {Free, path};
        return {there.isFile() ? Taken : NoFile, path};
    };
    m_storage.run(this, work, [this](const Finding& finding) { tell(finding); });
}

void SavePlace::tell(const Finding& finding) {
    const QUrl file = QUrl::fromLocalFile(finding.path);
    switch (finding.kind) {
        case Finding::Kind::Free:
            return emit chosen(file, false);
        case Finding::Kind::Taken:
            return emit taken(file);
        case Finding::Kind::Folder:
            setFolder(file);
            return emit entered();
        case Finding::Kind::NoFolder:
            return emit refused(tr("There is no folder %1.").arg(finding.path));
        case Finding::Kind::NotWritable:
            return emit refused(tr("Nothing can be written in %1.").arg(finding.path));
        case Finding::Kind::NoFile:
            return emit refused(tr("%1 is not a file and cannot be replaced.").arg(finding.path));
        case Finding::Kind::TooLong:
            return emit refused(tr("This name is too long."));
    }
}

}  // namespace ingle::desktop
