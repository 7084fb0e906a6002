/// Why a document is not read: each reason has a stable id and a sentence for people.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::documents {

enum class Refusal {
    Damaged,
    Encrypted,
    Scanned,
    Empty,
    TooLarge,
    TooMuchText,
    Bomb,
    OtherFormat,  ///< the argument is the key of a row of allOtherFormats()
    UnknownCharacters,
    Unknown,
    NotAFile,
    ReaderFailed,
    ReaderTooSlow,
    ReaderMissing,
    Cancelled,
};

struct RefusalInfo {
    Refusal refusal;
    std::string_view id;  ///< Error::id; travels in the answer of `ingle-documents`
    ErrorCode code;
    std::string_view sentence;  ///< {} stands for the argument, where it has one
};

inline constexpr std::array kRefusals{
    RefusalInfo{Refusal::Damaged, "documentDamaged", ErrorCode::Corrupt,
                "This {} is damaged and cannot be read."},
    RefusalInfo{Refusal::Encrypted, "documentEncrypted", ErrorCode::Unsupported,
                "This {} is protected by a password; save a copy without one."},
    RefusalInfo{
        Refusal::Scanned, "documentScanned", ErrorCode::Unsupported,
        "This {} has no text that a program can read, only what can be seen, as scanners make it. Where "
        "Tesseract is installed (packages libtesseract5 and tesseract-ocr), its text is recognised (OCR)."},
    RefusalInfo{Refusal::Empty, "documentEmpty", ErrorCode::Unsupported, "There is no text in this {}."},
    RefusalInfo{Refusal::TooLarge, "documentTooLarge", ErrorCode::Unsupported,
                "This is too large to be read as a document: files may have {} MB."},
    RefusalInfo{Refusal::TooMuchText, "documentTooMuchText", ErrorCode::Unsupported,
                "This {} has more text than can be read at once; a part of it can."},
    RefusalInfo{Refusal::Bomb, "documentBomb", ErrorCode::Unsupported,
                "This {} would unpack to far more than a document holds, so it was left unread."},
    RefusalInfo{Refusal::OtherFormat, "documentOtherFormat", ErrorCode::Unsupported, "This is {}."},
    RefusalInfo{Refusal::UnknownCharacters, "documentUnknownCharacters", ErrorCode::Unsupported,
                "The fonts of this {} do not say which characters they show; a copy with embedded fonts can "
                "be read."},
    RefusalInfo{Refusal::Unknown, "documentUnknown", ErrorCode::Unsupported,
                "This is no text and no document of a kind that can be read: those are text, Markdown, HTML, "
                "PDF, .docx "
                "and .odt."},
    RefusalInfo{Refusal::NotAFile, "documentNotAFile", ErrorCode::Unsupported,
                "This is neither a file nor a folder."},
    RefusalInfo{
        Refusal::ReaderFailed, "documentReaderFailed", ErrorCode::Corrupt,
        "Reading this document failed: it is damaged, or larger than the memory that reading may take."},
    RefusalInfo{Refusal::ReaderTooSlow, "documentReaderTooSlow", ErrorCode::Unsupported,
                "Reading this document took too long and was ended."},
    RefusalInfo{
        Refusal::ReaderMissing, "documentReaderMissing", ErrorCode::Io,
        "The program “ingle-documents” was not found or cannot be started; please install Inglenook again."},
    RefusalInfo{Refusal::Cancelled, "cancelled", ErrorCode::Cancelled, "Reading the document was cancelled."},
};
static_assert(
    [] {
        for (size_t i = 0; i < kRefusals.size(); ++i)
            if (static_cast<size_t>(kRefusals[i].refusal) != i) return false;
        return kRefusals.size() == static_cast<size_t>(Refusal::Cancelled) + 1;
    }(),
    "the table has a row for each refusal, in their order");

/// The error that says so. `argument`: what the sentence speaks of ("PDF"; see Refusal), escaped and cut
/// here.
[[nodiscard]] tl::unexpected<Error> refuse(Refusal refusal, std::string_view argument = {});

/// The refusal that has the id, if there is one.
std::optional<Refusal> refusalOf(std::string_view id);

}  // namespace ingle::documents
