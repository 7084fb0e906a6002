/// Answers while they are being written, and how they end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/history/chats/messages.h"

namespace ingle::history {

/// The last pieces of an answer, and how it ended.
struct AnswerEnd {
    std::vector<PartPiece> pieces;                   ///< appended
    std::vector<TokenId> ids;                        ///< appended
    std::string withheld;                            ///< replaces
    MessageStatus status = MessageStatus::Complete;  ///< any but Streaming
    std::optional<StopReason> reason;                ///< none when it failed
    std::optional<Error> error;                      ///< why it failed
    GenerateStats stats;
    Receipt receipt;  ///< kept as it was where this one has no program
};

/// The end of an answer that an error ended.
inline AnswerEnd failedWith(const Error& error) {
    AnswerEnd end;
    end.status = MessageStatus::Failed;
    end.error = error;
    return end;
}

/// An empty answer in state Streaming (FULL as well). Becomes the active leaf.
Result<RowId> beginAnswer(History& history, RowId conversation, RowId parent, const std::string& modelId,
                          const std::string& modelName, const SamplerParams& sampler,
                          const std::optional<AnswerTerms>& terms = std::nullopt);
/// Appends streamed pieces and ids and replaces `withheld` (synchronous=NORMAL: survives a killed process).
/// Call before painting.
Status appendAnswer(History& history, RowId message, std::span<const PartPiece> pieces,
                    const std::vector<TokenId>& ids, const std::string& withheld);
/// What the engine said about the prompt of an answer; firstKept as in Message.
Status setPrompt(History& history, RowId answer, uint64_t promptHash, RowId firstKept);
/// One transaction (FULL): an end that fails half way, on a full disk say, changes nothing and may be
/// repeated.
Status finishAnswer(History& history, RowId message, const AnswerEnd& end);
/// An answer that has ended (interrupted, stopped, failed, at its length limit) goes on: back to Streaming.
Status resumeAnswer(History& history, RowId message);

/// Gives every message left Streaming its journal and the state Interrupted. For whoever opens the file.
Status recoverInterrupted(History& history);

}  // namespace ingle::history
