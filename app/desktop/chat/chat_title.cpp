#include "app/desktop/chat/chat_title.h"

namespace ingle::desktop {
namespace {

constexpr qsizetype kTitleLength = 48;

}  // namespace

std::string titleFrom(const QString& text) {
    const QString line = text.trimmed().section('\n', 0, 0).simplified();
    if (line.size() <= kTitleLength) return line.toStdString();
    QString cut = line.left(kTitleLength);
    const qsizetype space = cut.lastIndexOf(' ');
    if (space > kTitleLength / 2) cut.truncate(space);
    if (cut.back().isHighSurrogate()) cut.chop(1);
    return (cut + QStringLiteral("…")).toStdString();
}

}  // namespace ingle::desktop
