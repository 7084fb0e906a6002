/// Messages of parts as one text each, for templates and chat formats, which know nothing else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingle/types.h"

namespace ingle::chat {

struct TextMessage {
    Role role = Role::User;
    std::string text;
    // Where they are not text (ToolForm::Fields):
    std::vector<Part> toolCalls = {};
    std::optional<std::string> resultOf = {};  ///< the tool whose result the message is
};

/// What is written of the thoughts of earlier answers.
enum class Thoughts {
    Omit,
    Mark,  ///< between <think> and </think>, where templates look for them
};

/// Where calls of tools and their results stand.
enum class ToolForm {
    Text,
    Fields,  ///< beside the text; each result is a message of its own
};

/// The bytes of this text decide which snapshots serve a conversation. Calls of tools and what these said are
/// blocks of code in Markdown, attachments and sources stand below their names. A thought that an answer ends
/// with was never finished, so nothing closes it.
std::string messageText(const ChatMessage& message, Thoughts thoughts);
std::vector<TextMessage> messageTexts(std::span<const ChatMessage> messages, Thoughts thoughts,
                                      ToolForm tools = ToolForm::Text);

}  // namespace ingle::chat
