#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "engine/formats/tokenizer_data.h"
#include "engine/tokenizer/tokenizer.h"

namespace ingle::tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Ids = std::vector<TokenId>;

void add(TokenizerData& data, std::string text, float score, TokenType type = TokenType::Normal) {
    data.tokens.push_back(std::move(text));
    data.scores.push_back(score);
    data.types.push_back(type);
}

/// 0 <pad>, 1 </s>, 2 <unk>, 3 ▁ (-2), 4 a (-9), 5 c (-1), 6 ab (-3), 7 bc (-2), 8 <tool>
TokenizerData t5Data() {
    TokenizerData data;
    data.model = "t5";
    add(data, "<pad>", 0, TokenType::Control);
    add(data, "</s>", 0, TokenType::Control);
    add(data, "<unk>", 0, TokenType::Unknown);
    add(data, "\u2581", -2);
    add(data, "a", -9);
    add(data, "c", -1);
    add(data, "ab", -3);
    add(data, "bc", -2);
    add(data, "<tool>", 0, TokenType::UserDefined);
    return data;
}

/// The same with a token for each byte.
TokenizerData withBytes() {
    TokenizerData data = t5Data();
    for (int byte = 0; byte < 256; ++byte) add(data, fmt::format("<0x{:02X}>", byte), 0, TokenType::Byte);
    return data;
}

/// Rules A → "a", AA → "b", tab → " ": a double array of 0x400 nodes whose root has the offset 0.
/// A lies at 0x41 with offset 0x200: its value at 0x241, the second A at 0x241 ^ 0x41 = 0x200, which is its
/// own place; that one has offset 0x100: its value at 0x300. The tab lies at 0x09 with offset 0x100: 0x109.
/// A node is offset << 10 | hasValue << 8 | label; a value is bit 31 and where the replacement starts.
std::string characterMap() {
    std::vector<uint32_t> nodes(0x400, 0);
    nodes['A'] = 0x200U << 10 | 1U << 8 | 'A';
    nodes[0x241] = 0x80000000U | 0;
    nodes[0x200] = 0x100U << 10 | 1U << 8 | 'A';
    nodes[0x300] = 0x80000000U | 2;
    nodes['\t'] = 0x100U << 10 | 1U << 8 | '\t';
    nodes[0x109] = 0x80000000U | 4;
    std::string bytes;
    const auto append = [&bytes](uint32_t value) {
        for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
    };
    append(static_cast<uint32_t>(nodes.size() * 4));
    for (const uint32_t node : nodes) append(node);
    return bytes + std::string("a\0b\0 \0", 6);
}

std::unique_ptr<Tokenizer> createT5(const TokenizerData& data) {
    auto tokenizer = createTokenizer(data);
    EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
    return std::move(tokenizer).value();
}

Ids encode(const TokenizerData& data, const std::string& text, bool parseSpecial = false,
           bool addSpecial = false) {
    const TextSegment segment{text, parseSpecial};
    return createT5(data)->encode({&segment, 1}, addSpecial).value();
}

TEST(T5Tokenizer, takesTheCutOfTheHighestSum) {
    // ab + c = -3 - 1 = -4, a + bc = -9 - 2 = -11.
    EXPECT_THAT(encode(t5Data(), "abc"), ElementsAre(6, 5));
    // Merging the best pair first takes bc (-2) before ab (-3).
    TokenizerData merging = t5Data();
    merging.model = "llama";
    merging.addSpacePrefix = false;
    add(merging, "b", -20);
    EXPECT_THAT(encode(merging, "abc"), ElementsAre(4, 7));
    // With a better a, a + bc = -0.5 - 2 = -2.5 wins.
    TokenizerData other = t5Data();
    other.scores[4] = -0.5F;
    EXPECT_THAT(encode(other, "abc"), ElementsAre(4, 7));
    // The longest piece is not taken for its length: abc (-5) loses, abc (-3.5) wins.
    add(other = t5Data(), "abc", -5);
    EXPECT_THAT(encode(other, "abc"), ElementsAre(6, 5));
    other.scores.back() = -3.5F;
    EXPECT_THAT(encode(other, "abc"), ElementsAre(9));
}

TEST(T5Tokenizer, unknownCharactersSideBySideAreOneToken) {
    EXPECT_THAT(encode(t5Data(), "\u4f60\u597da"), ElementsAre(2, 4));
    EXPECT_THAT(encode(t5Data(), "xax"), ElementsAre(2, 4, 2));
    // ab + unknown = -3 - (9 + 10) = -22, a + unknown + unknown = -47.
    EXPECT_THAT(encode(t5Data(), "abb"), ElementsAre(6, 2));
    TokenizerData data = t5Data();
    data.tokens.erase(data.tokens.begin() + 2, data.tokens.end());
    data.scores.resize(2);
    data.types.resize(2);
    EXPECT_TRUE(encode(data, "xy").empty()) << "without an unknown token nothing stands for them";
    EXPECT_THAT(encode(withBytes(), "ax\xFF"), ElementsAre(4, 9 + 'x', 9 + 0xFF));
}

