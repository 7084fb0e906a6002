/// Documents: their texts, what models have read of them, and the conversations that they stand in. A
/// document is kept once however often it is dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/history/documents/passage_vectors.h"
#include "app/history/store/history.h"
#include "ingle/part.h"
#include "ingle/result.h"

namespace ingle::history {

/// A piece of a document's text that is found by itself.
struct Passage {
    static constexpr std::string_view kNoun = "passage";
    uint64_t begin = 0;  ///< bytes of the text
    uint64_t end = 0;
    uint32_t page = 0;    ///< from 1; 0: the document has none
    std::string heading;  ///< what it stands under, or the file it is from; empty: neither

    bool operator==(const Passage&) const = default;
};

/// How far one model has come with a document.
struct DocumentReading {
    std::string modelId;
    std::string modelName;
    uint32_t tokens = 0;
    uint32_t readTokens = 0;
    uint64_t keptBytes = 0;  ///< on the disk, once all is read
    uint32_t room = 0;       ///< of the model's context, in tokens; 0: the document fits
    bool wanted = false;     ///< it is to be read whenever that model is loaded, until all is

    bool fits() const { return room == 0; }
    bool isWhole() const { return fits() && tokens > 0 && readTokens == tokens; }
    bool operator==(const DocumentReading&) const = default;
};

/// What stands on the shelf, without its text.
struct Document {
    RowId id = 0;
    std::string title;                 ///< one line
    std::string format;                ///< in words, "PDF"
    std::vector<std::string> leftOut;  ///< what of it is not in the text, each in words
    uint64_t textBytes = 0;
    int64_t addedMs = 0;  ///< Unix time, milliseconds
    int64_t usedMs = 0;
    uint32_t conversations = 0;             ///< that it stands in
    std::vector<DocumentReading> readings;  ///< by the model's name
};

struct NewDocument {
    std::string title;
    std::string format;
    std::vector<std::string> leftOut;
    std::string text;  ///< UTF-8
    std::vector<Passage> passages;
};

/// Puts it on top of the shelf; one of the same text that stands there already, or in a conversation, is that
/// one.
Result<RowId> addDocument(History& history, const NewDocument& document);
/// What is on the shelf, used last first.
Result<std::vector<Document>> documents(HistoryReader& history);
/// Errors: InvalidArgument when there is none.
Result<std::string> documentTitle(HistoryReader& history, RowId document);
Result<std::string> documentText(HistoryReader& history, RowId document);
/// Off the shelf, with all that models have read of it. Its text goes too, for good, once it stands in no
/// conversation.
Status removeDocument(History& history, RowId document);

/// Replaces what is known of that model and document.
Status setReading(History& history, RowId document, const DocumentReading& reading);
/// No model has read anything of it.
Status forgetReadings(History& history, RowId document);
/// The documents of which something has been read.
Result<std::vector<RowId>> documentsRead(HistoryReader& history);

/// The documents of a conversation, in the order in which they stand before its first message. 0: of the one
/// that is still to begin; ask() hands them on.
Result<std::vector<RowId>> documentsOf(HistoryReader& history, RowId conversation);
Status setDocumentsOf(History& history, RowId conversation, std::span<const RowId> documents);
/// Somebody asks about them.
Status noteDocumentsUsed(History& history, RowId conversation);

/// The tokens that a document may have in a prompt: as many as `room` says (of the model; 0: all fit), and no
/// more than there is room for where `context` tokens are used at most (0: all that the model has). 0: any.
uint32_t roomWithin(uint32_t room, uint32_t context);

/// Parts that stand before everything else in a conversation: the whole texts of those of its documents that
/// fit the context of that model, of which at most `context` tokens are used (0: all).
Result<std::vector<Part>> documentParts(HistoryReader& history, RowId conversation,
                                        const std::string& modelId, uint32_t context = 0);
/// Of those that do not fit: the passages that have most to do with a question by its words and, where that
/// is known, by what it means, in the order of their texts, neighbours joined. The beginnings where none has.
Result<std::vector<Part>> passageParts(HistoryReader& history, std::span<const RowId> documents,
                                       const std::string& modelId, const std::string& question,
                                       uint32_t context = 0,
                                       const std::optional<TextVector>& meaning = std::nullopt);

}  // namespace ingle::history
