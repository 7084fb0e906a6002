/// Small chats by which it is found out how a template writes thoughts, answers and calls of tools.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/chat/dialects/written_values.h"
#include "engine/chat/jinja/template.h"
#include "engine/chat/message_values.h"
#include "engine/chat/template_variables.h"

namespace ingle::chat::probe {

// Texts that no template has.
inline constexpr const char *kText = "qz1text", *kThought = "qz1thought", *kName = "qzname";
/// Keys of arguments: two texts, two integers, then a number, a boolean, a list and an object.
inline constexpr const char* kKeys[] = {"qzkey1", "qzkey2", "qzkey3", "qzkey4",
                                        "qzkey5", "qzkey6", "qzkey7", "qzkey8"};
/// In place of the ids, which differ from call to call.
inline constexpr std::string_view kId = "qzcallid";

/// The tool that is called, as PromptForm::tools.
std::string tools();

/// What a template writes of a question, and of an answer to it.
class CallTexts {
  public:
    CallTexts(const jinja::Template& chatTemplate, const MessageForm& form)
        : m_template(chatTemplate), m_form(form) {}

    /// Of an answer with calls that have these arguments; of none: with kText.
    std::optional<std::string> render(std::span<const nlohmann::ordered_json> calls);
    /// Of an answer with kText, and then such calls.
    std::optional<std::string> renderWithText(std::span<const nlohmann::ordered_json> calls);
    /// Of an answer with kText behind the thought kThought.
    std::optional<std::string> renderThought();
    /// Of the question alone.
    std::optional<std::string> renderQuestion(GenerationPrompt add);

  private:
    std::optional<std::string> renderAnswer(nlohmann::ordered_json answer);
    std::optional<std::string> renderCalls(std::string_view text,
                                           std::span<const nlohmann::ordered_json> calls);
    std::optional<std::string> renderCalls(std::string_view text,
                                           std::span<const nlohmann::ordered_json> calls,
                                           const MessageForm& form);
    std::optional<std::string> renderMessages(const nlohmann::ordered_json& messages, GenerationPrompt add);

    /// What published templates make of such chats takes a hundredth of it.
    static constexpr size_t kMostWork = size_t{32} << 20;
    static constexpr size_t kMostText = size_t{64} << 10;

    const jinja::Template& m_template;
    const MessageForm& m_form;
    jinja::Meter m_meter{kMostWork};
};

std::string_view commonBegin(std::string_view a, std::string_view b);
std::string_view commonEnd(std::string_view a, std::string_view b);
/// The part of a text's end that begins with a mark or a blank: what is before may be half a mark.
std::string_view wholeMarks(std::string_view end);
/// Whether a mark may begin at `at`: what is before it is no half of one.
bool isCut(std::string_view text, size_t at);
/// The inner- or outermost object of JSON behind `from` that holds all the texts; nothing: none does.
struct Place {
    size_t begin, end;
};
inline constexpr size_t kMostObjects = 256;  ///< that are looked at
std::optional<Place> objectWith(std::string_view text, size_t from,
                                std::initializer_list<std::string_view> held);
std::optional<Place> innerObjectWith(std::string_view text, size_t from,
                                     std::initializer_list<std::string_view> held);

}  // namespace ingle::chat::probe
