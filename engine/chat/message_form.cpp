// Which form of messages a template takes: it is asked with small chats of marked texts.
#include <algorithm>

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/message_values.h"
#include "engine/chat/template_variables.h"
#include "ingle/role_name.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

/// Texts that no template has.
constexpr const char *kFirst = "qz1text", *kSecond = "qz2text";

constexpr const char* kTools =
    R"([{"type":"function","function":{"name":"qzname","description":"qz","parameters":{"type":"object",)"
    R"("properties":{"qzkey":{"type":"string","description":"qz"}},"required":["qzkey"]}}}])";

bool has(const std::optional<std::string>& text, std::string_view part) {
    return text && text->find(part) != text->npos;
}

class Asking {
  public:
    explicit Asking(const jinja::Template& chatTemplate) : m_template(chatTemplate) {}

    /// Nothing when the template fails.
    std::optional<std::string> render(const json& messages, const char* tools = "") {
        const auto list = jinja::fromJson(messages);
        if (!list) return std::nullopt;
        const auto segments =
            renderTemplate(m_template, *list, {.tools = tools}, GenerationPrompt::Add, m_meter);
        if (!segments) return std::nullopt;
        std::string text;
        for (const auto& segment : *segments) text += segment.text;
        return text;
    }

    bool takesList(Role role) {
        const json list =
            json::array({{{"type", "text"}, {"text", kFirst}}, {{"type", "text"}, {"text", kSecond}}});
        json messages = json::array({{{"role", roleName(role)}, {"content", list}}});
        if (role == Role::Assistant) messages.insert(messages.begin(), question());
        if (role != Role::User) messages.push_back(question());
        const auto text = render(messages);
        return has(text, kFirst) && has(text, kSecond) && !has(text, "'type'") && !has(text, "\"type\"");
    }

    /// Whether a text that is no list gets lost.
    bool needsList(Role role) {
        json messages = json::array({{{"role", roleName(role)}, {"content", kFirst}}});
        if (role == Role::Assistant) messages.insert(messages.begin(), question());
        if (role != Role::User) messages.push_back(question());
        const auto text = render(messages);
        return text && !has(text, kFirst);
    }

    /// What a picture in a list becomes: the same text for each.
    std::string imageMark() {
        const auto none = withPictures(0), one = withPictures(1), two = withPictures(2);
        if (!none || !one || !two || one->size() <= none->size()) return {};
        const auto begin = std::ranges::mismatch(*none, *one).in1 - none->begin();
        std::string mark = one->substr(static_cast<size_t>(begin), one->size() - none->size());
        constexpr std::string_view kSpace = " \t\r\n";
        mark.erase(0, std::min(mark.find_first_not_of(kSpace), mark.size()));
        mark.erase(mark.find_last_not_of(kSpace) + 1);
        if (mark.empty() || mark.find("qz") != mark.npos) return {};
        const auto count = [&mark](std::string_view text) {
            size_t times = 0;
            for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + mark.size()))
                ++times;
            return times;
        };
        return count(*none) == 0 && count(*one) == 1 && count(*two) == 2 ? mark : "";
    }

    bool knowsDevelopers() {
        return has(render({{{"role", "developer"}, {"content", kFirst}}, question()}), kFirst);
    }

    std::optional<std::string> renderCall(const json& arguments, const json& content) {
        const json call{{"id", "call00000"},
                        {"type", "function"},
                        {"function", {{"name", "qzname"}, {"arguments", arguments}}}};
        return render({question(),
                       {{"role", "assistant"}, {"content", content}, {"tool_calls", json::array({call})}},
                       {{"role", "tool"}, {"tool_call_id", "call00000"}, {"content", kSecond}}},
                      kTools);
    }

  private:
    /// What published templates make of such chats takes a hundredth of it.
    static constexpr size_t kMostWork = size_t{32} << 20;

    std::optional<std::string> withPictures(int count) {
        json list = json::array({{{"type", "text"}, {"text", kFirst}}});
        for (int i = 0; i < count; ++i) list.push_back({{"type", "image"}});
        list.push_back({{"type", "text"}, {"text", kSecond}});
        return render({{{"role", "user"}, {"content", list}}});
    }

    static json question() { return {{"role", "user"}, {"content", "qzquestion"}}; }

    const jinja::Template& m_template;
    jinja::Meter m_meter{kMostWork};
};

}  // namespace

MessageForm findMessageForm(const jinja::Template& chatTemplate, std::string_view source) {
    const auto mentions = [source](std::string_view word) { return source.find(word) != source.npos; };
    Asking asking(chatTemplate);
    MessageForm form;
    for (const Role role : {Role::System, Role::User, Role::Assistant})
        form.lists[static_cast<size_t>(role)] = asking.takesList(role);
    for (const Role role : {Role::System, Role::User, Role::Assistant})
        form.needsLists[static_cast<size_t>(role)] =
            form.lists[static_cast<size_t>(role)] && asking.needsList(role);
    if (form.lists[static_cast<size_t>(Role::User)]) form.imageMark = asking.imageMark();
    form.knowsDevelopers = mentions("developer") && asking.knowsDevelopers();
    form.hasCalls = mentions("tool_calls");
    if (!form.hasCalls) return form;
    const json object{{"qzkey", "qzvalue"}};
    json arguments = object;
    auto withText = asking.renderCall(object, "");
    if (!withText) {
        arguments = object.dump();
        withText = asking.renderCall(arguments, "");
        form.argumentsAreText = withText.has_value();
        if (!withText) return form;
    }
    const auto withNone = asking.renderCall(arguments, nullptr);
    form.noneIsEmpty = !withNone || (has(withNone, "None") && !has(withText, "None"));
    return form;
}

}  // namespace ingle::chat
