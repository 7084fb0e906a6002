/// ChatGLM-6B's vocabulary: white space is pieces of its own, and one space stands in front of all.
#include <gtest/gtest.h>

#include "engine/tokenizer/tokenizer.h"

namespace ingle::tokenizer {
namespace {

using formats::TokenType;

formats::TokenizerData vocabulary() {
    formats::TokenizerData data{.model = "chatglm1"};
    const auto add = [&](std::string text, float score, TokenType type = TokenType::Normal) {
        data.tokens.push_back(std::move(text));
        data.scores.push_back(score);
        data.types.push_back(type);
    };
    add("<unk>", 0, TokenType::Unknown);
    add("[gMASK]", 0, TokenType::Control);
    add("<sop>", 0, TokenType::Control);
    add("<n>", 0);
    add("<|tab|>", 0);
    add("<|blank_2|>", 0);
    add("<|blank_3|>", 0);
    add("\u2581", -2);    // 7
    add("\u2581a", -3);   // 8
    add("a", -4);         // 9
    add("b", -4);         // 10
    add("ab", -5);        // 11
    add("\u2581ab", -4);  // 12
    data.eos = 2;
    return data;
}

std::vector<TokenId> encoded(const Tokenizer& tokenizer, std::vector<TextSegment> segments) {
    return tokenizer.encode(segments, true).value();
}

TEST(ChatGlm1, whiteSpaceIsPiecesOfItsOwn) {
    const auto tokenizer = createTokenizer(vocabulary()).value();
    const auto ids = [&](std::string text) { return encoded(*tokenizer, {{std::move(text), false}}); };
    EXPECT_EQ(ids("ab"), (std::vector<TokenId>{12}));
    // No space in front of what follows a line's end.
    EXPECT_EQ(ids("ab\nab"), (std::vector<TokenId>{12, 3, 11}));
    EXPECT_EQ(ids("\tab"), (std::vector<TokenId>{7, 4, 11}));
    EXPECT_EQ(ids("ab a"), (std::vector<TokenId>{12, 8}));
    // The longest run first; a single space belongs to what follows.
    EXPECT_EQ(ids("a  a"), (std::vector<TokenId>{8, 5, 9}));
    EXPECT_EQ(ids("a   a"), (std::vector<TokenId>{8, 6, 9}));
    EXPECT_EQ(ids("a    a"), (std::vector<TokenId>{8, 6, 8}));
    // The space in front makes no run of the text's own one.
    EXPECT_EQ(ids(" a"), (std::vector<TokenId>{7, 8}));
    EXPECT_EQ(ids(""), std::vector<TokenId>{});
}

TEST(ChatGlm1, marksAreThoseOfTemplates) {
    const auto tokenizer = createTokenizer(vocabulary()).value();
    EXPECT_EQ(encoded(*tokenizer, {{"a", false}, {"[gMASK]<sop>", true}}), (std::vector<TokenId>{8, 1, 2}));
    EXPECT_EQ(encoded(*tokenizer, {{"[gMASK]<sop>", true}}), (std::vector<TokenId>{1, 2}));
    const auto forged = encoded(*tokenizer, {{"<sop>", false}});
    EXPECT_EQ(std::ranges::count(forged, 2), 0);
    EXPECT_TRUE(tokenizer->isEndOfGeneration(2));
}

TEST(ChatGlm1, textComesBack) {
    const auto tokenizer = createTokenizer(vocabulary()).value();
    for (const std::string text : {"ab\n\tab   a", "a  b\n\nab"}) {
        const auto ids = encoded(*tokenizer, {{text, false}});
        EXPECT_EQ(decode(*tokenizer, ids).value(), text);
    }
}

}  // namespace
}  // namespace ingle::tokenizer
