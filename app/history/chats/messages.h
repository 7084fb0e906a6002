/// Messages: a tree in each conversation, of which one branch is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/history/chats/profile.h"
#include "app/history/store/history.h"
#include "ingle/part.h"
#include "ingle/receipt.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::history {

enum class MessageStatus {
    Complete,
    Streaming,    ///< an answer is being written right now
    Stopped,      ///< before its end: by the person, or by a limit (Message::stopReason)
    Interrupted,  ///< found as Streaming when the file was opened: a crash; can be continued
    Failed,       ///< ended by Message::error
};

/// What made an answer, beside its sampler, ids and prompt.
struct AnswerReceipt {
    Receipt engine;  ///< without a program: no run has ended in order
    std::optional<AnswerTerms>
        terms;  ///< from its beginning on; none of what is older, or came from elsewhere

    bool exists() const { return !engine.program.empty(); }
    bool operator==(const AnswerReceipt&) const = default;
};

struct Message {
    RowId id = 0;
    RowId conversation = 0;
    RowId parent = 0;  ///< 0: root. Siblings are alternatives (edits, regenerations)
    Role role = Role::User;
    std::vector<Part> parts;        ///< texts are valid UTF-8 and may hold U+0000
    std::vector<TokenId> tokenIds;  ///< exact ids of an answer; empty for user messages and what was imported
    std::string withheld;           ///< bytes generated but not shown yet
    uint64_t promptHash = 0;
    RowId firstKept = 0;  ///< of an answer: the oldest message the model saw; 0: it saw all of them
    MessageStatus status = MessageStatus::Complete;
    std::optional<StopReason> stopReason;  ///< of an answer that the engine ended
    std::optional<Error> error;            ///< why it failed; its code is not stored
    bool pinned = false;                   ///< the model sees it always
    std::string modelId;
    std::string modelName;
    SamplerParams sampler;  ///< with its seed: what continuing needs
    AnswerReceipt receipt;  ///< its engine: that of the last run that ended in order
    GenerateStats stats;
    int64_t createdMs = 0;
    std::optional<int64_t> finishedMs;  ///< of an answer that has ended
    int siblingIndex = 0;               ///< filled by reads: position among siblings, from 0
    int siblingCount = 1;
};

inline constexpr int kWholeBranch = -1;
/// The branch from the root to `leaf` (0: the conversation's active leaf), oldest first; of a long one only
/// the last `limit` messages. What stands above them ends with the first one's parent.
Result<std::vector<Message>> branch(HistoryReader& history, RowId conversation, RowId leaf,
                                    int limit = kWholeBranch);
Result<Message> message(HistoryReader& history, RowId id);
Result<std::vector<RowId>> siblings(HistoryReader& history, RowId message);
/// The leaf below `message` that was most recently active (following the newest child), or what stands
/// `steps` below it on the way there.
Result<RowId> newestLeafBelow(HistoryReader& history, RowId message, int steps = kWholeBranch);

/// Durable before it returns (synchronous=FULL): nothing is generated for a message that could still be lost.
/// Becomes the active leaf. Errors: InvalidArgument, also when a picture of it is not stored.
Result<RowId> addUserMessage(History& history, RowId conversation, RowId parent,
                             const std::vector<Part>& parts);
/// Of a message of the person: it says something else from now on, before anybody has answered it.
Status replaceParts(History& history, RowId message, const std::vector<Part>& parts);
Status setMessagePinned(History& history, RowId message, bool pinned);

}  // namespace ingle::history
