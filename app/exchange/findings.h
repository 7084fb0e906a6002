/// What an export of chats holds, and what of it does not come along.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ingle::exchange {

/// What was not understood, or has no place in the history.
enum class LossKind {
    Pictures,
    Attachments,
    Recordings,
    UnknownParts,
    UnknownMessages,
    HiddenMessages,
    LooseMessages,
    EmptyConversations,
    UnreadableConversations,
    Ratings,
};

struct LossInfo {
    LossKind kind;
    std::string_view name;  ///< stable: tests and translations go by it
    std::string_view one;   ///< the words for one of it
    std::string_view many;  ///< for several, {} stands for the number
};

inline constexpr std::array kLosses{
    LossInfo{LossKind::Pictures, "pictures", "1 picture", "{} pictures"},
    LossInfo{LossKind::Attachments, "attachments", "the content of 1 attached file",
             "the contents of {} attached files"},
    LossInfo{LossKind::Recordings, "recordings", "1 recording", "{} recordings"},
    LossInfo{LossKind::UnknownParts, "unknownParts", "1 part of a message, of a kind that is not known",
             "{} parts of messages, of kinds that are not known"},
    LossInfo{LossKind::UnknownMessages, "unknownMessages", "1 message that nobody known has written",
             "{} messages that nobody known has written"},
    LossInfo{LossKind::HiddenMessages, "hiddenMessages", "1 message that was never shown",
             "{} messages that were never shown"},
    LossInfo{LossKind::LooseMessages, "looseMessages", "1 message that belongs to no branch",
             "{} messages that belong to no branch"},
    LossInfo{LossKind::EmptyConversations, "emptyConversations", "1 chat without messages",
             "{} chats without messages"},
    LossInfo{LossKind::UnreadableConversations, "unreadableConversations", "1 chat that could not be read",
             "{} chats that could not be read"},
    LossInfo{LossKind::Ratings, "ratings", "the rating of 1 answer", "the ratings of {} answers"},
};

constexpr const LossInfo& lossInfo(LossKind kind) {
    return kLosses[static_cast<size_t>(kind)];
}

/// "3 pictures".
std::string lossText(LossKind kind, uint64_t count);

struct Findings {
    uint64_t conversations = 0;
    uint64_t messages = 0;
    uint64_t folders = 0;
    uint64_t documents = 0;
    int64_t firstMs = 0;  ///< when the oldest was begun; 0: not said
    int64_t lastMs = 0;
    std::map<LossKind, uint64_t> leftOut;
};

}  // namespace ingle::exchange
