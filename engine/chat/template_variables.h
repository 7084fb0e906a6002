/// The variables that a chat template sees, as Hugging Face's transformers defines them.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "engine/chat/jinja/template.h"
#include "engine/chat/prompt_format.h"

namespace ingle::chat {

struct TemplateVariables {
    std::string bos, eos;   ///< texts of these tokens, which templates write out
    std::string tools;      ///< PromptForm::tools
    std::string arguments;  ///< PromptForm::templateArguments
    Thinking thinking = Thinking::AsUsual;
    std::optional<std::tm> now;  ///< nothing: this moment
};

/// What templates call whether the model thinks: those of Qwen3 and SmolLM3, and those of DeepSeek V3.1 and
/// Granite.
inline constexpr std::string_view kThinkingVariables[] = {"enable_thinking", "thinking"};

/// Renders a list of messages. Variables that are absent are None, or undefined for templates that only work
/// so. Errors: as Template::render(); those of `variables`.
Result<std::vector<tokenizer::TextSegment>> renderTemplate(const jinja::Template& chatTemplate,
                                                           const jinja::Value& messages,
                                                           const TemplateVariables& variables,
                                                           GenerationPrompt add, jinja::Meter& meter);

}  // namespace ingle::chat
