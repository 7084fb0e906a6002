#include "engine/chat/infer_call_form.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/chat/dialects/written_values.h"
#include "engine/chat/jinja/from_json.h"
#include "engine/chat/markup.h"
#include "engine/chat/template_variables.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

/// Texts that no template has. Each call has two parameters.
constexpr const char *kText = "qz1text", *kName = "qzname", *kKeys[] = {"qzkey1", "qzkey2"};
constexpr const char* kValues[][2] = {{"qzvalue1", "qzvalue2"}, {"qzvalue3", "qzvalue4"}};
constexpr const char* kIds[] = {"qz1callid", "qz2callid"};
/// In place of the ids, which differ from call to call.
constexpr std::string_view kId = "qzcallid";

/// What published templates make of such chats takes a hundredth of it.
constexpr size_t kMostWork = size_t{32} << 20;

std::string toolsText() {
    json properties = json::object();
    for (const char* key : kKeys) properties[key] = {{"type", "string"}, {"description", "qz"}};
    const json function{{"name", kName},
                        {"description", "qz"},
                        {"parameters", {{"type", "object"}, {"properties", properties}}}};
    return json::array({{{"type", "function"}, {"function", function}}}).dump();
}

json argumentsOf(size_t call) {
    return {{kKeys[0], kValues[call][0]}, {kKeys[1], kValues[call][1]}};
}

/// What a template writes of an answer with so many calls; of none: with a text.
class CallTexts {
  public:
    CallTexts(const jinja::Template& chatTemplate, const MessageForm& form)
        : m_template(chatTemplate), m_form(form) {}

    std::optional<std::string> render(size_t numCalls) {
        json answer{{"role", "assistant"}, {"content", numCalls == 0 ? kText : ""}};
        for (size_t i = 0; i < numCalls; ++i) {
            json arguments = argumentsOf(i);
            if (m_form.argumentsAreText) arguments = arguments.dump();
            answer["tool_calls"].push_back({{"id", kIds[i]},
                                            {"type", "function"},
                                            {"function", {{"name", kName}, {"arguments", arguments}}}});
        }
        const auto list =
            jinja::fromJson(json::array({{{"role", "user"}, {"content", "qzquestion"}}, std::move(answer)}));
        if (!list) return std::nullopt;
        const auto segments =
            renderTemplate(m_template, *list, {.tools = toolsText()}, GenerationPrompt::Omit, m_meter);
        if (!segments) return std::nullopt;
        std::string text;
        for (const auto& segment : *segments) text += segment.text;
        for (const char* id : kIds)
            for (size_t at = text.find(id); at != text.npos; at = text.find(id, at))
                text.replace(at, std::string_view(id).size(), kId);
        return text;
    }

  private:
    const jinja::Template& m_template;
    const MessageForm& m_form;
    jinja::Meter m_meter{kMostWork};
};

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

/// The part of a text's end that begins with a mark or a blank: what is before may be half a mark.
std::string_view wholeMarks(std::string_view end) {
    return end.substr(std::min(end.find_first_of("<[( \t\r\n"), end.size()));
}

/// What `with` has in place of the text that `plain` has.
std::string_view differing(std::string_view with, std::string_view plain) {
    const size_t before = std::min(commonBegin(with, plain).size(), plain.find(kText));
    with.remove_prefix(before);
    plain.remove_prefix(before);
    return with.substr(0, with.size() - commonEnd(with, plain).size());
}

/// One call as it is written: [begin, end) of a text, and the patterns of what is there.
struct WrittenCall {
    size_t begin = 0, end = 0;
    std::string pattern, parameter;
};

/// A text of a pattern; nothing: it could be taken for a slot.
std::optional<std::string> literal(std::string_view text) {
    if (text.find('{') != text.npos) return std::nullopt;
    std::string out(text);
    for (size_t at = out.find(kId); at != out.npos; at = out.find(kId, at))
        out.replace(at, kId.size(), "{id}");
    return out;
}

/// The object in `text` from `from` on that holds the texts; nothing: none does.
std::optional<WrittenCall> objectWith(std::string_view text, size_t from,
                                      std::initializer_list<const char*> held) {
    for (size_t at = text.find('{', from); at != text.npos; at = text.find('{', at + 1)) {
        std::string_view rest = text.substr(at);
        const auto object = takeJson(rest);
        if (!object || !parseBounded<json>(*object).is_object()) continue;
        const bool holdsAll =
            std::ranges::all_of(held, [&](const char* each) { return object->find(each) != object->npos; });
        if (holdsAll) return WrittenCall{at, at + object->size(), {}, {}};
    }
    return std::nullopt;
}