TEST(T5Tokenizer, spacesFollowTheKeys) {
    TokenizerData data = t5Data();
    EXPECT_THAT(encode(data, " c  c "), ElementsAre(3, 5, 3, 3, 5, 3));
    data.removeExtraSpaces = true;
    EXPECT_THAT(encode(data, " c  c "), ElementsAre(5, 3, 5));
    data.addSpacePrefix = true;
    EXPECT_THAT(encode(data, " c  c "), ElementsAre(3, 5, 3, 5));
    EXPECT_TRUE(encode(data, "  ").empty());
    data.removeExtraSpaces = false;
    EXPECT_THAT(encode(data, " c"), ElementsAre(3, 3, 5));
    EXPECT_EQ(decode(*createT5(data), encode(data, " c")).value(), " c");
}

TEST(T5Tokenizer, textOfMessagesCannotSpellControlTokens) {
    EXPECT_THAT(encode(t5Data(), "c</s>c", true, true), ElementsAre(5, 1, 5, 1));
    EXPECT_THAT(encode(t5Data(), "c</s>c", false, true), ElementsAre(5, 2, 5, 1));
    EXPECT_THAT(encode(t5Data(), "<tool>c"), ElementsAre(8, 5));
    EXPECT_TRUE(createT5(t5Data())->isEndOfGeneration(1));
    EXPECT_FALSE(createT5(t5Data())->isEndOfGeneration(5));
    TokenizerData data = t5Data();
    data.addSpacePrefix = true;
    EXPECT_THAT(encode(data, "c<tool>c"), ElementsAre(3, 5, 8, 3, 5));
}

TEST(T5Tokenizer, givesEveryByteBack) {
    std::string bytes;
    for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i * 7);
    for (const bool prefix : {false, true}) {
        TokenizerData data = withBytes();
        data.addSpacePrefix = prefix;
        for (const std::string& text : {bytes, std::string(5, '\0'), std::string("\xE2\x96"),
                                        std::string(100000, 'a'), std::string(" abc  "), std::string()})
            EXPECT_EQ(decode(*createT5(data), encode(data, text)).value(), text) << prefix;
    }
}

TEST(T5Tokenizer, theCharacterMapIsApplied) {
    TokenizerData data = t5Data();
    data.characterMap = characterMap();
    EXPECT_THAT(encode(data, "A"), ElementsAre(4));
    EXPECT_THAT(encode(data, "AAc"), ElementsAre(7)) << "the longest rule: bc";
    EXPECT_THAT(encode(data, "AAAc"), ElementsAre(2, 4, 5)) << "b has no piece";
    data.removeExtraSpaces = true;
    EXPECT_THAT(encode(data, "\tc\t \tc"), ElementsAre(5, 3, 5)) << "replaced spaces are spaces";
    EXPECT_THAT(encode(t5Data(), "A"), ElementsAre(2));
}

TEST(T5Tokenizer, keysOfTheFileAreRead) {
    TokenizerData data = t5Data();
    data.removeExtraSpaces = true;
    data.characterMap = characterMap();
    formats::Metadata metadata;
    formats::writeTokenizerData(data, metadata);
    const auto read = formats::readTokenizerData(metadata).value();
    EXPECT_EQ(read.characterMap, data.characterMap);
    EXPECT_EQ(read.removeExtraSpaces, data.removeExtraSpaces);
    metadata.set("tokenizer.ggml.precompiled_charsmap", std::vector<int64_t>{255, 256});
    EXPECT_EQ(formats::readTokenizerData(metadata).error().code, ErrorCode::Corrupt);
    metadata.set("tokenizer.ggml.precompiled_charsmap", std::string("text"));
    EXPECT_EQ(formats::readTokenizerData(metadata).error().code, ErrorCode::Corrupt);
}

TEST(T5Tokenizer, toleratesDuplicateEmptyAndUntypedPieces) {
    TokenizerData data = t5Data();
    for (const std::string& text :
         {std::string("ab"), std::string(), std::string("\xFF"), std::string(1, '\0')})
        add(data, text, -1);
    EXPECT_THAT(encode(data, std::string("ab\0\xFF", 4)), ElementsAre(6, 12, 11));
    data.scores[4] = std::numeric_limits<float>::infinity();
    data.scores[5] = -std::numeric_limits<float>::infinity();
    EXPECT_THAT(encode(data, "ac"), ElementsAre(4, 5));
    data.types.clear();
    EXPECT_THAT(encode(data, "ab"), ElementsAre(6));
}

