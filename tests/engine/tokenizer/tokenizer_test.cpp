#include "engine/tokenizer/tokenizer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <iostream>

#include "engine/base/byte_alphabet.h"
#include "engine/formats/tokenizer_data.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/text_meter.h"
#include "tests/processor_time.h"

namespace ingle::tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Ids = std::vector<TokenId>;

/// <unk> <s> </s> ▁ a b ab ▁ab <tool> (user-defined) [X] (control)
TokenizerData llamaData() {
    TokenizerData data;
    data.model = "llama";
    data.tokens = {"<unk>", "<s>", "</s>", "\u2581", "a", "b", "ab", "\u2581ab", "<tool>", "[X]"};
    data.scores = {0, 0, 0, -1, -2, -3, -4, -5, 0, 0};
    data.types.assign(data.tokens.size(), TokenType::Normal);
    data.types[0] = TokenType::Unknown;
    data.types[1] = data.types[2] = data.types[9] = TokenType::Control;
    data.types[8] = TokenType::UserDefined;
    return data;
}

/// The tokens a b ab Ġ Ġab and an end token.
TokenizerData gpt2Data() {
    TokenizerData data;
    data.model = "gpt2";
    data.pre = "gpt-2";
    data.tokens = {"a", "b", "ab", "\u0120", "\u0120ab", "<|endoftext|>"};
    data.types.assign(data.tokens.size(), TokenType::Normal);
    data.types[5] = TokenType::Control;
    data.merges = {"a b", "\u0120 ab"};
    data.eos = 5;
    return data;
}

std::unique_ptr<Tokenizer> create(const TokenizerData& data) {
    auto tokenizer = createTokenizer(data);
    EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
    return std::move(tokenizer).value();
}

Error creationError(const TokenizerData& data) {
    const auto tokenizer = createTokenizer(data);
    EXPECT_FALSE(tokenizer.has_value());
    return tokenizer ? Error{} : tokenizer.error();
}

Ids encode(const Tokenizer& tokenizer, const std::vector<TextSegment>& segments, bool addSpecial = false) {
    return tokenizer.encode(segments, addSpecial).value();
}

TEST(Tokenizer, unknownOnesAreNamed) {
    TokenizerData data;
    data.model = "abacus";
    EXPECT_EQ(creationError(data).code, ErrorCode::Unsupported);
    EXPECT_THAT(creationError(data).message, HasSubstr("'abacus'"));
    data.model = "none";
    const auto none = createTokenizer(data);
    ASSERT_TRUE(none.has_value());
    EXPECT_EQ(*none, nullptr);
    TokenizerData gpt2 = gpt2Data();
    gpt2.pre = "cuneiform";
    EXPECT_EQ(creationError(gpt2).code, ErrorCode::Unsupported);
    EXPECT_THAT(creationError(gpt2).message, HasSubstr("'cuneiform'"));
}

TEST(Tokenizer, theBytesThatAnIdStandsForHaveABoundWhereNoneIsLeftOut) {
    EXPECT_EQ(create(gpt2Data())->mostBytesPerId(), 0u) << "a byte that is no token is left out";
    TokenizerData data = gpt2Data();
    for (const std::string& byte : base::byteAlphabet()) data.tokens.push_back(byte);
    data.tokens.push_back("\u0120\u0120\u0120");
    data.types.resize(data.tokens.size(), TokenType::Normal);
    const auto tokenizer = create(data);
    EXPECT_EQ(tokenizer->mostBytesPerId(), std::string_view("<|endoftext|>").size());
    data.textSteps = {formats::TextStep::Nfc};
    EXPECT_EQ(create(data)->mostBytesPerId(), 0u);
    EXPECT_EQ(create(llamaData())->mostBytesPerId(), 0u);
}

TEST(Tokenizer, contradictingArraysAreCorrupt) {
    TokenizerData data = llamaData();
    data.scores.pop_back();
    EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt);
    data = llamaData();
    data.scores[4] = std::nanf("");
    EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt);
    data = llamaData();
    data.tokens.clear();
    data.scores.clear();
    data.types.clear();
    EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt);
    for (const char* merge : {"", "ab", "a ", " "}) {
        data = gpt2Data();
        data.merges[1] = merge;
        EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt) << merge;
    }
    data = gpt2Data();
    data.merges.clear();
    EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt);
    data = gpt2Data();
    data.tokens.clear();
    data.types.clear();
    EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt);
}

