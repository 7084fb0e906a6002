/// Messages of parts as one text each, for templates and chat formats that know nothing else.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ingle/types.h"

namespace ingle::chat {

struct TextMessage {
    Role role = Role::User;
    std::string text;
};

/// Names of the tools that were called, by the call's id.
class CalledTools {
  public:
    void add(const ChatMessage& message);
    /// The name of the tool that a result comes from; empty: it is not known.
    std::string nameFor(const Part& result) const;

  private:
    std::map<std::string, std::string> m_names;
};

/// The bytes of this text decide which snapshots serve a conversation. Thoughts are left out. Each call of a
/// tool and each result, also one without text, stands between marks of its own, as toldOfTools() describes
/// them, with the name of the tool and the call's id; attachments and sources stand below their names.
std::string messageText(const ChatMessage& message, const CalledTools& called = {});
std::vector<TextMessage> messageTexts(std::span<const ChatMessage> messages);

}  // namespace ingle::chat