TEST(T5Tokenizer, brokenVocabulariesAreCorrupt) {
    struct {
        const char* sentence;
        void (*damage)(TokenizerData&);
    } const cases[] = {
        {"is empty",
         [](TokenizerData& data) {
             data = {};
             data.model = "t5";
         }},
        {"9 tokens, but 8 scores", [](TokenizerData& data) { data.scores.pop_back(); }},
        {"score of token 4 is not a number", [](TokenizerData& data) { data.scores[4] = std::nanf(""); }},
        {"token 4 is longer", [](TokenizerData& data) { data.tokens[4] = std::string(1025, 'a'); }},
        {"character map", [](TokenizerData& data) { data.characterMap = "abc"; }},
        {"character map", [](TokenizerData& data) { data.characterMap = std::string(8, '\0'); }},
        {"character map", [](TokenizerData& data) { data.characterMap = std::string(5000, '\xFF'); }},
        {"character map", [](TokenizerData& data) { data.characterMap = characterMap() + "x"; }},
        {"character map", [](TokenizerData& data) { data.characterMap = characterMap().substr(0, 4100); }},
    };
    for (const auto& [sentence, damage] : cases) {
        TokenizerData data = t5Data();
        damage(data);
        const auto tokenizer = createTokenizer(data);
        ASSERT_FALSE(tokenizer.has_value()) << sentence;
        EXPECT_EQ(tokenizer.error().code, ErrorCode::Corrupt);
        EXPECT_THAT(tokenizer.error().message, HasSubstr(sentence));
    }
}

TEST(T5Tokenizer, rulesThatLeadOutsideTheMapAreCorrupt) {
    const auto encoded = [](size_t node, uint32_t value, const char* replacements) {
        TokenizerData data = t5Data();
        data.characterMap = characterMap();
        for (size_t i = 0; i < 4; ++i)
            data.characterMap[4 + 4 * node + i] = static_cast<char>(value >> (8 * i));
        data.characterMap += replacements + std::string(1, '\0');
        const TextSegment segment{"A"};
        return createT5(data)->encode({&segment, 1}, false);
    };
    EXPECT_EQ(encoded(0x241, 0x80000000U, "").value(), Ids{4});
    EXPECT_EQ(encoded(0x241, 0xFFFFFFFFU, "").error().code, ErrorCode::Corrupt);
    EXPECT_EQ(encoded('A', 0x7FFFFD00U | 'A', "").error().code, ErrorCode::Corrupt);
    EXPECT_EQ(encoded(0, 0xFFFFFC00U, "").error().code, ErrorCode::Corrupt);
    EXPECT_EQ(encoded(0x241, 0x80000006U, std::string(256, 'c').c_str()).value().size(), 256U);
    EXPECT_EQ(encoded(0x241, 0x80000006U, std::string(257, 'c').c_str()).error().code, ErrorCode::Corrupt);
}

TEST(T5Damage, damagedCharacterMapsEndInAResult) {
    const char* wanted = std::getenv("INGLE_MUTATIONS");
    const uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : 1000;
    std::mt19937 random(1);
    const std::string text = "AAA\tabc\u4f60A\xFF" + std::string(300, 'A');
    const TextSegment segment{text};
    uint64_t refused = 0;
    for (uint64_t i = 0; i < count; ++i) {
        TokenizerData data = withBytes();
        data.characterMap = characterMap();
        // The nodes in use lie among many empty ones: half of the damage goes straight to them.
        const size_t places[] = {
            0, 4, 4 + 4 * 'A', 4 + 4 * '\t', 4 + 4 * 0x200, 4 + 4 * 0x241, 4 + 4 * 0x300};
        for (int n = 0; n < 3; ++n) {
            const size_t at = random() % 2 ? places[random() % std::size(places)] + random() % 4
                                           : random() % data.characterMap.size();
            data.characterMap[at] = static_cast<char>(random());
        }
        if (random() % 8 == 0) data.characterMap.resize(random() % data.characterMap.size());
        const auto tokenizer = createTokenizer(data);
        const bool isRefused = !tokenizer || !(*tokenizer)->encode({&segment, 1}, true);
        refused += isRefused ? 1 : 0;
    }
    EXPECT_GT(refused, count / 10);
    EXPECT_LT(refused, count);
}

}  // namespace
}  // namespace ingle::tokenizer
