#include "engine/chat/infer_call_form.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/chat/call_probe.h"
#include "engine/chat/markup.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;
using namespace probe;

constexpr const char* kValues[][2] = {{"qzvalue1", "qzvalue2"}, {"qzvalue3", "qzvalue4"}};

json argumentsOf(size_t call) {
    return {{kKeys[0], kValues[call][0]}, {kKeys[1], kValues[call][1]}};
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

/// Call number `number`, which begins behind `from`.
std::optional<WrittenCall> findCall(std::string_view text, size_t from, size_t number) {
    const auto& values = kValues[number];
    const size_t name = text.find(kName, from);
    if (name == text.npos) return std::nullopt;
    const size_t nameEnd = name + std::string_view(kName).size();
    const auto whole = objectWith(text, from, {kName, kKeys[0], values[0]});
    if (whole && whole->begin < name) return WrittenCall{whole->begin, whole->end, "{call}", {}};
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
    const json calls[] = {argumentsOf(0), argumentsOf(1)};
    const std::span<const json> all(calls);
    const auto plain = texts.render({}), one = texts.render(all.first(1)), two = texts.render(all);
    if (!plain || !one || plain->find(kText) == plain->npos) return nullptr;
    const std::string_view oneCall = differing(*one, *plain);
    const std::string_view twoCalls = two ? differing(*two, *plain) : std::string_view();
    const auto areRead = [&](const CallReading& reading) {
        return reads(reading, oneCall, 1) && (twoCalls.empty() || reads(reading, twoCalls, 2));
    };
    if (areRead({tools(), source})) return nullptr;
    const auto inferred = formOf(oneCall, twoCalls);
    if (!inferred) return nullptr;
    auto form = std::make_shared<const InferredForm>(*inferred);
    return areRead({tools(), source, form}) ? form : nullptr;
}

std::shared_ptr<const InferredThought> inferThought(const jinja::Template& chatTemplate,
                                                    const MessageForm& messages) {
    CallTexts texts(chatTemplate, messages);
    const auto plain = texts.render({}), thinking = texts.renderThought();
    if (!plain || !thinking) return nullptr;
    const std::string_view with(*thinking);
    const size_t thought = with.find(kThought), text = with.find(kText, std::min(thought, with.size()));
    if (thought == with.npos || text == with.npos) return nullptr;
    const size_t thoughtEnd = thought + std::string_view(kThought).size();
    // An answer without a thought may have its first mark as well.
    size_t shared = commonBegin(with, *plain).size();
    const size_t open = with.substr(0, shared).find_last_of("<[");
    const bool isHalf =
        open != with.npos && with.substr(open, shared - open).find_first_of(">]") == with.npos;
    if (isHalf) shared = open;
    std::string_view begin = shared < thought ? stripped(with.substr(shared, thought - shared)) : "";
    const std::string_view before = stripped(with.substr(0, thought));
    if (begin.empty()) begin = before.substr(std::min(before.find_last_of("<["), before.size()));
    const std::string_view end = stripped(with.substr(thoughtEnd, text - thoughtEnd));
    const bool isKnown = std::ranges::any_of(allMarkups(), [before](const Markup& markup) {
        return markup.kind == PartKind::Thought && before.ends_with(stripped(markup.begin));
    });
    if (begin.empty() || end.empty() || isKnown) return nullptr;
    return std::make_shared<const InferredThought>(InferredThought{std::string(begin), std::string(end)});
}

}  // namespace ingle::chat
