// Vocabularies, patterns and texts that want a tokenizer to work for ever: each ends soon, in ids or in one
// sentence. The bombs are made here, by the seed that a failure names; `./dev soak` tries 20,000.
#include <gmock/gmock.h>

#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/text_meter.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/bombs.h"

namespace ingle::tokenizer {
namespace {

using formats::TextStep;
using formats::TokenizerData;
using formats::TokenType;
using test::BombParts;

constexpr double kMostSeconds = 2;
constexpr const char* kTooLong = "the model's tokenizer takes too long on this text";

std::string patternOf(BombParts& parts, int depth = 0) {
    static const std::vector<std::string> kAtoms{
        "a",     "b",       ".",      "[a-z]",  "[^x]",     "\\p{L}", "\\s",
        "\\S",   "\\d",     "\\w",    "\\X",    "[\\s\\S]", "\\b",    "$",
        "(?!a)", "(?=.*x)", "(?<=a)", "(?<!b)", "\\R",      "(?i:A)", "[\\x{4e00}-\\x{9fff}]",
        "\\G",   "(?s:.)"};
    static const std::vector<std::string> kRepeats{
        "", "", "*", "+", "?", "*?", "+?", "++", "*+", "{2,9}", "{1,99}", "{40}", "{1000}", "{65535}"};
    std::string pattern;
    for (size_t i = 0, count = 1 + parts.below(4); i < count; ++i) {
        if (depth < 4 && parts.chance(3)) {
            const char* group = parts.chance(3) ? "(" : parts.chance(4) ? "(?>" : "(?:";
            pattern += group + patternOf(parts, depth + 1) + ")";
        } else {
            pattern += parts.oneOf(kAtoms);
        }
        pattern += parts.oneOf(kRepeats);
        if (parts.chance(6)) pattern += "|";
    }
    if (depth > 0) return pattern;
    static const std::vector<std::string> kEnds{"",   "0",   "x",   "$",     "\\z",
                                                "|.", "0|.", "x|.", "(?R)?", "(*FAIL)|."};
    static const std::vector<std::string> kBegins{
        "", "", "", "", "(*NO_JIT)", "(*NO_START_OPT)", "(*LIMIT_MATCH=4000000000)", "(?:a|a){22}x|", "^"};
    return parts.oneOf(kBegins) + pattern + parts.oneOf(kEnds);
}

/// A vocabulary whose tokens look like the text.
TokenizerData vocabularyOf(BombParts& parts) {
    static const std::vector<std::string> kModels{"gpt2", "gpt2", "gpt2",  "bert",
                                                  "rwkv", "t5",   "llama", "gemma4"};
    TokenizerData data;
    data.model = parts.oneOf(kModels);
    const auto add = [&data](std::string text, TokenType type) {
        data.tokens.push_back(std::move(text));
        data.types.push_back(type);
        data.scores.push_back(-static_cast<float>(data.tokens.size() % 97));
    };
    for (const char* text : {"<unk>", "<s>", "</s>"}) add(text, TokenType::Control);
    for (const char* text : {"a", "b", "aa", "ab", "x", "\u2581", "\u4e00"}) add(text, TokenType::Normal);
    const size_t count = size_t{1} << parts.below(12);
    const size_t most = 1 + parts.below(parts.chance(2) ? 40 : 1000);
    const std::string unit = parts.chance(2) ? "a" : parts.dullText(1);
    std::string longest = data.model == "bert" ? "\u2581" : "";
    for (size_t i = 0; i < count; ++i) {
        if (longest.size() + unit.size() < most) longest += unit;
        std::string token = longest;
        if (parts.chance(3)) token += parts.chance(2) ? "b" : std::to_string(i);
        add(std::move(token), parts.chance(3) ? TokenType::UserDefined : TokenType::Normal);
    }
    if (parts.chance(8)) add(longest + std::string(1 << 20, 'a') + "b", TokenType::UserDefined);
    data.merges = {"a a", "aa aa", "a b"};
    if (parts.chance(3)) {
        data.pre = "llama-bpe";
    } else {
        for (size_t i = 0, patterns = 1 + parts.below(2); i < patterns; ++i)
            data.patterns.push_back(patternOf(parts));
    }
    static const std::vector<TextStep> kSteps{TextStep::Nfc,  TextStep::Nfd,       TextStep::Nfkc,
                                              TextStep::Nfkd, TextStep::DropMarks, TextStep::Lowercase};
    if (parts.chance(3)) data.textSteps.push_back(parts.oneOf(kSteps));
    return data;
}

std::string textOf(BombParts& parts) {
    static const std::vector<size_t> kSizes{200, 2000, 20000, 20000, 100000};
    const size_t size = parts.oneOf(kSizes);
    if (parts.chance(2)) return std::string(size, 'a') + (parts.chance(2) ? "x" : "");
    return parts.dullText(size);
}

TEST(TokenizerBombs, endSoonWhateverTheyHold) {
    const size_t count = test::numBombs();
    size_t numEncoded = 0, numTooLong = 0;
    for (size_t i = 0; i < count; ++i) {
        BombParts parts(i);
        const TokenizerData data = vocabularyOf(parts);
        const TextSegment text{textOf(parts), parts.chance(2)};
        const std::string name =
            fmt::format("bomb {}: {} {} on {} bytes of {}", i, data.model,
                        testing::PrintToString(data.patterns), text.text.size(), text.text.substr(0, 20));
        const double begin = test::processorSeconds();
        const auto tokenizer = createTokenizer(data);
        if (tokenizer) {
            test::StopWatch watch;
            const auto ids = (*tokenizer)->encode({&text, 1}, /*addSpecial=*/true);
            EXPECT_LT(watch.longest(), test::kSlowness * test::kMostUntilAsked) << name;
            numEncoded += ids ? 1 : 0;
            numTooLong += !ids && ids.error().message == kTooLong ? 1 : 0;
        }
        EXPECT_LT(test::processorSeconds() - begin, test::kSlowness * kMostSeconds) << name;
        if (testing::Test::HasFailure() && count <= 500) break;
    }
    // It would be no test if all were cut, or none could be.
    EXPECT_GT(numEncoded, count / 10);
    EXPECT_GT(numTooLong, count / 200);
}

/// What hung: 38 s for 2,000 letters, and for ever for more.
TEST(TokenizerBombs, patternsThatBacktrackAreStopped) {
    for (const char* pattern :
         {"(?:a|a){22}x|.", "(?:a|a){20}x|.", ".*?0|.", "a*a*0|.", "a*a*a*0|.", "(*NO_JIT)(?:a|a){18}x|.",
          "(*LIMIT_MATCH=4000000000)(?:a|a){30}x|.", "(?:a{60000})+0|.", "([a\\x{4e00}-\\x{9fff}]|a)*0|."}) {
        const auto cutter = PreTokenizer::create(std::vector<std::string>{pattern}, false);
        ASSERT_TRUE(cutter) << pattern;
        const std::string text(60000, 'a');
        TextMeter meter(text.size());
        const double begin = test::processorSeconds();
        const auto words = (*cutter)->split(text, meter);
        EXPECT_LT(test::processorSeconds() - begin, test::kSlowness * kMostSeconds) << pattern;
        ASSERT_FALSE(words) << pattern;
        EXPECT_EQ(words.error().message, kTooLong);
    }
    EXPECT_FALSE(PreTokenizer::create(std::vector<std::string>{"(a*)\\1b"}, false));
}

/// Negative twin: patterns of published models, told as a file's own, cut a long text.
TEST(TokenizerBombs, longTextsAreNoAttack) {
    const std::vector<std::string> patterns{
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
        R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
    std::string text;
    while (text.size() < 2'000'000)
        text += "The quick brown fox doesn't jump over 12345 lazy dogs, \u4e00\u4e8c!\n\n";
    for (const std::string& each : {text, std::string(1'000'000, 'a'), std::string(1'000'000, ' ') + "x"}) {
        TextMeter meter(each.size());
        EXPECT_TRUE(PreTokenizer::create(patterns, false).value()->split(each, meter));
    }
}

/// The patterns that are known are not paid for: their time grows with the text, whatever it holds.
TEST(TokenizerBombs, knownPatternsTakeTheirTimeByTheByte) {
    std::vector<std::string> texts;
    for (const char* unit :
         {" ",   "a",  "A",  "9",  "\n",  " \n",         "\u4e00", "\u0301", "'",    ".",    "aB",
          "\t ", "a ", "\r", " .", "IMG", "<sentinel:9", "\u00a0", "'S",     "\xff", "a\xff"})
        for (const char* end : {"", "x", " ", "\n"}) {
            std::string text;
            while (text.size() < 40'000) text += unit;
            texts.push_back(text + end);
        }
    for (const std::string_view name : PreTokenizer::names()) {
        const auto cutter = PreTokenizer::create(name);
        ASSERT_TRUE(cutter);
        for (const std::string& text : texts) {
            TextMeter meter(text.size());
            const double begin = test::processorSeconds();
            const auto words = (*cutter)->split(text, meter);
            // By the square it would be seconds.
            EXPECT_LT(test::processorSeconds() - begin, test::kSlowness * (name == "superbpe" ? 1 : 0.1))
                << name << " on " << text.substr(0, 8);
            if (name != "superbpe") {
                EXPECT_TRUE(words) << name;
            }
        }
    }
}

/// Marks that combine are sorted: a run of them took time by its square.
TEST(TokenizerBombs, runsOfMarksAreNormalizedInParts) {
    TokenizerData data;
    data.model = "gpt2";
    data.pre = "qwen2";
    data.tokens = {"a"};
    data.merges = {"a a"};
    data.textSteps = {TextStep::Nfc};
    TextSegment text{"a", false};
    for (int i = 0; i < 100'000; ++i) text.text += i % 2 == 0 ? "\u0301" : "\u0316";
    const double begin = test::processorSeconds();
    EXPECT_TRUE(createTokenizer(data).value()->encode({&text, 1}, false));
    EXPECT_LT(test::processorSeconds() - begin, test::kSlowness * 0.5);
}

}  // namespace
}  // namespace ingle::tokenizer
