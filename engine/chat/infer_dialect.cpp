#include "engine/chat/infer_dialect.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/chat/call_probe.h"
#include "engine/chat/infer_calls.h"
#include "engine/chat/markup.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;
using namespace probe;
using Marks = InferredDialect::Marks;

json textArguments(size_t call) {
    return {{kKeys[0], kCallValues[call][0]}, {kKeys[1], kCallValues[call][1]}};
}

json mixedArguments() {
    return {{kKeys[0], kCallValues[0][0]}, {kKeys[2], kMixedNumber}};
}

/// One value of each type.
json typedArguments() {
    return {{kKeys[0], "qzvalue5 \"b\"\n c"},
            {kKeys[2], -7},
            {kKeys[4], 1.5},
            {kKeys[5], true},
            {kKeys[6], {"qza", 1}},
            {kKeys[7], {{"qzb", false}}}};
}

/// What a template writes behind the question.
class Turns {
  public:
    static std::optional<Turns> render(CallTexts& texts) {
        const auto question = texts.renderQuestion(GenerationPrompt::Omit);
        const auto plain = texts.render({});
        if (!question || !plain) return std::nullopt;
        Turns turns;
        turns.m_begin = plain->substr(0, commonBegin(*question, *plain).size());
        const auto turnOf = [&turns](const std::optional<std::string>& text) -> std::string {
            const bool goesOn = text && text->starts_with(turns.m_begin);
            return goesOn ? text->substr(turns.m_begin.size()) : "";
        };
        const json calls[] = {textArguments(0), textArguments(1)}, mixed[] = {mixedArguments()},
                   typed[] = {typedArguments()};
        const std::span<const json> all(calls);
        turns.prompt = turnOf(texts.renderQuestion(GenerationPrompt::Add));
        turns.plain = turnOf(plain);
        turns.thinking = turnOf(texts.renderThought());
        turns.one = turnOf(texts.render(all.first(1)));
        turns.two = turnOf(texts.render(all));
        turns.mixed = turnOf(texts.render(mixed));
        turns.typed = turnOf(texts.render(typed));
        turns.textAndCall = turnOf(texts.renderWithText(all.first(1)));
        if (turns.plain.find(kText) == std::string::npos) return std::nullopt;
        // Some only write what begins an answer before the answer.
        if (turns.prompt.empty())
            turns.prompt = commonBegin(turns.lead(), turns.one.empty() ? turns.thinking : turns.one);
        return turns;
    }

    /// Before the text, and behind it.
    std::string_view lead() const { return std::string_view(plain).substr(0, plain.find(kText)); }
    std::string_view tail() const {
        return std::string_view(plain).substr(plain.find(kText) + std::string_view(kText).size());
    }
    /// What is read of an answer that a template writes as `turn`.
    std::vector<Part> read(std::string_view turn, const CallReading& reading) const {
        const size_t shared = commonBegin(turn, prompt).size();
        std::string_view answer = turn.substr(shared);
        if (answer.ends_with(tail())) answer.remove_suffix(tail().size());
        MarkupSplitter splitter(m_begin + std::string(turn.substr(0, shared)), reading);
        std::vector<Part> parts;
        for (const PartPiece& piece : splitter.push(answer)) append(parts, piece);
        for (const PartPiece& piece : splitter.finish()) append(parts, piece);
        return parts;
    }

    // Empty: not written.
    std::string prompt, plain, thinking, one, two, mixed, typed, textAndCall;

  private:
    std::string m_begin;
};

std::string textIn(std::span<const Part> parts, PartKind kind) {
    return std::string(stripped(textOf(parts, kind)));
}

bool readsTexts(const Turns& turns, const CallReading& reading) {
    const auto says = [&](const std::string& turn, std::string_view thought) {
        const auto parts = turns.read(turn, reading);
        return textIn(parts, PartKind::Text) == kText && textIn(parts, PartKind::Thought) == thought;
    };
    const bool thinks = turns.thinking.find(kThought) != std::string::npos;
    return says(turns.plain, "") && (!thinks || says(turns.thinking, kThought));
}

bool isWritten(const std::string& turn) {
    return turn.find(kName) != std::string::npos;
}

std::vector<json> argumentsIn(std::span<const Part> parts) {
    std::vector<json> found;
    for (const Part& part : parts)
        if (part.kind == PartKind::ToolCall)
            found.push_back(parseBounded<json>(part.text).value("arguments", json()));
    return found;
}

/// What a row reads is its own affair in all but this.
bool readsCalls(const Turns& turns, const CallReading& reading) {
    const std::vector<json> one{textArguments(0)}, two{textArguments(0), textArguments(1)};
    return argumentsIn(turns.read(turns.one, reading)) == one &&
           (!isWritten(turns.two) || argumentsIn(turns.read(turns.two, reading)) == two);
}

/// Calls with values of all types, behind text too, and nothing beside them.
bool readsAllOfCalls(const Turns& turns, const CallReading& reading) {
    const auto says = [&](const std::string& turn, const json& arguments, std::string_view text) {
        const auto parts = turns.read(turn, reading);
        return argumentsIn(parts) == std::vector<json>{arguments} && textIn(parts, PartKind::Text) == text &&
               textIn(parts, PartKind::Thought).empty();
    };
    const bool isTextWritten = turns.textAndCall.find(kText) != std::string::npos;
    return readsCalls(turns, reading) && says(turns.one, textArguments(0), "") &&
           (!isWritten(turns.typed) || says(turns.typed, typedArguments(), "")) &&
           (!isTextWritten || says(turns.textAndCall, textArguments(0), kText));
}

