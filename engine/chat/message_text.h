/// Messages of parts as one text each, for templates and chat formats that know nothing else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ingle/types.h"

namespace ingle::chat {

struct TextMessage {
    Role role = Role::User;
    std::string text;
};

/// The bytes of this text decide which snapshots serve a conversation. Thoughts are left out. Each call of a
/// tool and each result stands between marks of its own, as toldOfTools() describes them; attachments and
/// sources stand below their names.
std::string messageText(const ChatMessage& message);
/// A result also has the name of the tool, or else the id of the call that it answers.
std::vector<TextMessage> messageTexts(std::span<const ChatMessage> messages);

}  // namespace ingle::chat
