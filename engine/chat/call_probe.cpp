#include "engine/chat/call_probe.h"

#include <algorithm>

#include "engine/chat/dialects/written_values.h"
#include "engine/chat/jinja/from_json.h"
#include "engine/chat/template_variables.h"

namespace ingle::chat::probe {
namespace {

using ProbeJson = nlohmann::ordered_json;

std::string idOf(size_t call) {
    return fmt::format("qz{}callid", call + 1);
}

}  // namespace

std::string tools() {
    ProbeJson properties = ProbeJson::object();
    for (size_t i = 0; i < std::size(kKeys); ++i)
        properties[kKeys[i]] = {{"type", i < 2 ? "string" : "integer"}, {"description", "qz"}};
    const ProbeJson function{{"name", kName},
                             {"description", "qz"},
                             {"parameters", {{"type", "object"}, {"properties", properties}}}};
    return ProbeJson::array({{{"type", "function"}, {"function", function}}}).dump();
}

std::optional<std::string> CallTexts::render(std::span<const ProbeJson> calls) {
    ProbeJson answer{{"role", "assistant"}, {"content", calls.empty() ? kText : ""}};
    for (size_t i = 0; i < calls.size(); ++i) {
        const ProbeJson arguments = m_form.argumentsAreText ? ProbeJson(calls[i].dump()) : calls[i];
        answer["tool_calls"].push_back({{"id", idOf(i)},
                                        {"type", "function"},
                                        {"function", {{"name", kName}, {"arguments", arguments}}}});
    }
    auto text = renderAnswer(std::move(answer));
    for (size_t i = 0; text && i < calls.size(); ++i) {
        const std::string id = idOf(i);
        for (size_t at = text->find(id); at != text->npos; at = text->find(id, at))
            text->replace(at, id.size(), kId);
    }
    return text;
}

std::optional<std::string> CallTexts::renderThought() {
    ProbeJson answer{{"role", "assistant"}, {"content", kText}};
    for (const std::string_view name : kThoughtNames) answer[std::string(name)] = kThought;
    return renderAnswer(std::move(answer));
}

std::optional<std::string> CallTexts::renderAnswer(ProbeJson answer) {
    const auto list =
        jinja::fromJson(ProbeJson::array({{{"role", "user"}, {"content", "qzquestion"}}, std::move(answer)}));
    if (!list) return std::nullopt;
    const auto segments =
        renderTemplate(m_template, *list, {.tools = tools()}, GenerationPrompt::Omit, m_meter);
    if (!segments) return std::nullopt;
    std::string text;
    for (const auto& segment : *segments) text += segment.text;
    if (text.size() > kMostText) return std::nullopt;
    return text;
}

std::string_view commonBegin(std::string_view a, std::string_view b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    return a.substr(0, static_cast<size_t>(end - a.begin()));
}

std::string_view commonEnd(std::string_view a, std::string_view b) {
    size_t size = 0;
    while (size < std::min(a.size(), b.size()) && a[a.size() - 1 - size] == b[b.size() - 1 - size]) ++size;
    return a.substr(a.size() - size);
}

std::string_view stripped(std::string_view text) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string_view wholeMarks(std::string_view end) {
    return end.substr(std::min(end.find_first_of("<[( \t\r\n"), end.size()));
}

std::optional<Place> objectWith(std::string_view text, size_t from,
                                std::initializer_list<std::string_view> held) {
    size_t tries = 0;  // each may read all of the text
    for (size_t at = text.find('{', from); at != text.npos && ++tries <= kMostObjects;
         at = text.find('{', at + 1)) {
        std::string_view rest = text.substr(at);
        const auto object = takeJson(rest);
        if (!object || !isJsonObject(*object)) continue;
        const bool holdsAll = std::ranges::all_of(
            held, [&](std::string_view each) { return object->find(each) != object->npos; });
        if (holdsAll) return Place{at, at + object->size()};
    }
    return std::nullopt;
}

}  // namespace ingle::chat::probe
