/// What a model thinks, answers and calls, told apart while it is streamed.
#include "engine/chat/markup.h"

#include <gtest/gtest.h>

#include "ingle/answer_text.h"

namespace ingle::chat {
namespace {

/// "R(…)A(…)T(…)": neighbouring pieces of one kind joined.
std::string split(std::string_view text, size_t step, std::string_view promptEnd = {}) {
    MarkupSplitter splitter(promptEnd);
    std::vector<MarkedText> pieces;
    const auto take = [&](std::vector<MarkedText> some) {
        for (MarkedText& each : some) {
            EXPECT_FALSE(each.text.empty());
            if (!pieces.empty() && pieces.back().kind == each.kind)
                pieces.back().text += each.text;
            else
                pieces.push_back(std::move(each));
        }
    };
    for (size_t at = 0; at < text.size(); at += step) take(splitter.push(text.substr(at, step)));
    take(splitter.finish());
    EXPECT_TRUE(splitter.withheld().empty());
    std::string out;
    for (const MarkedText& each : pieces)
        out += std::string(1, "ART"[static_cast<int>(each.kind)]) + "(" + each.text + ")";
    return out;
}

TEST(Markup, tellsKindsApartHoweverTheTextIsCut) {
    const std::pair<const char*, const char*> cases[] = {
        {"Hello", "A(Hello)"},
        {"<think>hm</think>Hello", "R(hm)A(Hello)"},
        {"a<think>b</think>c<think>d", "A(a)R(b)A(c)R(d)"},
        {"<think>quotes <tool_call> and <think></think>x", "R(quotes <tool_call> and <think>)A(x)"},
        {"<think></think>x", "A(x)"},
        {"1 < 2 <thin", "A(1 < 2 <thin)"},
        {"</think>", "A(</think>)"},
        {"<think>a</thin", "R(a</thin)"},
        {"<tool_call>\n{\"a\": 1}\n</tool_call>ok", "T(\n{\"a\": 1}\n)A(ok)"},
        {"[TOOL_CALLS][{}]", "T([{}])"},
        {"<|python_tag|>f()", "T(f())"},
        {"[THINK]a[/THINK]b", "R(a)A(b)"},
        {"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "R(a)A(b)"},
        {"<|channel|>commentary to=f <|message|>{}<|call|>", "T(f <|message|>{})"},
    };
    for (const auto& [text, expected] : cases)
        for (size_t step = 1; step <= 40; ++step)
            EXPECT_EQ(split(text, step), expected) << text << " by " << step;
}

TEST(Markup, aPromptMayHaveBegunToThink) {
    EXPECT_EQ(split("hm</think>Hello", 3, "<|assistant|>\n<think>\n"), "R(hm)A(Hello)");
    EXPECT_EQ(split("hm</think>Hello", 3, "<|assistant|>\n"), "A(hm</think>Hello)");
    EXPECT_EQ(split("Hello", 3, "<think>\n\n</think>\n\n"), "A(Hello)");
}

TEST(Markup, everyMarkIsRecognised) {
    for (const Markup& markup : allMarkups()) {
        const char* kind = markup.kind == TextKind::Answer      ? "A(x"
                           : markup.kind == TextKind::Reasoning ? "R(x"
                                                                : "T(x";
        const std::string text = fmt::format("{}x{}", markup.begin, markup.end);
        EXPECT_TRUE(split(text, 1).starts_with(kind)) << markup.begin;
    }
}

TEST(AnswerText, isTheSameHoweverItIsWritten) {
    AnswerText writer;
    std::string text = writer.add(TextKind::Reasoning, "hm");
    // A second writer goes on from the text, as after a restart.
    AnswerText second(text);
    text += second.add(TextKind::Reasoning, " yes");
    text += second.add(TextKind::Answer, "Hello");
    text += AnswerText(text).add(TextKind::ToolCall, "{}");
    text += AnswerText(text).finish();
    EXPECT_EQ(text, "<think>\nhm yes\n</think>\n\nHello\n```tool_call\n{}\n```\n");
    EXPECT_EQ(AnswerText(text).finish(), "");
    EXPECT_EQ(AnswerText("").add(TextKind::Answer, "x"), "x");
}

}  // namespace
}  // namespace ingle::chat
