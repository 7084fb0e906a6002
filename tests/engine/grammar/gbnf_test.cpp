/// GBNF: what is accepted, and sentences for what is not.
#include <gtest/gtest.h>

#include <random>

#include "engine/grammar/gbnf.h"
#include "engine/grammar/matcher.h"
#include "engine/grammar/token_trie.h"
#include "ingle/stop_scope.h"
#include "tests/processor_time.h"

namespace ingle::grammar {
namespace {

std::string mistake(std::string_view text) {
    auto rules = parseGbnf(text);
    if (!rules) return rules.error().message;
    const auto grammar = compile(*rules);
    return grammar ? "" : grammar.error().message;
}

bool matches(std::string_view grammar, std::string_view text) {
    Matcher matcher(compile(parseGbnf(grammar).value()).value());
    return matcher.advance(text) && matcher.canEnd();
}

/// Tokens are named by id, or by their text where the vocabulary has it.
TEST(GbnfTest, namesTokens) {
    const TokenOf tokenOf = [](const std::string& text) {
        return text == "<think>" ? std::optional(uint32_t{70'000}) : std::nullopt;
    };
    const auto accepts = [&](const char* grammar, const std::vector<uint32_t>& ids,
                             std::string_view text = "") {
        const auto rules = parseGbnf(grammar, tokenOf);
        EXPECT_TRUE(rules) << rules.error().message;
        Matcher matcher(compile(*rules).value());
        std::string bytes;
        for (const uint32_t id : ids) bytes += tokenCode(id);
        return matcher.advance(bytes + std::string(text)) && matcher.canEnd();
    };
    EXPECT_TRUE(accepts("root ::= <think> <[300]> \"a\"", {70'000, 300}, "a"));
    EXPECT_FALSE(accepts("root ::= <think>", {70'001}));
    EXPECT_FALSE(accepts("root ::= <think>", {}, "<think>"));
    EXPECT_FALSE(accepts("root ::= [^a]+", {300}));
    for (const uint32_t id : {0u, 299u, 301u, 0x00FFFFFFu, 0x01000000u, kLastToken})
        EXPECT_TRUE(accepts("root ::= !<[300]>", {id})) << id;
    EXPECT_FALSE(accepts("root ::= !<[300]>", {300}));
    EXPECT_TRUE(accepts("root ::= !<think>* \"a\"", {1, 2}, "a"));
    EXPECT_FALSE(accepts("root ::= !<think>* \"a\"", {1, 70'000}, "a"));
    EXPECT_EQ(parseGbnf("root ::=\n <thought>", tokenOf).error().message,
              "line 2: the vocabulary has no token <thought>");
    EXPECT_EQ(mistake("root ::= <think"), "line 1: a token is not closed with >");
    EXPECT_EQ(mistake("root ::= <[x]>"), "line 1: the vocabulary has no token <[x]>");
}

struct Example {
    const char *grammar, *text;
    bool expected;
};

TEST(GbnfTest, examples) {
    const Example examples[] = {
        {"root ::= \"ab\" | \"cd\"", "ab", true},
        {"root ::= \"ab\" | \"cd\"", "cd", true},
        {"root ::= \"ab\" | \"cd\"", "ac", false},
        {"root ::= \"ab\"", "a", false},
        {"root ::= [a-c]+ # letters\n", "abcabc", true},
        {"root ::= [^a-c]*", "xyz\xC3\xA9\xF0\x9F\x98\x80", true},
        {"root ::= [^a-c]*", "xa", false},
        {"root ::= [\\u00e0-\\u0101]", "\xC4\x80", true},
        {"root ::= [\\u00e0-\\u0101]", "\xC4\x82", false},
        {"root ::= .", "\xED\xA0\x80", false},
        {"root ::= .", "\xC0\x80", false},
        {"root ::= \"\\x41\\n\\\"\"", "A\n\"", true},
        {"root ::= \"a\"{2,3}", "a", false},
        {"root ::= \"a\"{2,3}", "aa", true},
        {"root ::= \"a\"{2,3}", "aaa", true},
        {"root ::= \"a\"{2,3}", "aaaa", false},
        {"root ::= \"a\"{2}", "aaa", false},
        {"root ::= \"a\"{2,}", "aaaaaa", true},
        {"root ::= (\"a\"?)* \"b\"", "aab", true},
        {"root ::= list\nlist ::= \"[\" (list (\",\" list)*)? \"]\"", "[[],[[]]]", true},
        {"root ::= list\nlist ::= \"[\" (list (\",\" list)*)? \"]\"", "[[],]", false},
        {"root ::= a |\n  b\na ::= \"x\" a | \"\"\nb ::= \"y\"", "xxx", true},
    };
    for (const Example& example : examples)
        EXPECT_EQ(matches(example.grammar, example.text), example.expected)
            << example.grammar << " on " << example.text;
}

TEST(GbnfTest, mistakesAreNamedWithTheirLine) {
    EXPECT_EQ(mistake(""), "the grammar has no rule root");
    EXPECT_EQ(mistake("root ::= a\n"), "line 1: there is no rule a");
    EXPECT_EQ(mistake("root ::= \"a\n"), "line 1: a literal is not closed with \"");
    EXPECT_EQ(mistake("root ::= \"a\"\nroot ::= \"b\""), "line 2: the rule root is there twice");
    EXPECT_EQ(mistake("root ::= (\"a\""), "line 1: a group is not closed with )");
    EXPECT_EQ(mistake("\nroot ::= \"a\"{3,2}"), "line 2: a repetition has its larger number first");
    EXPECT_EQ(mistake("root ::= \"a\"{99999}"), "line 1: a repetition counts further than 10000");
    EXPECT_EQ(mistake("root ::= root \"a\" | \"b\""),
              "the rule root may begin with itself, so it would never end");
    EXPECT_EQ(mistake("root ::= a? root | \"b\"\na ::= \"a\""),
              "the rule root may begin with itself, so it would never end");
    EXPECT_EQ(mistake("root ::= \"a\" root"), "no text follows these rules to an end");
    EXPECT_NE(mistake("root ::= " + std::string(200, '(')), "");
    EXPECT_NE(mistake("root ::= ((\"a\"{9999}){9999}){9999} | \"\\q\""), "");
}

TEST(GbnfTest, anAlternativeThatNeverEndsIsNotTaken) {
    EXPECT_FALSE(
        Matcher(compile(parseGbnf("root ::= \"b\" | a\na ::= \"a\" a").value()).value()).accepts("a"));
}

TEST(MatcherTest, endsAndCopies) {
    Matcher matcher(compile(parseGbnf("root ::= \"a\"+ \"b\"?").value()).value());
    EXPECT_FALSE(matcher.canEnd());
    ASSERT_TRUE(matcher.advance("aa"));
    EXPECT_TRUE(matcher.canEnd());
    EXPECT_FALSE(matcher.mustEnd());
    Matcher copy = matcher;
    ASSERT_TRUE(copy.advance("b"));
    EXPECT_TRUE(copy.mustEnd());
    EXPECT_FALSE(matcher.advance("c"));
    EXPECT_TRUE(matcher.advance("a"));
}

TEST(MatcherTest, hostileGrammarsAreBounded) {
    const double before = test::processorSeconds();
    // Every place of the text may be the beginning of each alternative.
    std::string wide = "root ::= ";
    for (int i = 0; i < 100; ++i) wide += "\"a\"{0,300} ";
    Matcher matcher(compile(parseGbnf(wide + "\"c\"").value()).value());
    for (int i = 0; i < 400 && matcher.advance("a"); ++i) matcher.forgetIfMany();
    EXPECT_TRUE(matcher.exceeded());
    Matcher deep(compile(parseGbnf("root ::= \"(\" root \")\" | \"x\"").value()).value());
    while (deep.advance("(")) deep.forgetIfMany();
    EXPECT_TRUE(deep.exceeded());
    EXPECT_LT(test::processorSeconds() - before, 5);
}

/// Rules that differ at every path, and every word of three letters.
struct ManyWays {
    std::string rules = "root ::= ";
    std::vector<std::string> words;

    ManyWays() {
        std::mt19937 random(1);
        for (int rule = 0; rule < 600; ++rule) {
            std::string letters;
            for (char letter = 'a'; letter <= 'z'; ++letter)
                if (random() % 2 == 0) letters += letter;
            rules += (rule > 0 ? " | [" : "[") + letters + "]{8}";
        }
        for (char a = 'a'; a <= 'z'; ++a)
            for (char b = 'a'; b <= 'z'; ++b)
                for (char c = 'a'; c <= 'z'; ++c) words.push_back({a, b, c});
    }
};

TEST(MatcherTest, oneTokenCostsSoMuchAndNoMore) {
    const ManyWays many;
    Matcher matcher(compile(parseGbnf(many.rules).value()).value());
    const TokenTrie trie(many.words);
    ASSERT_FALSE(matcher.exceeded());
    const double before = test::processorSeconds();
    trie.allowed(matcher, matcher.state());
    EXPECT_TRUE(matcher.exceeded());
    EXPECT_LT(test::processorSeconds() - before, 2);
}

TEST(MatcherTest, endsWhenNobodyWantsToKnow) {
    const ManyWays many;
    Matcher matcher(compile(parseGbnf(many.rules).value()).value());
    const TokenTrie trie(many.words);
    const StopScope scope([] { return true; });
    const double before = test::processorSeconds();
    trie.allowed(matcher, matcher.state());
    EXPECT_TRUE(matcher.exceeded());
    EXPECT_LT(test::processorSeconds() - before, 0.1);
}

TEST(MatcherTest, whatIsForgottenChangesNothing) {
    Matcher matcher(compile(parseGbnf("root ::= \"<\" [a-z]{0,9000} \">\"").value()).value());
    ASSERT_TRUE(matcher.advance("<"));
    bool forgot = false;
    for (int i = 0; i < 9000; ++i) {
        ASSERT_TRUE(matcher.advance("q"));
        forgot |= matcher.forgetIfMany();
    }
    EXPECT_TRUE(forgot);
    EXPECT_FALSE(matcher.accepts("q"));
    EXPECT_TRUE(matcher.accepts(">"));
}

TEST(TokenTrieTest, allowsWhatTheMatcherAccepts) {
    const std::vector<std::string> bytes{"", "a", "ab", "abc", "b", "ab", "\xC3", "\xA9", "abd", "c"};
    const TokenTrie trie(bytes);
    for (const char* text :
         {"root ::= \"ab\" [^x]*", "root ::= [\\u00e9b]+", "root ::= \"c\"", "root ::= \"abd\""}) {
        Matcher matcher(compile(parseGbnf(text).value()).value());
        const std::vector<bool> allowed = trie.allowed(matcher, matcher.state());
        for (size_t id = 0; id < bytes.size(); ++id)
            EXPECT_EQ(allowed[id], !bytes[id].empty() && matcher.accepts(bytes[id])) << text << " " << id;
    }
}

}  // namespace
}  // namespace ingle::grammar
