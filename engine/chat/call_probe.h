/// Small chats with calls of a tool, by which it is found out how a template writes those.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/chat/jinja/template.h"
#include "engine/chat/message_values.h"

namespace ingle::chat::probe {

// Texts that no template has.
inline constexpr const char *kText = "qz1text", *kThought = "qz1thought", *kName = "qzname";
inline constexpr const char* kKeys[] = {"qzkey1", "qzkey2", "qzkey3", "qzkey4"};
/// In place of the ids, which differ from call to call.
inline constexpr std::string_view kId = "qzcallid";

/// The tool that is called, as PromptForm::tools. The first two parameters are texts, the others numbers.
std::string tools();

/// What a template writes of an answer with calls that have these arguments; of none: with kText.
class CallTexts {
  public:
    CallTexts(const jinja::Template& chatTemplate, const MessageForm& form)
        : m_template(chatTemplate), m_form(form) {}

    std::optional<std::string> render(std::span<const nlohmann::ordered_json> calls);
    /// Of an answer with kText behind the thought kThought.
    std::optional<std::string> renderThought();

  private:
    std::optional<std::string> renderAnswer(nlohmann::ordered_json answer);

    /// What published templates make of such chats takes a hundredth of it.
    static constexpr size_t kMostWork = size_t{32} << 20;
    static constexpr size_t kMostText = size_t{64} << 10;

    const jinja::Template& m_template;
    const MessageForm& m_form;
    jinja::Meter m_meter{kMostWork};
};

std::string_view commonBegin(std::string_view a, std::string_view b);
std::string_view commonEnd(std::string_view a, std::string_view b);
/// Without blanks at both ends.
std::string_view stripped(std::string_view text);
/// The part of a text's end that begins with a mark or a blank: what is before may be half a mark.
std::string_view wholeMarks(std::string_view end);
/// Where an object of JSON that holds all the texts begins and ends; nothing: none does.
struct Place {
    size_t begin, end;
};
inline constexpr size_t kMostObjects = 256;  ///< that are looked at
std::optional<Place> objectWith(std::string_view text, size_t from,
                                std::initializer_list<std::string_view> held);

}  // namespace ingle::chat::probe
