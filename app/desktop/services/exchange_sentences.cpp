#include "app/desktop/services/exchange_sentences.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace ingle::desktop {
namespace {

struct Exchange {
    Q_DECLARE_TR_FUNCTIONS(Exchange)
};

using exchange::LossKind;

QString counted(uint64_t count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(QLocale().toString(static_cast<qulonglong>(count)));
}

/// A line of its own.
QString lossLine(LossKind kind, uint64_t count) {
    switch (kind) {
        case LossKind::Pictures:
            return counted(count, Exchange::tr("One picture"), Exchange::tr("%1 pictures"));
        case LossKind::Attachments:
            return counted(count, Exchange::tr("The content of one attached file"),
                           Exchange::tr("The contents of %1 attached files"));
        case LossKind::Recordings:
            return counted(count, Exchange::tr("One recording"), Exchange::tr("%1 recordings"));
        case LossKind::UnknownParts:
            return counted(count, Exchange::tr("One part of a message, of a kind that is not known"),
                           Exchange::tr("%1 parts of messages, of kinds that are not known"));
        case LossKind::UnknownMessages:
            return counted(count, Exchange::tr("One message that nobody known has written"),
                           Exchange::tr("%1 messages that nobody known has written"));
        case LossKind::HiddenMessages:
            return counted(count, Exchange::tr("One message that was never shown"),
                           Exchange::tr("%1 messages that were never shown"));
        case LossKind::LooseMessages:
            return counted(count, Exchange::tr("One message that belongs to no branch"),
                           Exchange::tr("%1 messages that belong to no branch"));
        case LossKind::EmptyConversations:
            return counted(count, Exchange::tr("One chat without messages"),
                           Exchange::tr("%1 chats without messages"));
        case LossKind::UnreadableConversations:
            return counted(count, Exchange::tr("One chat that could not be read"),
                           Exchange::tr("%1 chats that could not be read"));
        case LossKind::Ratings:
            return counted(count, Exchange::tr("The rating of one answer"),
                           Exchange::tr("The ratings of %1 answers"));
    }
    return {};
}

}  // namespace

QString chatsText(uint64_t count) {
    return counted(count, Exchange::tr("one chat"), Exchange::tr("%1 chats"));
}

QString messagesText(uint64_t count) {
    return counted(count, Exchange::tr("one message"), Exchange::tr("%1 messages"));
}

QString yearsText(const exchange::Findings& findings) {
    if (findings.firstMs <= 0) return {};
    const auto yearOf = [](int64_t ms) {
        return QString::number(QDateTime::fromMSecsSinceEpoch(ms).date().year());
    };
    const QString first = yearOf(findings.firstMs), last = yearOf(findings.lastMs);
    return first == last ? first : Exchange::tr("%1 to %2").arg(first, last);
}

QStringList leftOutTexts(const exchange::Findings& findings) {
    QStringList lines;
    for (const auto& [kind, count] : findings.leftOut) lines.append(lossLine(kind, count));
    return lines;
}

}  // namespace ingle::desktop
