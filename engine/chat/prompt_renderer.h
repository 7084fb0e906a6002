/// From messages to prompt text: by the template that was set, where there is one, else by the model's own,
/// and where that does not work by the built-in format that suits it best, with a sentence that says so.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/call_layout.h"
#include "engine/chat/dialects/call_reader.h"
#include "engine/chat/jinja/meter.h"
#include "engine/chat/message_values.h"
#include "engine/chat/prompt_format.h"
#include "engine/chat/template_variables.h"

namespace ingle::chat {

/// Immutable after creation: any thread.
class PromptRenderer {
  public:
    /// Parses the file's template, once.
    static PromptRenderer create(const formats::ModelFile& file);
    /// The same model's prompts in another form.
    PromptRenderer inForm(const PromptForm& form) const;
    /// The same at another moment than now.
    PromptRenderer at(const std::tm& time) const;
    /// The same with other texts of the tokens that begin and end a text.
    PromptRenderer withTokens(std::string bos, std::string eos) const;

    struct Rendered {
        std::vector<tokenizer::TextSegment> segments;  ///< message text is never parseSpecial
        std::string note;  ///< why it has another form than was asked for; empty: it has that form
        /// Texts that end the assistant's turn beside end tokens: a template leaves that to those.
        std::span<const std::string_view> stops = {};
    };
    /// A template that refuses a system message gets it as the beginning of the first question; one that
    /// refuses tools has them told in words; one that fails otherwise is replaced, for this prompt, by what
    /// is next. Templates get what the model thought before earlier answers as a field, and decide what is
    /// written of it. The built-in formats leave it out.
    /// All tries together use what `meter` has left; once it is used up or stopped, the built-in format is
    /// used.
    Rendered render(std::span<const ChatMessage> messages, GenerationPrompt add, jinja::Meter& meter) const;
    Rendered render(std::span<const ChatMessage> messages, GenerationPrompt add) const;

    /// How the tools that it tells of are called by answers.
    CallReading callReading() const;

    /// How the template writes one call; nothing where it writes none that can be read back.
    std::optional<CallLayout> callLayout() const;

    /// Of the file.
    const ControlTokens& controlTokens() const { return *m_tokens; }

    /// "template", or the name of the built-in format.
    std::string_view name() const { return m_given || m_own ? "template" : m_builtIn->name; }
    /// Why every prompt uses the built-in format, one sentence; empty when the file's template is used.
    const std::string& fallbackReason() const { return m_fallbackReason; }
    /// Whether the template speaks of what the model thinks: such models do so at length.
    bool thinks() const { return m_thinks; }

  private:
    struct Source;
    using Segments = std::vector<tokenizer::TextSegment>;

    PromptRenderer() = default;
    Rendered renderOwn(std::span<const ChatMessage> messages, GenerationPrompt add,
                       jinja::Meter& meter) const;
    /// By a template, perhaps with a note. Errors: the template's.
    Result<Rendered> renderBy(const Source& source, std::span<const ChatMessage> messages,
                              GenerationPrompt add, jinja::Meter& meter) const;
    Result<Rendered> renderMessages(const Source& source, std::span<const ChatMessage> messages,
                                    const TemplateVariables& variables, MessageForm form,
                                    GenerationPrompt add, jinja::Meter& meter) const;
    /// `source` null: a built-in format.
    std::string noteOf(const Source* source) const;

    std::shared_ptr<const Source> m_given;  ///< null: none was set, or it cannot be parsed
    std::shared_ptr<const Source> m_own;    ///< null: the file has none that can be parsed
    std::shared_ptr<const ControlTokens> m_tokens;
    TemplateVariables m_variables;
    bool m_thinks = false;
    const PromptFormat* m_builtIn = nullptr;
    std::string m_givenReason;  ///< why the one that was set is not used
    std::string m_fallbackReason;
};

}  // namespace ingle::chat
