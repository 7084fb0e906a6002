#include "engine/chat/call_probe.h"

#include <algorithm>

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/template_variables.h"

namespace ingle::chat::probe {
namespace {

using ProbeJson = nlohmann::ordered_json;

ProbeJson question() {
    return {{"role", "user"}, {"content", "qzquestion"}};
}

/// What values of arguments begin with.
constexpr std::string_view kArgument = "qzvalue";

std::string idOf(size_t call) {
    return fmt::format("qz{}callid", call + 1);
}

}  // namespace

std::string tools() {
    static constexpr const char* kTypes[] = {"string", "string",  "integer", "integer",
                                             "number", "boolean", "array",   "object"};
    ProbeJson properties = ProbeJson::object();
    for (size_t i = 0; i < std::size(kKeys); ++i)
        properties[kKeys[i]] = {{"type", kTypes[i]}, {"description", "qz"}};
    const ProbeJson function{{"name", kName},
                             {"description", "qz"},
                             {"parameters", {{"type", "object"}, {"properties", properties}}}};
    return ProbeJson::array({{{"type", "function"}, {"function", function}}}).dump();
}

std::optional<std::string> CallTexts::render(std::span<const ProbeJson> calls) {
    return renderCalls(calls.empty() ? kText : "", calls);
}

std::optional<std::string> CallTexts::renderWithText(std::span<const ProbeJson> calls) {
    return renderCalls(kText, calls);
}

std::optional<std::string> CallTexts::renderCalls(std::string_view text, std::span<const ProbeJson> calls) {
    auto written = renderCalls(text, calls, m_form);
    // Some show calls only of an answer that has no text at all.
    MessageForm bare = m_form;
    bare.argumentsAreText = true;
    bare.noneIsEmpty = false;
    const bool isShown = written && written->find(kArgument) != written->npos;
    if (text.empty() && !calls.empty() && !calls.front().empty() && !isShown)
        if (auto other = renderCalls(text, calls, bare)) return other;
    return written;
}

std::optional<std::string> CallTexts::renderCalls(std::string_view text, std::span<const ProbeJson> calls,
                                                  const MessageForm& form) {
    const bool isNone = text.empty() && !form.noneIsEmpty;
    ProbeJson answer{{"role", "assistant"}, {"content", isNone ? ProbeJson() : ProbeJson(text)}};
    for (size_t i = 0; i < calls.size(); ++i) {
        const ProbeJson arguments = form.argumentsAreText ? ProbeJson(calls[i].dump()) : calls[i];
        answer["tool_calls"].push_back({{"id", idOf(i)},
                                        {"type", "function"},
                                        {"function", {{"name", kName}, {"arguments", arguments}}}});
    }
    auto written = renderAnswer(std::move(answer));
    for (size_t i = 0; written && i < calls.size(); ++i) {
        const std::string id = idOf(i);
        for (size_t at = written->find(id); at != written->npos; at = written->find(id, at))
            written->replace(at, id.size(), kId);
    }
    return written;
}

std::optional<std::string> CallTexts::renderThought() {
    ProbeJson answer{{"role", "assistant"}, {"content", kText}};
    for (const std::string_view name : kThoughtNames) answer[std::string(name)] = kThought;
    return renderAnswer(std::move(answer));
}

std::optional<std::string> CallTexts::renderQuestion(GenerationPrompt add) {
    return renderMessages(ProbeJson::array({question()}), add);
}

std::optional<std::string> CallTexts::renderAnswer(ProbeJson answer) {
    return renderMessages(ProbeJson::array({question(), std::move(answer)}), GenerationPrompt::Omit);
}

std::optional<std::string> CallTexts::renderMessages(const ProbeJson& messages, GenerationPrompt add) {
    const auto list = jinja::fromJson(messages);
    if (!list) return std::nullopt;
    const auto segments = renderTemplate(m_template, *list, {.tools = tools()}, add, m_meter);
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

std::string_view wholeMarks(std::string_view end) {
    return end.substr(std::min(end.find_first_of("<[( \t\r\n"), end.size()));
}

bool isCut(std::string_view text, size_t at) {
    constexpr std::string_view kBegin = "<[({", kEnd = ">])}";
    // Of two or three bytes: quotes and brackets that end something.
    constexpr std::string_view kWideEnds[] = {"\u00bb", "\u203a", "\u27e7", "\u27e9", "\u27eb",
                                              "\u3009", "\u300b", "\u300d", "\u300f", "\u3011"};
    if (at == text.size()) return true;
    const std::string_view behind = text.substr(at), before = text.substr(0, at);
    if ((static_cast<unsigned char>(behind.front()) & 0xC0) == 0x80) return false;  // within a character
    const bool ends = kEnd.find(behind.front()) != kEnd.npos || behind.front() == '"' ||
                      std::ranges::any_of(kWideEnds, [&](auto each) { return behind.starts_with(each); });
    const bool isQuoteEnd = before.ends_with('"') && std::string_view("/>,; \n").find(behind.front()) < 6;
    const bool hasEnded = isQuoteEnd || (!before.empty() && kEnd.find(before.back()) != kEnd.npos);
    if (ends) return hasEnded && before.back() != behind.front();
    if (before.empty() || kBlanks.find(behind.front()) != kBlanks.npos) return true;
    const bool isWide = static_cast<unsigned char>(behind.front()) >= 0xC0;
    const bool isRun = before.back() == behind.front() || before.back() == '<' || before.back() == '[';
    return hasEnded || kBlanks.find(before.back()) != kBlanks.npos ||
           std::ranges::any_of(kWideEnds, [&](auto each) { return before.ends_with(each); }) || isWide ||
           (kBegin.find(behind.front()) != kBegin.npos && !isRun);
}

namespace {

std::optional<Place> findObject(std::string_view text, size_t from,
                                std::initializer_list<std::string_view> held, bool isInner) {
    std::optional<Place> found;
    size_t tries = 0;  // each may read all of the text
    for (size_t at = text.find('{', from); at != text.npos && ++tries <= kMostObjects;
         at = text.find('{', at + 1)) {
        std::string_view rest = text.substr(at);
        const auto object = takeJson(rest);
        if (!object || !isJsonObject(*object)) continue;
        const bool holdsAll = std::ranges::all_of(
            held, [&](std::string_view each) { return object->find(each) != object->npos; });
        if (holdsAll) found = Place{at, at + object->size()};
        if (found && (!isInner || !holdsAll)) break;
    }
    return found;
}

}  // namespace

std::optional<Place> objectWith(std::string_view text, size_t from,
                                std::initializer_list<std::string_view> held) {
    return findObject(text, from, held, false);
}

std::optional<Place> innerObjectWith(std::string_view text, size_t from,
                                     std::initializer_list<std::string_view> held) {
    return findObject(text, from, held, true);
}

}  // namespace ingle::chat::probe
