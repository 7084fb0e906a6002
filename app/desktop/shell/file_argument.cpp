#include "app/desktop/shell/file_argument.h"

#include <QDir>
#include <QFileInfo>

namespace ingle::desktop {
namespace {

QUrl localFile(const QString& path, const QString& folder) {
    return QUrl::fromLocalFile(QDir::cleanPath(QDir(folder).absoluteFilePath(path)));
}

/// Without the quotes that a shell or a file manager has left around it.
QString unquoted(const QString& text) {
    for (const QChar quote : {'\'', '"'})
        if (text.size() > 2 && text.front() == quote && text.back() == quote)
            return text.mid(1, text.size() - 2);
    return text;
}

/// scheme: as RFC 3986 has it. A file called "a:b" is found before this is asked.
bool isAddress(const QString& text) {
    return text.startsWith("file:", Qt::CaseInsensitive) || text.contains("://");
}

}  // namespace

QUrl fileOfArgument(const QString& text, const QString& folder) {
    if (QFileInfo::exists(QDir(folder).absoluteFilePath(text))) return localFile(text, folder);
    const QString name = unquoted(text.trimmed());
    if (isAddress(name)) {
        QUrl url(name);
        if (url.isLocalFile() && url.host() == "localhost") url.setHost({});
        return url;
    }
    if (name.startsWith("~/")) return localFile(QDir::homePath() + name.mid(1), folder);
    return localFile(name, folder);
}

}  // namespace ingle::desktop