/// Call number `number`, which begins behind `from`.
std::optional<WrittenCall> findCall(std::string_view text, size_t from, size_t number) {
    const auto& values = kValues[number];
    const size_t name = text.find(kName, from);
    if (name == text.npos) return std::nullopt;
    const size_t nameEnd = name + std::string_view(kName).size();
    if (auto whole = objectWith(text, from, {kName, kKeys[0], values[0]}); whole && whole->begin < name) {
        whole->pattern = "{call}";
        return whole;
    }
    if (auto arguments = objectWith(text, nameEnd, {kKeys[0], values[0]})) {
        const auto between = literal(text.substr(nameEnd, arguments->begin - nameEnd));
        if (!between) return std::nullopt;
        return WrittenCall{name, arguments->end, "{name}" + *between + "{arguments}", {}};
    }
    // Key, value, key, value.
    size_t at = nameEnd;
    size_t places[4];
    const char* texts[4] = {kKeys[0], values[0], kKeys[1], values[1]};
    for (size_t i = 0; i < 4; ++i) {
        places[i] = text.find(texts[i], at);
        if (places[i] == text.npos) return std::nullopt;
        at = places[i] + std::string_view(texts[i]).size();
    }
    const auto behind = [&](size_t i) { return places[i] + std::string_view(texts[i]).size(); };
    const std::string_view header = text.substr(nameEnd, places[0] - nameEnd);
    const std::string_view between = text.substr(behind(1), places[2] - behind(1));
    const std::string_view begin = wholeMarks(commonEnd(header, between));
    const std::string_view end = between.substr(0, between.size() - begin.size());
    if (stripped(end).empty() || stripped(begin).empty()) return std::nullopt;
    const auto head = literal(header.substr(0, header.size() - begin.size()));
    const auto first = literal(begin), middle = literal(text.substr(behind(0), places[1] - behind(0)));
    const auto last = literal(end);
    const std::string_view rest = text.substr(behind(3));
    if (!head || !first || !middle || !last || !rest.starts_with(stripped(end))) return std::nullopt;
    return WrittenCall{name, behind(3) + stripped(end).size(), "{name}" + *head + "{parameters}",
                       *first + "{key}" + *middle + "{value}" + *last};
}

/// The form of an answer with one call, and of one with two: empty where a template writes no two.
std::optional<InferredForm> formOf(std::string_view one, std::string_view two) {
    const auto alone = findCall(one, 0, 0);
    if (!alone) return std::nullopt;
    std::string_view before = one.substr(0, alone->begin), behind = one.substr(alone->end);
    std::string_view head, tail;
    const auto first = two.empty() ? std::nullopt : findCall(two, 0, 0);
    const auto second = first ? findCall(two, first->end, 1) : std::nullopt;
    if (second) {
        const std::string_view between = two.substr(first->end, second->begin - first->end);
        behind = two.substr(second->end);
        if (stripped(between) == "," && stripped(before).ends_with('[') &&
            stripped(behind).starts_with(']')) {
            before = before.substr(0, before.rfind('['));  // a list, which {call} reads
            behind = behind.substr(behind.find(']') + 1);
        } else {
            head = wholeMarks(commonEnd(between, before));
            tail = stripped(between.substr(0, between.size() - head.size()));
            if (tail == ",") tail = {};
            if (!stripped(behind).starts_with(tail)) return std::nullopt;
        }
    }
    std::string_view begin = before.substr(0, before.size() - head.size());
    std::string_view end = behind;
    std::string call = alone->pattern;
    if (stripped(begin).empty()) {
        begin = head;  // each call has the marks
    } else {
        const auto headText = literal(head), tailText = literal(tail);
        if (!headText || !tailText) return std::nullopt;
        call = *headText + call + *tailText;
        end = stripped(end).substr(tail.size());
    }
    if (begin.find(kId) != begin.npos || end.find(kId) != end.npos) return std::nullopt;
    return InferredForm{std::string(stripped(begin)), std::string(stripped(end)), std::move(call),
                        alone->parameter};
}

/// Whether answers are read as the calls that were written.
bool reads(const CallReading& reading, std::string_view text, size_t numCalls) {
    MarkupSplitter splitter({}, reading);
    std::vector<PartPiece> pieces = splitter.push(text);
    for (PartPiece& piece : splitter.finish()) pieces.push_back(std::move(piece));
    size_t found = 0;
    for (const PartPiece& piece : pieces) {
        if (piece.kind != PartKind::ToolCall) continue;
        const json call = parseBounded<json>(piece.text);
        if (found == numCalls || !call.is_object() || call.value("arguments", json()) != argumentsOf(found))
            return false;
        ++found;
    }
    return found == numCalls;
}

}  // namespace

std::shared_ptr<const InferredForm> inferCallForm(const jinja::Template& chatTemplate,
                                                  std::string_view source, const MessageForm& messages) {
    if (!messages.hasCalls) return nullptr;
    CallTexts texts(chatTemplate, messages);
    const auto plain = texts.render(0), one = texts.render(1), two = texts.render(2);
    if (!plain || !one || plain->find(kText) == plain->npos) return nullptr;
    const std::string_view oneCall = differing(*one, *plain);
    const std::string_view twoCalls = two ? differing(*two, *plain) : std::string_view();
    const auto areRead = [&](const CallReading& reading) {
        return reads(reading, oneCall, 1) && (twoCalls.empty() || reads(reading, twoCalls, 2));
    };
    if (areRead({toolsText(), source})) return nullptr;
    const auto inferred = formOf(oneCall, twoCalls);
    if (!inferred) return nullptr;
    auto form = std::make_shared<const InferredForm>(*inferred);
    return areRead({toolsText(), source, form}) ? form : nullptr;
}

}  // namespace ingle::chat
