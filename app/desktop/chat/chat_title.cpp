#include "app/desktop/chat/chat_title.h"

#include <QRegularExpression>

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

QString madeTitle(const QString& answer) {
    static const QRegularExpression label(QStringLiteral("^(?:title|titel|titre|título)\\s*:\\s*"),
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression marks(QStringLiteral("^[\\s#*_`\"'“”„‘’«»]+|[\\s*_`\"'“”„‘’«».,;:!]+$"));
    QString line = answer.trimmed().section('\n', 0, 0);
    line.remove(marks).remove(label).remove(marks);
    return QString::fromStdString(titleFrom(line));
}

}  // namespace ingle::desktop
