/// What stands above conversations and messages where people read them.
#pragma once

#include <string>

#include "app/exchange/exporter.h"

namespace ingle::exchange {

/// On one line, never empty.
inline std::string titleOf(const history::PortableConversation& conversation) {
    return conversation.title.empty() ? "Chat" : escaped(conversation.title);
}

/// "Llama 3 · 2025-07-26 12:34".
inline std::string headingOf(const history::Message& message) {
    constexpr const char* kSpeakers[] = {"Instructions", "You", "Answer"};
    const bool isNamed = message.role == Role::Assistant && !message.modelName.empty();
    const std::string speaker =
        isNamed ? escaped(message.modelName) : kSpeakers[static_cast<size_t>(message.role)];
    const std::string time = timeText(message.createdMs);
    return time.empty() ? speaker : fmt::format("{} · {} UTC", speaker, time);
}

}  // namespace ingle::exchange
