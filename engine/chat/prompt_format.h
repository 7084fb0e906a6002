/// Built-in chat formats: messages → prompt text with origins, for models whose file has no template that
/// works. One file per format: engine/chat/formats/<name>.cpp defines `extern const PromptFormat
/// <name>_prompt`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/chat/message_text.h"
#include "engine/formats/model_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "ingle/types.h"

namespace ingle::chat {

/// Whether a prompt ends with what begins the assistant's answer.
enum class GenerationPrompt { Omit, Add };

struct PromptFormat {
    std::string_view name;
    /// How well this format suits the model, from its metadata and vocabulary: 0 never, 1 fallback, higher
    /// wins.
    int (*score)(const formats::ModelFile& file);
    /// Message text is never marked parseSpecial.
    std::vector<tokenizer::TextSegment> (*render)(std::span<const TextMessage> messages,
                                                  GenerationPrompt add);
    /// Texts that end the assistant's turn beside end tokens.
    std::span<const std::string_view> stops;
};

std::span<const PromptFormat* const> allPromptFormats();

/// The best-scoring format; the plain "User:/Assistant:" format always applies.
const PromptFormat& choosePromptFormat(const formats::ModelFile& file);

/// True when the model knows a markup text: its template spells it or, without one, its vocabulary has it.
bool knowsMarkup(const formats::ModelFile& file, std::string_view text);

}  // namespace ingle::chat
