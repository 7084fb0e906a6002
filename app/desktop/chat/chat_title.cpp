#include "app/desktop/chat/chat_title.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "app/desktop/services/text.h"

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

std::string titleFrom(const std::vector<Part>& question) {
    const Part* named = nullptr;
    for (const Part& part : question) {
        const bool isAttached = part.kind == PartKind::Attachment || part.kind == PartKind::Image;
        if (part.kind == PartKind::Text || (isAttached && named == nullptr)) named = &part;
    }
    const std::string title = named != nullptr ? titleFrom(toQString(named->text)) : std::string();
    if (!title.empty() || named == nullptr) return title;
    return QCoreApplication::translate("ChatController", "Picture").toStdString();
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