TEST(Tokenizer, decodeRefusesIdsOutsideTheVocabulary) {
    const auto tokenizer = create(llamaData());
    EXPECT_EQ(decode(*tokenizer, Ids{7}).value(), "ab");
    EXPECT_EQ(decode(*tokenizer, Ids{10}).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(decode(*tokenizer, Ids{-1}).error().code, ErrorCode::InvalidArgument);
}

TEST(BytesTokenizer, idIsTheByte) {
    TokenizerData data;
    data.model = "bytes";
    const auto tokenizer = create(data);
    const std::string bytes("a\0\xFF", 3);
    EXPECT_THAT(encode(*tokenizer, {{bytes, true}}, true), ElementsAre(97, 0, 255));
    EXPECT_EQ(decode(*tokenizer, Ids{97, 0, 255}).value(), bytes);
    EXPECT_EQ(tokenizer->vocabSize(), 256U);
    EXPECT_FALSE(tokenizer->isEndOfGeneration(0));
}

TEST(LlamaTokenizer, addsBosAndTheDummyPrefixOnce) {
    const auto tokenizer = create(llamaData());
    EXPECT_THAT(encode(*tokenizer, {{"ab", false}}), ElementsAre(7));
    EXPECT_THAT(encode(*tokenizer, {{"ab", false}}, true), ElementsAre(1, 7));
    EXPECT_THAT(encode(*tokenizer, {{"<s>ab", true}}, true), ElementsAre(1, 7));
    EXPECT_THAT(encode(*tokenizer, {}, true), ElementsAre(1));
    TokenizerData data = llamaData();
    data.addBos = false;
    data.addEos = true;
    data.addSpacePrefix = false;
    EXPECT_THAT(encode(*create(data), {{"ab", false}}, true), ElementsAre(6, 2));
}

TEST(LlamaTokenizer, textOfMessagesCannotSpellControlTokens) {
    const auto tokenizer = create(llamaData());
    EXPECT_THAT(encode(*tokenizer, {{"a[X]ab", true}}), ElementsAre(3, 4, 9, 7));
    EXPECT_THAT(encode(*tokenizer, {{"[X]", false}, {"<s>", false}}),
                ::testing::Not(::testing::AnyOf(::testing::Contains(9), ::testing::Contains(1))));
    EXPECT_THAT(encode(*tokenizer, {{"[", true}, {"X]", true}}), ::testing::Not(::testing::Contains(9)));
    EXPECT_THAT(encode(*tokenizer, {{"<tool>ab", false}}), ElementsAre(8, 7));
}

TEST(LlamaTokenizer, tagsOfHtmlEndNoAnswer) {
    EXPECT_TRUE(create(llamaData())->isEndOfGeneration(2)) << "</s>, a control token";
    TokenizerData data = llamaData();
    data.tokens.emplace_back("<eos>");
    data.scores.push_back(0);
    data.types.push_back(TokenType::Control);
    data.types[1] = data.types[2] = TokenType::UserDefined;
    data.bos.reset();
    data.eos = 10;
    const auto tokenizer = create(data);
    EXPECT_FALSE(tokenizer->isEndOfGeneration(2)) << "</s>, a word as in Gemma's vocabulary";
    EXPECT_TRUE(tokenizer->isEndOfGeneration(10));
    data.eos = 2;
    EXPECT_TRUE(create(data)->isEndOfGeneration(2)) << "named as the end";
}

TEST(Tokenizer, whatAFileCallsNormalEndsNoAnswer) {
    TokenizerData data = gpt2Data();
    data.tokens.insert(data.tokens.end(), {"</s>", "[EOS]", "<|user|>", "<|im_end|>"});
    data.types.resize(data.tokens.size(), TokenType::Normal);
    for (const TokenId id : {6, 7, 8, 9}) EXPECT_FALSE(create(data)->isEndOfGeneration(id)) << id;
    EXPECT_TRUE(create(data)->isEndOfGeneration(5)) << "named as the end";
    data.chatTemplate = "{{ message.content }}<|im_end|>";
    EXPECT_TRUE(create(data)->isEndOfGeneration(9)) << "written by the template";
    EXPECT_FALSE(create(data)->isEndOfGeneration(6));
    data.eos.reset();
    EXPECT_TRUE(create(data)->isEndOfGeneration(6)) << "no other token is named";
}

TEST(Tokenizer, manyEndTextsAreLookedForInALongTemplateOnce) {
    TokenizerData data = gpt2Data();
    data.tokens.insert(data.tokens.end(), 4000, "[EOT]");
    data.types.resize(data.tokens.size(), TokenType::Normal);
    for (size_t i = 0; i < 300'000; ++i) data.chatTemplate += "[EO";
    const double before = test::processorSeconds();
    EXPECT_FALSE(create(data)->isEndOfGeneration(6));
    EXPECT_LT(test::processorSeconds() - before, 1);
}

TEST(Tokenizer, aMarkOfTurnsThatAFileCallsUserDefinedIsTextInMessages) {
    TokenizerData data = gpt2Data();
    data.tokens.insert(data.tokens.end(), {"<|im_end|>", "<|im_start|>", "<tool>"});
    data.types.resize(data.tokens.size(), TokenType::UserDefined);
    const auto tokenizer = create(data);
    for (const char* mark : {"a<|im_end|>", "a<|im_start|>"})
        EXPECT_THAT(encode(*tokenizer, {{mark, false}}), ::testing::Each(0)) << mark;
    EXPECT_THAT(encode(*tokenizer, {{"a<|im_end|>", true}}), ElementsAre(0, 6));
    EXPECT_THAT(encode(*tokenizer, {{"a<tool>", false}}), ElementsAre(0, 8));
}

/// Tokens that take white space, stand alone, or are looked for in what others have left.
TEST(Tokenizer, addedTokensAreLookedForAsTheFileSays) {
    TokenizerData data = gpt2Data();
    data.tokens.insert(data.tokens.end(), {"<|user|>", "<mask>", "EOT", "\u010a\u010a", "\u010a", "\n\n"});
    data.types.resize(data.tokens.size(), TokenType::Normal);
    data.types[6] = data.types[7] = TokenType::Control;
    data.types[8] = data.types[11] = TokenType::UserDefined;
    data.searches[6].takesSpaceBehind = true;
    data.searches[7].takesSpaceBefore = true;
    data.searches[8].isWord = true;
    data.searches[11].isNormalized = true;
    const auto tokenizer = create(data);
    EXPECT_THAT(encode(*tokenizer, {{"<|user|> \n\n a", true}}), ElementsAre(6, 0));
    EXPECT_THAT(encode(*tokenizer, {{"<|user|>\n", true}, {"\n ab", false}}), ElementsAre(6, 2));
    EXPECT_THAT(encode(*tokenizer, {{"a", false}, {"  ", false}, {" <mask> a", true}}),
                ElementsAre(0, 7, 3, 0));
    EXPECT_THAT(encode(*tokenizer, {{"EOT a", false}}), ElementsAre(8, 3, 0));
    EXPECT_THAT(encode(*tokenizer, {{"EOTab", false}}), ElementsAre(2));
    EXPECT_THAT(encode(*tokenizer, {{"abEOT", false}}), ElementsAre(2));
    EXPECT_THAT(encode(*tokenizer, {{"EOTEOT a", false}}), ElementsAre(3, 0));
    EXPECT_THAT(encode(*tokenizer, {{"a\n\nb", false}}), ElementsAre(0, 11, 1));
    EXPECT_EQ(tokenizer->mostBytesPerId(), 0u);
}

/// GGUF says nothing of white space: Phi-3 is known by its tokens. A file that Inglenook wrote says it.
TEST(Tokenizer, howTokensAreLookedForIsKeptInGguf) {
    TokenizerData data = llamaData();
    data.tokens.insert(data.tokens.end(), {"<|user|>", "<|placeholder1|>", "<|endoftext|>"});
    data.scores.resize(data.tokens.size());
    data.types.resize(data.tokens.size(), TokenType::Control);
    formats::Metadata phi;
    formats::writeTokenizerData(data, phi);
    const auto read = formats::readTokenizerData(phi).value();
    EXPECT_TRUE(read.searches.at(10).takesSpaceBehind);
    EXPECT_TRUE(read.searches.at(2).takesSpaceBehind) << "</s>";
    EXPECT_FALSE(read.searches.contains(1) || read.searches.contains(12)) << "<s>, <|endoftext|>";
    EXPECT_THAT(encode(*create(read), {{"<|user|>\nab", true}}), ElementsAre(10, 7));
    data.searches[8] = {.isWord = true, .isNormalized = true};
    data.prefixesOnlyFirst = true;
    formats::Metadata own;
    formats::writeTokenizerData(data, own);
    EXPECT_EQ(formats::readTokenizerData(own).value().searches, data.searches);
    EXPECT_TRUE(formats::readTokenizerData(own).value().prefixesOnlyFirst);
}

TEST(LlamaTokenizer, thePrefixMayBeOfTheFirstWordOnly) {
    TokenizerData data = llamaData();
    EXPECT_THAT(encode(*create(data), {{"ab[X]ab", true}}), ElementsAre(7, 9, 7));
    data.prefixesOnlyFirst = true;
    EXPECT_THAT(encode(*create(data), {{"ab[X]ab", true}}), ElementsAre(7, 9, 6));
    EXPECT_THAT(encode(*create(data), {{"[X]ab", true}}), ElementsAre(9, 6));
}

TEST(LlamaTokenizer, toleratesDuplicateEmptyAndUntypedPieces) {
    TokenizerData data = llamaData();
    data.tokens.insert(data.tokens.end(), {"ab", "", "\xFF", std::string("a\0b", 3)});
    data.scores.resize(data.tokens.size());
    data.types.resize(data.tokens.size(), TokenType::Normal);
    EXPECT_THAT(encode(*create(data), {{"ab", false}}), ElementsAre(7));
    data.types.clear();
    EXPECT_THAT(encode(*create(data), {{"ab", false}}), ElementsAre(7));
    EXPECT_THAT(encode(*create(data), {{"?", false}}), ElementsAre(3, 0));
}

TEST(LlamaTokenizer, longTextsAreCutOnlyWhereNoPieceSpans) {
    const auto tokenizer = create(llamaData());
    std::string words = "ab";
    for (int i = 1; i < 5000; ++i) words += " ab";
    EXPECT_EQ(encode(*tokenizer, {{words, false}}), Ids(5000, 7));
    const std::string unknown(20000, '?');
    EXPECT_THAT(encode(*tokenizer, {{"ab" + unknown + " ab", false}}), ElementsAre(7, 0, 7));
    EXPECT_THAT(encode(*tokenizer, {{"ab" + unknown + "\xFF" + unknown, false}}), ElementsAre(7, 0, 0, 0));
}

TEST(Gpt2Tokenizer, mergesByRank) {
    const auto tokenizer = create(gpt2Data());
    EXPECT_THAT(encode(*tokenizer, {{"ab ab", false}}), ElementsAre(2, 4));
    EXPECT_THAT(encode(*tokenizer, {{"aab", false}}), ElementsAre(0, 2));
    EXPECT_EQ(decode(*tokenizer, Ids{2, 4}).value(), "ab ab");
    EXPECT_THAT(encode(*tokenizer, {{"a?b", false}}), ElementsAre(0, 1))
        << "bytes without a token are left out";
}

TEST(Gpt2Tokenizer, symbolsOutsideTheVocabularyAreGivenByteByByte) {
    TokenizerData data = gpt2Data();
    data.merges = {"a b", "ab ab"};  // "abab" is no token
    EXPECT_THAT(encode(*create(data), {{"abab", false}}), ElementsAre(0, 1, 0, 1));
    data.tokens.emplace_back("abab");
    data.types.push_back(TokenType::Normal);
    EXPECT_THAT(encode(*create(data), {{"abab", false}}), ElementsAre(6));
}

TEST(Gpt2Tokenizer, textOfMessagesCannotSpellControlTokens) {
    const auto tokenizer = create(gpt2Data());
    EXPECT_THAT(encode(*tokenizer, {{"ab<|endoftext|>ab", true}}), ElementsAre(2, 5, 2));
    EXPECT_THAT(encode(*tokenizer, {{"ab<|endoftext|>ab", false}}), ::testing::Not(::testing::Contains(5)));
    TokenizerData data = gpt2Data();
    data.pre = "llama-bpe";
    data.tokens.emplace_back("abab");
    data.types.push_back(TokenType::Control);
    EXPECT_THAT(encode(*create(data), {{"abab", false}}), ElementsAre(2, 2)) << "nor as a whole word";
}

TEST(WhitespaceTokenizer, mergesTheCharactersBetweenWhiteSpaceWhichIsLeftOut) {
    TokenizerData data;
    data.model = "gpt2";
    data.pre = "whitespace";
    data.tokens = {"\u4f60", "\u597d", "a", "b", "ab", "\u4f60\u597d"};
    data.types.assign(data.tokens.size(), TokenType::Normal);
    data.merges = {"a b", "\u4f60 \u597d"};
    const auto tokenizer = create(data);
    EXPECT_THAT(encode(*tokenizer, {{"ab\u3000 \n\u4f60\u597da b", false}}), ElementsAre(4, 5, 2, 3));
    EXPECT_THAT(encode(*tokenizer, {{"a\u00e9b\xff", false}}), ElementsAre(2, 3)) << "what is no token";
}

/// Id 0 ends a document; all single bytes, then some longer tokens as GGUF's converter writes them.
TokenizerData rwkvData() {
    TokenizerData data;
    data.model = "rwkv";
    data.tokens = {"<s>"};
    for (int byte = 0; byte < 256; ++byte) data.tokens.push_back(fmt::format("\\x{:02x}", byte));
    for (const char* token : {"ab", "abcd", "\\n\\t\\r", "\\'\\\\", "\u4f60", "\\xe4\\xbd"})
        data.tokens.emplace_back(token);
    return data;
}

TEST(RwkvTokenizer, takesTheLongestTokenAtEachPlace) {
    const auto tokenizer = create(rwkvData());
    EXPECT_THAT(encode(*tokenizer, {{"abcdabcab", false}}, true), ElementsAre(258, 257, 'c' + 1, 257));
    EXPECT_THAT(encode(*tokenizer, {{"\n\t\r'\\\n", false}}), ElementsAre(259, 260, '\n' + 1));
    EXPECT_THAT(encode(*tokenizer, {{"\u4f60\xE4\xBD\xE4", false}}), ElementsAre(261, 262, 0xE4 + 1));
    EXPECT_THAT(encode(*tokenizer, {{"<s>", false}}), ElementsAre('<' + 1, 's' + 1, '>' + 1));
    EXPECT_TRUE(tokenizer->isEndOfGeneration(0));
    EXPECT_FALSE(tokenizer->isEndOfGeneration(1));
    EXPECT_EQ(tokenizer->pieceBytes(0), "");
    std::string bytes;
    for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i * 7);
    EXPECT_EQ(decode(*tokenizer, encode(*tokenizer, {{bytes, false}})).value(), bytes);
}

TEST(RwkvTokenizer, toleratesOddVocabularies) {
    TokenizerData data;
    data.model = "rwkv";
    data.tokens = {"<s>", "a", "", "a", "\\", "\\x4", "\\xzz", "<sys>"};
    data.types.assign(data.tokens.size(), TokenType::Normal);
    data.types[7] = TokenType::Control;
    const auto tokenizer = create(data);
    EXPECT_THAT(encode(*tokenizer, {{"a?\\", false}}), ElementsAre(1, 4));
    EXPECT_THAT(encode(*tokenizer, {{"x4xzz", false}}), ElementsAre(5, 6));
    EXPECT_THAT(encode(*tokenizer, {{"<sys>a", true}}), ElementsAre(7, 1));
    EXPECT_THAT(encode(*tokenizer, {{"<sys>a", false}}), ElementsAre(1));
    data.unknown = 2;
    EXPECT_THAT(encode(*create(data), {{"a?", false}}), ElementsAre(1, 2));
}

TEST(BertTokenizer, cutsWordsGreedily) {
    TokenizerData data;
    data.model = "bert";
    data.tokens = {"[UNK]", "[CLS]",   "[SEP]",        "\u2581hello", "\u2581wor",
                   "ld",    "\u2581,", "\u2581\u4f60", "\u2581e"};
    data.types.assign(data.tokens.size(), TokenType::Normal);
    data.types[0] = TokenType::Unknown;
    data.types[1] = data.types[2] = TokenType::Control;
    data.unknown = 0;
    data.bos = 1;
    data.separator = 2;
    data.textSteps = {formats::TextStep::BaseLetters, formats::TextStep::Lowercase};
    const auto tokenizer = create(data);
    EXPECT_THAT(encode(*tokenizer, {{"Hello, WORLD", false}}, true), ElementsAre(1, 3, 6, 4, 5, 2));
    EXPECT_THAT(encode(*tokenizer, {{"hello\u4f60\u00c9", false}}), ElementsAre(3, 7, 8));
    EXPECT_THAT(encode(*tokenizer, {{"wor\xFFld", false}}), ElementsAre(4, 5))
        << "what is no text is left out";
    EXPECT_THAT(encode(*tokenizer, {{"wor\uE000ld\u00AD", false}}), ElementsAre(4, 5))
        << "characters of private use and soft hyphens, too";
    EXPECT_THAT(encode(*tokenizer, {{"worst", false}}), ElementsAre(0))
        << "a word is known as a whole or not at all";
    EXPECT_THAT(encode(*tokenizer, {{"[SEP]", true}}), ElementsAre(2));
    EXPECT_THAT(encode(*tokenizer, {{"[SEP]", false}}), ::testing::Not(::testing::Contains(2)));
    EXPECT_EQ(decode(*tokenizer, Ids{1, 3, 6, 4, 5, 2}).value(), " hello , world");
    data.tokens.clear();
    data.types.clear();
    EXPECT_EQ(creationError(data).code, ErrorCode::Corrupt);
}

TEST(RwkvTokenizer, saysWhichFileIsMissing) {
    TokenizerData data;
    data.model = "rwkv";
    EXPECT_THAT(creationError(data).message, HasSubstr("rwkv_vocab_v20230424.txt"));
}

TEST(Tokenizer, aVocabularyOf32000LoadsAtOnce) {
    TokenizerData data;
    data.model = "llama";
    data.tokens = {"<unk>", "<s>", "</s>"};
    for (int byte = 0; byte < 256; ++byte) data.tokens.push_back(fmt::format("<0x{:02X}>", byte));
    for (int i = 0; data.tokens.size() < 32000; ++i) data.tokens.push_back(fmt::format("\u2581p{:x}", i));
    data.types.assign(data.tokens.size(), TokenType::Normal);
    data.types[0] = TokenType::Unknown;
    data.types[1] = data.types[2] = TokenType::Control;
    for (size_t id = 3; id < 259; ++id) data.types[id] = TokenType::Byte;
    for (size_t id = 0; id < data.tokens.size(); ++id) data.scores.push_back(-static_cast<float>(id));
    const double start = test::processorSeconds();
    const auto tokenizer = create(data);
    const double seconds = test::processorSeconds() - start;
    std::cout << fmt::format("32000 pieces: {:.0f} ms\n", 1000 * seconds);
    EXPECT_LT(seconds, 1) << "the goal is 50 ms";
    EXPECT_EQ(tokenizer->vocabSize(), 32000U);
}

TEST(PreTokenizer, wordsAreTheText) {
    const auto words = [](const char* name, std::string_view text) {
        TextMeter meter(text.size());
        return PreTokenizer::create(name).value()->split(text, meter).value();
    };
    EXPECT_THAT(words("gpt-2", "I've  12345 caf\u00e9s!\n"),
                ElementsAre("I", "'ve", " ", " 12345", " caf\u00e9s", "!", "\n"));
    EXPECT_THAT(words("llama-bpe", "12345\r\n\r\n x"), ElementsAre("123", "45", "\r\n\r\n", " x"));
    EXPECT_THAT(words("qwen2", "123 DON'T"), ElementsAre("1", "2", "3", " DON", "'T"));
    EXPECT_THAT(words("starcoder", "a12"), ElementsAre("a", "1", "2"));
    EXPECT_THAT(words("afmoe", "a1234567"), ElementsAre("a", "1", "234", "567"));
    EXPECT_THAT(words("tiny_aya", "  123 DON'T"), ElementsAre("  ", "1", "2", "3", " DON'T"));
    EXPECT_THAT(words("kimi-k2", "ab\u4f60\u597dcd 1234"),
                ElementsAre("ab", "\u4f60\u597d", "cd", " ", "123", "4"));
    EXPECT_THAT(words("ufakzeka", "Ali'nin 12"), ElementsAre("Ali", "'nin", " ", "1", "2"));
    EXPECT_THAT(words("laguna", "a \n\n b"), ElementsAre("a", " ", "\n\n", " b"));
    EXPECT_THAT(words("exaone-moe", "a b, 12"), ElementsAre("a b", ",", " ", "1", "2"));
    EXPECT_THAT(words("minicpm5", "12345"), ElementsAre("123", "45"));
    EXPECT_THAT(words("spark2_5", "a!\n12"), ElementsAre("a", "!", "\n", "1", "2"));
    EXPECT_THAT(words("jais-2", "a   b"), ElementsAre("a", "  ", " b"));
    EXPECT_THAT(words("youtu", "a\u4f60\u3002b"), ElementsAre("a", "\u4f60", "\u3002", "b"));
    EXPECT_THAT(words("deepseek-llm", "x   y  "), ElementsAre("x", "  ", " y", "  "));
    EXPECT_THAT(words("gpt-2",
                      "a\xFF\xFE"
                      "b"),
                ElementsAre("a", "\xFF\xFE", "b"));
    EXPECT_THAT(words("gpt-2", "a\u180Eb"), ElementsAre("a", "\u180E", "b"));
    EXPECT_THAT(words("default", "a+=12345 b"), ElementsAre("a", "+=", "123", "45", " b"));
    EXPECT_THAT(words("falcon", "a`1234"), ElementsAre("a", "`", "123", "4"));
    // The punctuation of this one ranges from ':' to '~' and so takes ASCII letters as well.
    EXPECT_THAT(words("deepseek-llm", "\n Ab\u00e9\uFF0C\u4f60\u597d12"),
                ElementsAre("\n", " Ab", "\u00e9", "\uFF0C", "\u4f60\u597d", "12"));
    EXPECT_THAT(words("deepseek-coder", "if(x)12\r\n"),
                ElementsAre("if", "(", "x", ")", "1", "2", "\r", "\n"));
    EXPECT_THAT(words("deepseek-v3", "1234\u4f60\u304ba.b c!\n"),
                ElementsAre("123", "4", "\u4f60\u304b", "a", ".b", " c", "!\n"));
    EXPECT_THAT(words("tekken", "helloWorld HTMLPage12's"),
                ElementsAre("hello", "World", " HTMLPage", "1", "2", "'s"));
    EXPECT_THAT(words("gpt-4o", "helloWorld's 1234//\n"),
                ElementsAre("hello", "World's", " ", "123", "4", "//\n"));
    EXPECT_THAT(words("qwen35", "ne\u0301e 1"), ElementsAre("ne\u0301e", " ", "1"));
    EXPECT_THAT(words("bloom", "Hi (you), 12!"), ElementsAre("Hi", " (", "you", "),", " 12", "!"));
    EXPECT_THAT(words("viking", "a 12"), ElementsAre("a", " ", "1", "2"));
    EXPECT_THAT(words("chameleon", "<sentinel:12>\tab!IMGIMGACZ"),
                ElementsAre("<", "sentinel", ":", "1", "2", ">", "\t", "ab", "!", "IMGIMGACZ"));
    EXPECT_THAT(words("bailingmoe", "I'LL\n\nx"), ElementsAre("I", "'LL", "\n\n", "x"));
    EXPECT_THAT(words("seed-coder", "a!\n12"), ElementsAre("a", "!", "\n", "1", "2"));
    EXPECT_THAT(words("superbpe", "a1234567 12"), ElementsAre("a", "1", "234", "567", " ", "12"));
    EXPECT_TRUE(PreTokenizer::create("chameleon").value()->addsBosByDefault());
    EXPECT_FALSE(PreTokenizer::create("chameleon").value()->takesWholeWords());
    EXPECT_TRUE(PreTokenizer::create("tekken").value()->takesWholeWords());
    EXPECT_TRUE(words("gpt-2", "").empty());
}

}  // namespace
}  // namespace ingle::tokenizer
