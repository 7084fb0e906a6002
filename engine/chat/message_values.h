/// Messages as a chat template sees them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/template.h"
#include "ingle/types.h"

namespace ingle::chat {

/// In which of the forms that are in use a template takes messages.
struct MessageForm {
    bool hasCalls = false;             ///< fields for calls, and messages for results; else both are text
    bool argumentsAreText = false;     ///< of calls; else they are objects
    bool noneIsEmpty = false;          ///< an answer without text has the empty text as content, else None
    bool knowsDevelopers = false;      ///< the role of system messages that a developer wrote
    std::array<bool, 3> lists{};       ///< by Role: several texts of a message stay a list
    std::array<bool, 3> needsLists{};  ///< the same of one text, which is left out else
    std::string imageMark = {};  ///< what the template writes for a user's picture in a list; empty: nothing

    bool operator==(const MessageForm&) const = default;
};

/// Under which names templates look for what was thought: most; Solar; gpt-oss and LFM2.5.
inline constexpr std::string_view kThoughtNames[] = {"reasoning_content", "reasoning", "thinking"};

/// Finds out by renderings of small chats in which form a template takes messages. `source`: its text.
MessageForm findMessageForm(const jinja::Template& chatTemplate, std::string_view source);

/// A list of {role, content} with the fields `name`, `tool_calls`, `tool_call_id` and thoughts. Calls and
/// results without an id get one that all templates take. Roles are ours, so that a template may build
/// special tokens of them; all other text is Origin::Message. A user's picture is an item without text where
/// the form has a mark for it, and else its text. Errors: as jinja::makeList().
Result<jinja::Value> messageValues(std::span<const ChatMessage> messages, const MessageForm& form);

}  // namespace ingle::chat