/// The first mark of several.
std::string_view firstMark(std::string_view marks) {
    marks = stripped(marks);
    for (size_t at = 1; at < marks.size(); ++at)
        if (isCut(marks, at)) return stripped(marks.substr(0, at));
    return marks;
}

std::string_view lastMark(std::string_view marks) {
    marks = stripped(marks);
    for (size_t at = marks.size(); at-- > 1;)
        if (isCut(marks, at)) return marks.substr(at);
    return marks;
}

/// `text` from where `other` is another one, from a whole mark on.
std::string_view behindShared(std::string_view text, std::string_view other) {
    size_t shared = commonBegin(text, other).size();
    while (shared > 0 && !isCut(text, shared)) --shared;
    return text.substr(shared);
}

/// Whether each part of a turn has the turn's own beginning before it.
bool hasHeaders(const Turns& turns) {
    const std::string_view lead = turns.lead();
    const size_t thought = turns.thinking.find(kThought), text = turns.thinking.find(kText);
    if (stripped(behindShared(lead, turns.prompt)).empty()) return false;
    if (thought < text && text != std::string::npos)
        return std::string_view(turns.thinking).substr(thought, text - thought).ends_with(lead);
    const size_t said = turns.textAndCall.find(kText), name = turns.one.find(kName);
    if (said == std::string::npos || name == std::string::npos) return false;
    std::string_view between = std::string_view(turns.textAndCall).substr(said);
    between = between.substr(0, between.find(kName));
    return between.ends_with(std::string_view(turns.one).substr(0, name));
}

/// The marks around thoughts and texts.
std::vector<Marks> marksOf(const Turns& turns, bool headers) {
    const std::string_view lead = turns.lead(), thinking = turns.thinking;
    const size_t thought = thinking.find(kThought),
                 text = thinking.find(kText, std::min(thought, thinking.size()));
    std::string_view textMark = headers ? lead : behindShared(lead, turns.prompt);
    std::vector<Marks> marks;
    const auto add = [&marks](std::string_view begin, std::string_view end, PartKind kind, bool isAnywhere) {
        if (stripped(begin).empty() || (kind == PartKind::Thought && stripped(end).empty())) return;
        marks.push_back({std::string(stripped(begin)), std::string(stripped(end)), kind,
                         isAnywhere ? Markup::Counts::Anywhere : Markup::Counts::AtBeginning});
    };
    if (text != thinking.npos) {
        const std::string_view before = thinking.substr(0, thought);
        const size_t thoughtEnd = thought + std::string_view(kThought).size();
        std::string_view end = thinking.substr(thoughtEnd, text - thoughtEnd);
        const bool isThoughtEnd = stripped(end) == stripped(textMark);
        if (isThoughtEnd) textMark = {};  // of a thought without words
        std::string_view begin = headers ? before : behindShared(before, lead);
        if (stripped(begin).empty()) begin = lastMark(before);
        const bool endsInText = !stripped(textMark).empty() && stripped(end).ends_with(stripped(textMark));
        if (endsInText) end = stripped(end).substr(0, stripped(end).size() - stripped(textMark).size());
        add(begin, end, PartKind::Thought, headers);
    }
    add(textMark, firstMark(turns.tail()), PartKind::Text, true);
    return marks;
}

/// What a turn has of calls, without what it has beside them.
std::string callsIn(const Turns& turns, std::string_view turn, bool headers) {
    std::string_view calls = headers ? turn : behindShared(turn, turns.lead());
    if (!headers && calls.ends_with(turns.tail())) calls.remove_suffix(turns.tail().size());
    return std::string(calls);
}

std::optional<InferredDialect::Form> formIn(const Turns& turns, bool headers, bool counts) {
    const std::string one = callsIn(turns, turns.one, headers), two = callsIn(turns, turns.two, headers),
                      mixed = callsIn(turns, turns.mixed, headers);
    return inferCallForm({one, two, mixed}, counts);
}

}  // namespace

std::shared_ptr<const InferredDialect> inferDialect(const jinja::Template& chatTemplate,
                                                    std::string_view source, const MessageForm& messages) {
    CallTexts texts(chatTemplate, messages);
    const auto turns = Turns::render(texts);
    if (!turns) return nullptr;
    const auto readingWith = [&](const InferredDialect& dialect) {
        return CallReading(tools(), source, std::make_shared<const InferredDialect>(dialect));
    };
    InferredDialect found;
    const bool headers = hasHeaders(*turns);
    if (!readsTexts(*turns, readingWith(found))) {
        found.marks = marksOf(*turns, headers);
        if (!readsTexts(*turns, readingWith(found))) found.marks.clear();
    }
    const bool writesCalls = messages.hasCalls && isWritten(turns->one);
    if (writesCalls && !readsCalls(*turns, readingWith(found))) {
        for (const bool counts : {true, false}) {
            found.calls = formIn(*turns, headers, counts);
            if (found.calls && readsAllOfCalls(*turns, readingWith(found))) break;
            found.calls.reset();
        }
    }
    if (!found.calls && found.marks.empty()) return nullptr;
    return std::make_shared<const InferredDialect>(std::move(found));
}

}  // namespace ingle::chat
