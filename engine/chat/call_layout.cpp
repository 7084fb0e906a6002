#include "engine/chat/call_layout.h"

#include <algorithm>
#include <array>

#include "engine/chat/call_probe.h"
#include "engine/chat/markup.h"

namespace ingle::chat {
namespace {

using LayoutJson = nlohmann::ordered_json;

/// Values of the probe's parameters.
constexpr std::string_view kTexts[] = {"qzvalue1", "qzvalue2"};
constexpr std::string_view kNumbers[] = {"70717", "70727"};

LayoutJson probeArguments() {
    LayoutJson arguments = LayoutJson::object();
    for (const size_t i : {0, 1}) arguments[probe::kKeys[i]] = kTexts[i];
    arguments[probe::kKeys[2]] = 70717;
    arguments[probe::kKeys[3]] = 70727;
    return arguments;
}

/// The call in what a template writes; nothing: there is none that is read back.
std::optional<std::string> callIn(const std::string& with, const std::string& plain,
                                  const CallReading& reading) {
    const size_t common = std::min(probe::commonBegin(with, plain).size(), plain.find(probe::kText));
    // Two marks may begin alike: "<|".
    constexpr size_t kMostOfMark = 2;
    size_t before = common;
    const auto isCut = [&] { return probe::isCut(with, before) && probe::isCut(plain, before); };
    while (!isCut() && before > 0 && common - before < kMostOfMark) --before;
    if (!isCut()) before = common;
    std::string_view call = std::string_view(with).substr(before);
    const auto behind = probe::wholeMarks(probe::commonEnd(call, std::string_view(plain).substr(before)));
    call.remove_suffix(behind.size());
    call = call.substr(0, call.find_last_not_of(" \t\r\n") + 1);
    // The prompt may have begun a mark of it.
    MarkupSplitter splitter(std::string_view(with).substr(0, before), reading);
    std::vector<PartPiece> pieces = splitter.push(call);
    for (PartPiece& piece : splitter.finish()) append(pieces, piece);
    const auto calls = std::ranges::count(pieces, PartKind::ToolCall, &PartPiece::kind);
    return calls == 1 ? std::optional(std::string(call)) : std::nullopt;
}

/// Some templates write an empty thought before a call.
std::string_view behindThoughts(std::string_view begin, const CallReading& reading) {
    for (const Markup& markup : reading.markups()) {
        const size_t end = markup.kind == PartKind::Thought ? begin.rfind(markup.end) : begin.npos;
        if (end == begin.npos) continue;
        begin.remove_prefix(end + markup.end.size());
        begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
    }
    return begin;
}

/// The texts between neighbours of `held`, and behind the last one; nothing: they do not follow each other.
template <size_t count>
std::optional<std::array<std::string, count>> textsBehind(std::string_view text,
                                                          const std::array<std::string_view, count>& held) {
    std::array<std::string, count> texts;
    for (size_t i = 0; i < count; ++i) {
        text.remove_prefix(held[i].size());
        const size_t next = i + 1 < count ? text.find(held[i + 1]) : text.size();
        if (next == text.npos) return std::nullopt;
        texts[i] = text.substr(0, next);
        text.remove_prefix(next);
    }
    return texts;
}

std::optional<CallLayout> layoutOf(std::string_view call, std::string_view emptyCall) {
    const std::string_view name = probe::kName;
    const size_t at = call.find(name);
    if (at == call.npos) return std::nullopt;
    CallLayout layout{.begin = std::string(call.substr(0, at)), .open = {}, .end = {}, .parameters = {}};
    const size_t behind = at + name.size();
    if (const auto object = probe::objectWith(call, behind, {kTexts[0], kNumbers[1]})) {
        layout.open = call.substr(behind, object->begin - behind);
        layout.end = call.substr(object->end);
        return layout;
    }
    const auto texts =
        textsBehind<9>(call.substr(at), {name, probe::kKeys[0], kTexts[0], probe::kKeys[1], kTexts[1],
                                         probe::kKeys[2], kNumbers[0], probe::kKeys[3], kNumbers[1]});
    const size_t emptyName = emptyCall.find(name);
    if (!texts || emptyName == emptyCall.npos) return std::nullopt;
    const auto& [open, gap1, separator1, gap2, separator2, gap3, separator3, gap4, end] = *texts;
    const bool isRegular = gap1 == gap2 && gap3 == gap4 && separator1 == separator2 &&
                           separator1.ends_with(separator3) && !separator3.empty();
    if (!isRegular) return std::nullopt;
    layout.open = open;
    layout.end = end;
    layout.parameters = {.textGap = gap1,
                         .gap = gap3,
                         .textEnd = separator1.substr(0, separator1.size() - separator3.size()),
                         .separator = separator3,
                         .emptyEnd = std::string(emptyCall.substr(emptyName + name.size()))};
    return layout;
}

}  // namespace

std::optional<CallLayout> findCallLayout(const jinja::Template& chatTemplate, std::string_view source,
                                         const MessageForm& messages,
                                         std::shared_ptr<const InferredDialect> inferred) {
    if (!messages.hasCalls) return std::nullopt;
    static_assert(CallLayout::kId == probe::kId);
    probe::CallTexts texts(chatTemplate, messages);
    const LayoutJson whole[] = {probeArguments()}, empty[] = {LayoutJson::object()};
    const auto plain = texts.render({}), one = texts.render(whole), none = texts.render(empty);
    if (!plain || !one || !none || plain->find(probe::kText) == plain->npos) return std::nullopt;
    const CallReading reading(probe::tools(), source, std::move(inferred));
    const auto call = callIn(*one, *plain, reading), emptyCall = callIn(*none, *plain, reading);
    if (!call) return std::nullopt;
    auto layout = layoutOf(*call, emptyCall.value_or(""));
    if (!layout) return std::nullopt;
    layout->begin = behindThoughts(layout->begin, reading);
    // A name that is written twice, or an object inside a text, is no form that the rules can follow.
    const auto hasName = [](std::string_view text) { return text.find(probe::kName) != text.npos; };
    const bool isInText = layout->parameters ? layout->parameters->gap.find("\\\"") != std::string::npos
                                             : layout->open.ends_with('"') || layout->open.ends_with('\'');
    if (hasName(layout->begin) || hasName(layout->open) || hasName(layout->end) || isInText)
        return std::nullopt;
    return layout;
}

}  // namespace ingle::chat
