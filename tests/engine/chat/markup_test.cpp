/// What a model thinks, answers and calls, told apart while it is streamed.
#include "engine/chat/markup.h"

#include <gtest/gtest.h>

namespace ingle::chat {
namespace {

/// "R(…)A(…)T(…)": the parts that the pieces make.
/// A template that writes all marks.
std::string allMarks() {
    std::string text;
    for (const Markup& markup : allMarkups()) text += fmt::format("{} {}\n", markup.begin, markup.end);
    return text;
}

std::string split(std::string_view text, size_t step, std::string_view promptEnd = {},
                  const std::string& chatTemplate = allMarks()) {
    MarkupSplitter splitter(promptEnd, CallReading({}, chatTemplate));
    std::vector<Part> parts;
    const auto take = [&](const std::vector<PartPiece>& pieces) {
        for (const PartPiece& piece : pieces) {
            EXPECT_FALSE(piece.text.empty());
            append(parts, piece);
        }
    };
    for (size_t at = 0; at < text.size(); at += step) take(splitter.push(text.substr(at, step)));
    take(splitter.finish());
    EXPECT_TRUE(splitter.withheld().empty());
    std::string out;
    for (const Part& part : parts)
        out += std::string(1, "ART"[static_cast<int>(part.kind)]) + "(" + part.text + ")";
    return out;
}

TEST(Markup, tellsKindsApartHoweverTheTextIsCut) {
    const std::pair<const char*, const char*> cases[] = {
        {"Hello", "A(Hello)"},
        {"<think>hm</think>Hello", "R(hm)A(Hello)"},
        {"a<think>b</think>c<think>d", "A(a<think>b</think>c<think>d)"},
        {" \n<think>b</think>c<think>d", "A( \n)R(b)A(c<think>d)"},
        {"<think>quotes <tool_call> and <think></think>x", "R(quotes <tool_call> and <think>)A(x)"},
        {"<think></think>x", "A(x)"},
        {"1 < 2 <thin", "A(1 < 2 <thin)"},
        {"</think>", "A(</think>)"},
        {"<think>a</thin", "R(a</thin)"},
        // Without tools nothing is a call.
        {"<tool_call>\n{\"name\": \"f\"}\n</tool_call>ok",
         "A(<tool_call>\n{\"name\": \"f\"}\n</tool_call>ok)"},
        {"[THINK]a[/THINK]b", "R(a)A(b)"},
        {"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "R(a)A(b)"},
        // Neighbours of one kind, too, are parts of their own.
        {"<|inner_prefix|>a<|inner_suffix|>b<|inner_prefix|><|inner_suffix|>c", "R(a)A(b)A(c)"},
        {"<|channel|>commentary<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
         "A(a)A(b)"},
    };
    for (const auto& [text, expected] : cases)
        for (size_t step = 1; step <= 40; ++step)
            EXPECT_EQ(split(text, step), expected) << text << " by " << step;
}

/// In answers of other models they are letters.
TEST(Markup, marksOfOtherFamiliesAreText) {
    const std::string text =
        "gpt-oss writes <|channel|>final<|message|>, others <|START_RESPONSE|>x<|END_RESPONSE|>.";
    for (const size_t step : {size_t{1}, text.size()})
        EXPECT_EQ(split(text, step, {}, "{{ x }}"), "A(" + text + ")");
}

TEST(Markup, aPromptMayHaveBegunToThink) {
    EXPECT_EQ(split("hm</think>Hello", 3, "<|assistant|>\n<think>\n"), "R(hm)A(Hello)");
    EXPECT_EQ(split("hm</think>Hello", 3, "<|assistant|>\n"), "A(hm</think>Hello)");
    EXPECT_EQ(split("Hello", 3, "<think>\n\n</think>\n\n"), "A(Hello)");
}

TEST(Markup, aThoughtThatThePromptHasBegunEndsAsItBegan) {
    EXPECT_EQ(thoughtEnding("<|assistant|>\n<think>\n", {}), "\n</think>\n\n");
    EXPECT_EQ(thoughtEnding("<|Assistant|><think>", {}), "</think>");
    EXPECT_EQ(thoughtEnding("<think>\n\n</think>\n\n", {}), "");
    EXPECT_EQ(thoughtEnding("<|assistant|>\n", {}), "");
}

TEST(Markup, everyMarkIsRecognised) {
    for (const Markup& markup : allMarkups()) {
        const char* kind = markup.kind == PartKind::Text      ? "A(x"
                           : markup.kind == PartKind::Thought ? "R(x"
                                                              : "T(x";
        const std::string text = fmt::format("{}x{}", markup.begin, markup.end);
        EXPECT_TRUE(split(text, 1).starts_with(kind)) << markup.begin;
    }
}

}  // namespace
}  // namespace ingle::chat
