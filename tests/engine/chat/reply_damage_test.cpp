/// Replies as models write them, damaged: nothing crashes, and every byte comes out as text, mark or call.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/chat/markup.h"
#include "tests/engine/bombs.h"

namespace ingle::chat {
namespace {

using test::BombParts;

constexpr const char* kReplyTools =
    R"([{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":)"
    R"({"star":{"type":"string"},"minutes":{"type":"integer"}}}}}])";

size_t numReplies() {
    const char* given = std::getenv("INGLE_REPLIES");
    return given ? std::strtoull(given, nullptr, 10) : 4000;
}

/// A template that has the signs of all forms and thoughts.
std::string everySign() {
    std::string text;
    for (const CallForm& form : allCallForms()) text += fmt::format("{}\n", form.signOrBegin());
    for (const Markup& markup : allMarkups()) text += fmt::format("{}\n", markup.begin);
    return text;
}

/// One call in a form; values and what else it may have are made up.
std::string callIn(const CallForm& form, BombParts& parts) {
    const auto fill = [&](std::string pattern, std::string_view slot, const std::string& text) {
        for (size_t at = pattern.find(slot); at != pattern.npos; at = pattern.find(slot, at + text.size()))
            pattern.replace(at, slot.size(), text);
        return pattern;
    };
    static const std::vector<std::string> kValues{"Vega", "12",           "{\"a\": [1]}", "a < b",
                                                  "```",  "</tool_call>", "\\u00e9",      "true"};
    const std::string json = "{\"star\": \"" + std::string(parts.chance(2) ? "Vega" : "a < {b}") + "\"}";
    std::string call = fill(std::string(form.call), "{name}", "look");
    std::string parameter = fill(std::string(form.parameter), "{key}", parts.chance(2) ? "star" : "minutes");
    for (const char* slot : {"{value}", "{xml}", "{nested}"})
        parameter = fill(parameter, slot, parts.oneOf(kValues));
    parameter = fill(parameter, "{type}", "string");
    call = fill(call, "{parameters}", parts.chance(3) ? "" : parameter + parameter);
    call = fill(call, "{numbered}", "functions.look:0");
    for (const char* slot : {"{id}", "{any}"}) call = fill(call, slot, "id1");
    call = fill(call, "{arguments}", json);
    call = fill(call, "{call}", "{\"name\": \"look\", \"arguments\": " + json + "}");
    call = fill(call, "{python}", "[look(star='Vega', minutes=12)]");
    call = fill(call, "{braces}", "{star:<|\"|>Vega<|\"|>,minutes:12}");
    const std::string begin(form.isPart ? std::string_view() : form.begin);
    return begin + call + std::string(form.end);
}

std::string mark(BombParts& parts) {
    const auto forms = allCallForms();
    const auto markups = allMarkups();
    const CallForm& form = forms[parts.below(forms.size())];
    const Markup& markup = markups[parts.below(markups.size())];
    switch (parts.below(4)) {
        case 0:
            return std::string(form.begin);
        case 1:
            return std::string(form.end);
        case 2:
            return std::string(markup.begin);
        default:
            return std::string(markup.end);
    }
}

std::string reply(BombParts& parts) {
    static const std::vector<std::string> kTexts{"Hello. ",   "\n",      "a < b, {x} [y] ",
                                                 "```json\n", "\n```\n", " "};
    const auto forms = allCallForms();
    std::string text;
    for (size_t i = 0; i < 1 + parts.below(6); ++i) {
        if (parts.chance(2)) text += parts.oneOf(kTexts);
        if (parts.chance(3)) text += mark(parts);
        if (parts.chance(2)) text += callIn(forms[parts.below(forms.size())], parts);
    }
    for (size_t i = parts.below(5); i > 0 && !text.empty(); --i) {
        const size_t at = parts.below(text.size());
        const size_t size = 1 + parts.below(std::min<size_t>(text.size() - at, 20));
        switch (parts.below(5)) {
            case 0:
                text.erase(at, size);
                break;
            case 1:
                text.insert(at, text.substr(at, size));
                break;
            case 2:
                text.insert(at, mark(parts));
                break;
            case 3:
                // All but the byte that stands for control tokens.
                text[at] = static_cast<char>(parts.below(255));
                break;
            default:
                text.resize(at);
        }
    }
    return text;
}

std::vector<PartPiece> split(std::string_view text, size_t step, const CallReading& reading,
                             std::string_view promptEnd) {
    MarkupSplitter splitter(promptEnd, reading);
    std::vector<PartPiece> pieces;
    for (size_t at = 0; at < text.size(); at += step)
        for (const PartPiece& piece : splitter.push(text.substr(at, step))) append(pieces, piece);
    for (const PartPiece& piece : splitter.finish()) append(pieces, piece);
    return pieces;
}

/// Bytes of `text` that are a mark at its beginning; 0: it is none.
size_t markSize(std::string_view text) {
    size_t longest = 0;
    for (const Markup& markup : allMarkups())
        for (const std::string_view each : {markup.begin, markup.end})
            if (text.starts_with(each)) longest = std::max(longest, each.size());
    return longest;
}

/// Each piece of text stands in the reply, in order, and between them only marks, or calls that were read.
/// `isBehindCall`: at `text` there is a call.
bool isCovered(std::string_view text, std::span<const PartPiece> pieces, bool isBehindCall = false) {
    while (!pieces.empty() && pieces.front().kind == PartKind::ToolCall) {
        isBehindCall = true;
        pieces = pieces.subspan(1);
    }
    if (pieces.empty()) {
        while (!isBehindCall && !text.empty()) {
            const size_t size = markSize(text);
            if (size == 0) return false;
            text.remove_prefix(size);
        }
        return true;
    }
    const std::string_view piece = pieces.front().text;
    for (size_t at = 0; isBehindCall && at < text.size(); ++at) {
        at = text.find(piece, at);
        if (at == text.npos) return false;
        if (isCovered(text.substr(at + piece.size()), pieces.subspan(1))) return true;
    }
    if (isBehindCall) return false;
    // A mark may begin as a text does.
    if (text.starts_with(piece) && isCovered(text.substr(piece.size()), pieces.subspan(1))) return true;
    const size_t size = markSize(text);
    return size > 0 && isCovered(text.substr(size), pieces);
}

TEST(ReplyDamage, losesNoByteHoweverItIsCut) {
    const CallReading reading(kReplyTools, everySign());
    static const std::vector<std::string> kPromptEnds{"", "", "<think>\n", "<|channel|>analysis<|message|>"};
    for (size_t i = 0; i < numReplies(); ++i) {
        BombParts parts(i);
        const std::string text = reply(parts);
        const std::string& promptEnd = parts.oneOf(kPromptEnds);
        const auto whole = split(text, text.size() + 1, reading, promptEnd);
        ASSERT_TRUE(isCovered(text, whole)) << "reply " << i << ": " << text;
        const auto pieces = split(text, 1 + parts.below(9), reading, promptEnd);
        ASSERT_EQ(pieces, whole) << "reply " << i << ": " << text;
    }
}

}  // namespace
}  // namespace ingle::chat
