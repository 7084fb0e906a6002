/// From messages to prompt text: the model's own template where it works, else the built-in format that suits
/// it best, with a sentence that says so.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/prompt_format.h"

namespace ingle::chat {

namespace jinja {
class Template;
}

/// Immutable after creation: any thread.
class PromptRenderer {
  public:
    /// Parses the file's template, once.
    static PromptRenderer create(const formats::ModelFile& file);

    struct Rendered {
        std::vector<tokenizer::TextSegment> segments;  ///< message text is never parseSpecial
        std::string note;  ///< why a built-in format was used; empty when it was not
        /// Texts that end the assistant's turn beside end tokens: a template leaves that to those.
        std::span<const std::string_view> stops = {};
    };
    /// A template that refuses a system message gets it as the beginning of the first question; one that
    /// fails otherwise is replaced by the built-in format for this prompt. What the model thought before
    /// earlier answers is left out, unless the template knows such thoughts itself: then they stand in the
    /// answer as the model wrote them, which every such template can read.
    Rendered render(std::span<const ChatMessage> messages, GenerationPrompt add) const;

    /// "template", or the name of the built-in format.
    std::string_view name() const { return m_template ? "template" : m_builtIn->name; }
    /// Why every prompt uses the built-in format, one sentence; empty when the file's template is used.
    const std::string& fallbackReason() const { return m_fallbackReason; }
    /// Whether the template speaks of what the model thinks: such models do so at length.
    bool thinks() const { return m_thinks; }

  private:
    PromptRenderer() = default;
    Rendered renderAnswers(std::span<const TextMessage> messages, GenerationPrompt add) const;
    Result<std::vector<tokenizer::TextSegment>> renderTemplate(std::span<const TextMessage> messages,
                                                               GenerationPrompt add) const;

    std::shared_ptr<const jinja::Template> m_template;  ///< null: the file has none that can be parsed
    bool m_templateKnowsThoughts = false;
    bool m_thinks = false;
    const PromptFormat* m_builtIn = nullptr;
    std::string m_fallbackReason;
    std::string m_bos, m_eos;  ///< texts of these tokens, which templates write out
};

}  // namespace ingle::chat
