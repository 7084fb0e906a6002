/// What the shelf says of each document.
#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>

#include "app/desktop/documents/document_shelf.h"
#include "app/desktop/services/document_sentences.h"
#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/time_text.h"

namespace ingle::desktop {
namespace {

using history::Document;
using history::DocumentReading;

/// From here on it is worth saying that other models keep less.
constexpr uint64_t kMuchKept = uint64_t{1} << 30;

}  // namespace

QString DocumentShelf::sentence() const {
    if (m_documents.empty())
        return tr(
            "Drop a text, a web page, a PDF, a document or a folder of source text on the window. The model "
            "reads it once; every question after that begins at once.");
    uint64_t kept = 0;
    bool isMuch = false;
    for (const Document& document : m_documents) {
        for (const DocumentReading& reading : document.readings) {
            if (reading.tokens > 0) kept += reading.keptBytes * reading.readTokens / reading.tokens;
            isMuch = isMuch || reading.keptBytes >= kMuchKept;
        }
    }
    QStringList sentences;
    if (kept > 0) sentences += tr("What models remember of them takes %1.").arg(sizeText(kept));
    if (isMuch) sentences += tr("Models with a memory of fixed size (Qwen3.5, RWKV) keep far less.");
    return sentences.join(' ');
}

QString DocumentShelf::detailOf(const Document& document) const {
    QStringList details{documentFormat(document.format), sizeText(document.textBytes)};
    details += tr("used %1").arg(
        QLocale().toString(QDateTime::fromMSecsSinceEpoch(document.usedMs).date(), QLocale::ShortFormat));
    if (document.conversations == 1) details += tr("in one conversation");
    if (document.conversations > 1) details += tr("in %1 conversations").arg(document.conversations);
    QStringList readers;
    for (const DocumentReading& reading : document.readings)
        if (reading.isWhole()) readers += toQString(reading.modelName);
    if (!readers.isEmpty()) details += tr("read by %1").arg(readers.join(QStringLiteral(", ")));
    QStringList missing;
    for (const std::string& each : document.leftOut) missing += toQString(each);
    if (!missing.isEmpty()) details += tr("without %1").arg(missing.join(QStringLiteral(", ")));
    return details.join(QStringLiteral(" · "));
}

QString DocumentShelf::costOf(const DocumentReading& reading) const {
    const uint32_t left = reading.tokens - std::min(reading.readTokens, reading.tokens);
    const double speed = m_reader.tokensPerSecond();
    const QString kept = tr("%1 kept on the disk").arg(sizeText(reading.keptBytes));
    return speed > 0 ? tr("%1 here, %2").arg(timeText(left / speed), kept) : kept;
}

QString DocumentShelf::progressOf(const Document& document) const {
    const DocumentReading* reading = readingOf(document);
    const QLocale locale;
    const auto percent = [&] { return 100 * reading->readTokens / std::max(reading->tokens, 1U); };
    switch (stateOf(document)) {
        case NoModel:
            return tr("Open a model, and it can be asked about.");
        case Remote:
            return tr("Stays on this computer: passages of it are sent only when you allow it.");
        case Unplanned:
            return tr("This model has not read it.");
        case Planning:
            return tr("How long reading it takes is being found out…");
        case TooLong:
            return tr("Too long for this model (%1 tokens): the passages that a question needs are chosen.")
                .arg(locale.toString(reading->tokens));
        case Unread:
            return percent() == 0
                       ? tr("%1 tokens: %2").arg(locale.toString(reading->tokens), costOf(*reading))
                       : tr("%1 % read. The rest: %2").arg(percent()).arg(costOf(*reading));
        case Reading: {
            if (reading == nullptr) return tr("Waits to be read.");
            const double speed = m_reader.tokensPerSecond();
            if (speed <= 0) return tr("%1 % read").arg(percent());
            return tr("%1 % read, %2 left")
                .arg(percent())
                .arg(timeText((reading->tokens - std::min(reading->readTokens, reading->tokens)) / speed));
        }
        case Read:
            return tr("Read with %1: %2 tokens, %3 kept on the disk")
                .arg(toQString(reading->modelName), locale.toString(reading->tokens),
                     sizeText(reading->keptBytes));
    }
    return {};
}

int DocumentShelf::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_documents.size());
}

QVariant DocumentShelf::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Document& document = m_documents[static_cast<size_t>(index.row())];
    const DocumentReading* reading = readingOf(document);
    switch (role) {
        case DocumentRole:
            return static_cast<double>(document.id);
        case TitleRole:
            return toQString(document.title);
        case DetailRole:
            return detailOf(document);
        case ProgressRole:
            return progressOf(document);
        case FractionRole:
            return reading == nullptr || reading->tokens == 0
                       ? 0.0
                       : static_cast<double>(reading->readTokens) / reading->tokens;
        case StateRole:
            return stateOf(document);
        case InChatRole:
            return isInChat(document.id);
        case KeptRole:
            return std::ranges::any_of(document.readings,
                                       [](const DocumentReading& each) { return each.readTokens > 0; });
        case RoomRole:
            return contextFor(document) > 0;
        default:
            return {};
    }
}

QHash<int, QByteArray> DocumentShelf::roleNames() const {
    return {{DocumentRole, "document"}, {TitleRole, "title"},       {DetailRole, "detail"},
            {ProgressRole, "progress"}, {FractionRole, "fraction"}, {StateRole, "reading"},
            {InChatRole, "inChat"},     {KeptRole, "kept"},         {RoomRole, "roomier"}};
}

}  // namespace ingle::desktop
