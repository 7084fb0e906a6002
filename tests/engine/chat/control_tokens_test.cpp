/// Marks that a vocabulary has as tokens: only those are marks, and the same letters are text.
#include "engine/chat/control_tokens.h"

#include <gtest/gtest.h>

#include "engine/chat/markup.h"

namespace ingle::chat {
namespace {

constexpr const char* kClockTools =
    R"([{"type":"function","function":{"name":"ring","parameters":{"type":"object","properties":)"
    R"({"bell":{"type":"string"}}}}}])";
constexpr const char* kHermes = "<think><tool_call>";
constexpr const char* kCall = R"({"name": "ring", "arguments": {"bell": "big"}})";

std::shared_ptr<const ControlTokens> vocabulary() {
    using enum formats::TokenType;
    formats::TokenizerData data;
    for (const auto& [text, type] :
         std::vector<std::pair<std::string, formats::TokenType>>{{"a", Normal},
                                                                 {"<think>", UserDefined},
                                                                 {"</think>", UserDefined},
                                                                 {"<tool_call>", Control},
                                                                 {"</tool_call>", Control},
                                                                 {"<|news|>", Control},
                                                                 {"\n\n", UserDefined},
                                                                 {"\"}}", UserDefined},
                                                                 {"the", UserDefined}}) {
        data.tokens.push_back(text);
        data.types.push_back(type);
    }
    return std::make_shared<const ControlTokens>(data);
}

/// "R(…)A(…)T(…)" of pieces; those in brackets are control tokens.
std::string read(const std::vector<std::string>& tokens, std::string_view promptEnd = {}) {
    MarkupSplitter splitter(promptEnd, CallReading(kClockTools, kHermes, nullptr, vocabulary()));
    std::vector<Part> parts;
    const auto take = [&](const std::vector<PartPiece>& pieces) {
        for (const PartPiece& piece : pieces) append(parts, piece);
    };
    for (const std::string& token : tokens) {
        const bool isControl = token.front() == '\1';
        take(splitter.push(isControl ? ControlTokens::kSign + token.substr(1) : token));
    }
    take(splitter.finish());
    std::string out;
    for (const Part& part : parts)
        out += std::string(1, "ART"[static_cast<int>(part.kind)]) + "(" + part.text + ")";
    return out;
}

TEST(ControlTokens, areMarksWhereverTheyStand) {
    EXPECT_EQ(read({"\1<think>", "Hm.", "\1</think>", "Yes."}), "R(Hm.)A(Yes.)");
    EXPECT_EQ(read({"So: ", "\1<think>", "Hm.", "\1</think>", "Yes."}), "A(So: )R(Hm.)A(Yes.)");
    EXPECT_EQ(read({"So: ", "\1<tool_call>", kCall, "\1</tool_call>"}),
              R"(A(So: )T({"name":"ring","arguments":{"bell":"big"}}))");
}

TEST(ControlTokens, theSameLettersAreText) {
    const std::string call = std::string("<tool_call>") + kCall + "</tool_call>";
    EXPECT_EQ(read({"<think>", "Hm.", "</think>", "Yes."}), "A(<think>Hm.</think>Yes.)");
    EXPECT_EQ(read({"Write `", "<", "tool_call>", kCall, "</tool_call>", "`."}), "A(Write `" + call + "`.)");
    EXPECT_EQ(read({"Hm, ", "</think>", call, ".", "\1</think>", "Yes."}, "<think>\n"),
              "R(Hm, </think>" + call + ".)A(Yes.)");
    // In a call too.
    EXPECT_EQ(read({"\1<tool_call>", R"({"name": "ring", "arguments": {"bell": "</tool_call>)", "\1<|news|>",
                    "\"}}", "\1</tool_call>"}),
              R"(T({"name":"ring","arguments":{"bell":"</tool_call><|news|>"}}))");
}

TEST(ControlTokens, oneThatIsNoMarkIsText) {
    EXPECT_EQ(read({"a", "\1<|news|>", "b"}), "A(a<|news|>b)");
    EXPECT_EQ(read({"\1<tool_call>", "none"}), "A(<tool_call>none)");
    // Before the first byte it is what a model decides by.
    EXPECT_EQ(read({"\1<|news|>", " ", "\1<|news|>", "b"}), "A( b)");
    EXPECT_EQ(read({"\1<|news|>", "\1<think>", "\1<|news|>", "b", "\1<|news|>", "\1</think>", "c"}),
              "R(b<|news|>)A(c)");
}

TEST(ControlTokens, wordsBlanksAndPunctuationOfAVocabularyAreNone) {
    const auto tokens = vocabulary();
    EXPECT_EQ(tokens->spelled("the <think>\n\n\"}}<|news|>"), "the \xFF<think>\n\n\"}}\xFF<|news|>");
    EXPECT_EQ(tokens->textOf(0), nullptr);
    ASSERT_TRUE(tokens->textOf(5));
    EXPECT_EQ(*tokens->textOf(5), "<|news|>");
}

}  // namespace
}  // namespace ingle::chat
