/// Built-in chat formats: messages → prompt text with origins, for models whose file has no template that
/// works. One file per format: engine/chat/formats/<name>.cpp defines `extern const PromptFormat prompt` in
/// the namespace `<name>_prompt`.
#pragma once

#include <cstdint>
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

/// Where several formats suit a model, the one with the higher precedence is taken: the more that is known of
/// the model, the higher.
enum class Precedence : uint8_t {
    Fallback,           ///< suits every model
    VocabularyKind,     ///< the vocabulary is of a kind, or has tokens that are reserved for turns
    PlainText,          ///< the template has a text that others may have as well: "USER:"
    SharedMark,         ///< a mark that several formats share: "<|im_start|>"
    OwnMark,            ///< a mark of this format alone
    SpecificMark,       ///< marks of a format, and one more that only this variant has
    MarkAndVocabulary,  ///< as SpecificMark, with the kind of the vocabulary
    Architecture,       ///< the architecture says so, and there is no template
};

struct TurnMarkup;

struct PromptFormat {
    std::string_view name;
    Precedence precedence = Precedence::Fallback;
    /// From the model's metadata and vocabulary.
    bool (*suits)(const formats::ModelFile& file);
    /// Texts around each message (turn_markup.h). Null: `renderer` writes the prompt.
    const TurnMarkup* markup = nullptr;
    /// Message text is never marked parseSpecial.
    std::vector<tokenizer::TextSegment> (*renderer)(std::span<const TextMessage> messages,
                                                    GenerationPrompt add) = nullptr;
    /// Texts that end the assistant's turn beside end tokens.
    std::span<const std::string_view> stops;

    std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages,
                                               GenerationPrompt add) const;
};

std::span<const PromptFormat* const> allPromptFormats();

/// The format that suits the model with the highest precedence; the plain "User:/Assistant:" format always
/// does.
const PromptFormat& choosePromptFormat(const formats::ModelFile& file);

/// True when the model knows a markup text: its template spells it or, without one, its vocabulary has it.
bool knowsMarkup(const formats::ModelFile& file, std::string_view text);

}  // namespace ingle::chat
