/// Functions that an answer may call (PromptForm::tools), and how a model is told of them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/value.h"
#include "ingle/types.h"

namespace ingle::chat {

/// How deep a list of tools may be nested: as a request may.
inline constexpr int kMostToolDepth = 64;

/// All of it is what tools said.
bool isToolResult(const ChatMessage& message);

/// Errors: InvalidArgument, when `tools` is no list of functions as PromptForm::tools wants it.
Status checkTools(std::string_view tools);

/// For templates that ask for them. All text in it is Origin::Message. Errors: as checkTools().
Result<jinja::Value> toolList(std::string_view tools);

/// For everything else: the messages with a system message that tells of `tools`, which are fit, and in which
/// form they are called.
std::vector<ChatMessage> toldOfTools(std::span<const ChatMessage> messages, std::string_view tools);

/// What a part of kind ToolCall says.
struct CallInPart {
    std::string name;
    nlohmann::ordered_json arguments;  ///< an object, or the text that was meant to be one
    std::string argumentText;          ///< the same, byte for byte as it was given
};
/// Nothing when its text is no JSON object.
std::optional<CallInPart> readCall(const Part& part);

}  // namespace ingle::chat
