#include "app/desktop/services/document_sentences.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "app/desktop/services/text.h"
#include "app/documents/refusals.h"

namespace ingle::desktop {
namespace {

using documents::Refusal;

struct DocumentSentences {
    Q_DECLARE_TR_FUNCTIONS(DocumentSentences)
  public:
    static QString of(Refusal refusal, const Error& error);
};

QString DocumentSentences::of(Refusal refusal, const Error& error) {
    switch (refusal) {
        case Refusal::Damaged:
            return tr("it is damaged and cannot be read.");
        case Refusal::Encrypted:
            return tr("it is protected by a password. Save a copy without one.");
        case Refusal::Scanned:
            return tr(
                "it contains only scanned images and no text. A model that sees pictures can read them, and "
                "so can Tesseract where it is installed (package tesseract-ocr).");
        case Refusal::Empty:
            return tr("there is no text in it.");
        case Refusal::TooLarge:
            return tr("it is too large to be read as a document.");
        case Refusal::TooMuchText:
            return tr("it has more text than can be read at once; a part of it can.");
        case Refusal::Bomb:
            return tr("it would unpack to far more than a document holds, so it was left unread.");
        case Refusal::UnknownCharacters:
            return tr(
                "its fonts do not say which characters they show. A copy with embedded fonts can be read.");
        case Refusal::ReaderFailed:
            return tr("reading it failed: it is damaged, or larger than the memory that reading may take.");
        case Refusal::ReaderTooSlow:
            return tr("reading it took too long and was ended.");
        case Refusal::ReaderMissing:
            return tr("the part of Inglenook that reads documents is missing. Please install it again.");
        // What each other format is and asks for is a table of its own, in English.
        case Refusal::OtherFormat:
        case Refusal::Unknown:
        case Refusal::NotAFile:
        case Refusal::Cancelled:
            break;
    }
    return toQString(error.message);
}

}  // namespace

bool isOfADocument(const Error& error) {
    const auto refusal = documents::refusalOf(error.id);
    return refusal && *refusal != Refusal::Unknown && *refusal != Refusal::NotAFile &&
           *refusal != Refusal::Cancelled;
}

QString documentSentence(const std::string& path, const Error& error) {
    return QCoreApplication::translate("DocumentSentences", "%1: %2")
        .arg(QFileInfo(toQString(path)).fileName(),
             DocumentSentences::of(*documents::refusalOf(error.id), error));
}

QString documentFormat(const std::string& format) {
    // Those that readers name so; others are names in every language.
    static constexpr const char* kFormats[] = {
        QT_TRANSLATE_NOOP("DocumentFormats", "web page"),
        QT_TRANSLATE_NOOP("DocumentFormats", "Markdown text"),
        QT_TRANSLATE_NOOP("DocumentFormats", "OpenDocument text"),
        QT_TRANSLATE_NOOP("DocumentFormats", "picture"),
        QT_TRANSLATE_NOOP("DocumentFormats", "text"),
        QT_TRANSLATE_NOOP("DocumentFormats", "Word document"),
        QT_TRANSLATE_NOOP("DocumentFormats", "folder"),
    };
    const auto known = std::ranges::find(kFormats, std::string_view(format));
    return known == std::end(kFormats) ? toQString(format)
                                       : QCoreApplication::translate("DocumentFormats", *known);
}

}  // namespace ingle::desktop
