/// A document as the rest of the application knows it: its whole text, as a model is given it, and the places
/// in it that a quote can be linked back to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::documents {

enum class PlaceKind {
    Page,     ///< of a PDF
    Heading,  ///< a line of Markdown's form, "## Words"
    File,     ///< of a source folder
};

/// Where something begins.
struct Place {
    size_t offset = 0;  ///< in Document::text, in bytes; the first of a character
    PlaceKind kind = PlaceKind::Page;
    uint32_t number = 0;  ///< of a page, from 1; of a heading its level, 1 to 6; of a file 0
    std::string words;    ///< of a heading; of a file its path in the folder; of a page none
    bool operator==(const Place&) const = default;
};

/// What of a document is not in its text, or is there by a guess.
enum class LossKind {
    Images,
    PagesWithoutText,
    UnknownCharacters,  ///< of fonts whose table of characters is neither in the file nor here
    Comments,
    DeletedText,  ///< a change that is not yet agreed to
    OtherEncoding,
    BinaryFiles,
    LargeFiles,
    HiddenFiles,
    BuildFolders,
    OutsideLinks,
    UnreadableFiles,
    Rest,  ///< what comes behind the text: reading it took too long
};

struct LossInfo {
    LossKind kind;
    std::string_view name;  ///< stable: it travels in the answer of `ingle-documents`
    std::string_view one;   ///< the words for one of it
    std::string_view many;  ///< for several; {0} stands for the number, {1} for Loss::names
};

inline constexpr std::array kLosses{
    LossInfo{LossKind::Images, "images", "1 picture", "{0} pictures"},
    LossInfo{LossKind::PagesWithoutText, "pagesWithoutText", "1 page without text (a picture of it)",
             "{0} pages without text (pictures of them)"},
    LossInfo{LossKind::UnknownCharacters, "unknownCharacters",
             "characters of a font that does not say which they are",
             "characters of {0} fonts that do not say which they are"},
    LossInfo{LossKind::Comments, "comments", "1 comment", "{0} comments"},
    LossInfo{LossKind::DeletedText, "deletedText", "1 deletion that is kept as a tracked change",
             "{0} deletions that are kept as tracked changes"},
    LossInfo{LossKind::OtherEncoding, "otherEncoding", "nothing, but it is no UTF-8 and was read as {1}",
             "nothing, but {0} files are no UTF-8 and were read as {1}"},
    LossInfo{LossKind::BinaryFiles, "binaryFiles", "1 file that is no text", "{0} files that are no text"},
    LossInfo{LossKind::LargeFiles, "largeFiles", "1 file that is too large", "{0} files that are too large"},
    LossInfo{LossKind::HiddenFiles, "hiddenFiles", "1 hidden file or folder", "{0} hidden files or folders"},
    LossInfo{LossKind::BuildFolders, "buildFolders", "1 folder that programs made",
             "{0} folders that programs made"},
    LossInfo{LossKind::OutsideLinks, "outsideLinks", "1 link that leads out of the folder",
             "{0} links that lead out of the folder"},
    LossInfo{LossKind::UnreadableFiles, "unreadableFiles", "1 file that could not be read",
             "{0} files that could not be read"},
    LossInfo{LossKind::Rest, "rest", "the rest of it: reading took too long",
             "the rest of {0} files: reading took too long"},
};

constexpr const LossInfo& lossInfo(LossKind kind) {
    return kLosses[static_cast<size_t>(kind)];
}

struct Loss {
    LossKind kind = LossKind::Images;
    uint64_t count = 0;
    std::string names = {};  ///< of OtherEncoding: the encodings that were guessed
    bool operator==(const Loss&) const = default;
};

/// "3 pictures".
std::string lossText(const Loss& loss);

struct Document {
    std::string format;  ///< in words, "PDF"
    std::string title;   ///< one line, never empty once readDocument() returned it
    /// UTF-8 without control characters but new lines and tabs. Paragraphs have an empty line between them,
    /// headings are Markdown's, each row of a table is a line "| a | b |". At most limits::kTextBytes.
    std::string text;
    std::vector<Place> places;  ///< by offset
    std::vector<Loss> leftOut;  ///< at most one of a kind, none with a count of 0
};

}  // namespace ingle::documents
