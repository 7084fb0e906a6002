/// Vocabulary files beside checkpoints that hold none.
#include <gmock/gmock.h>

#include <fstream>

#include "engine/formats/rwkv_vocabulary.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::formats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RwkvVocabulary, readsLiteralsOfPython) {
    const auto tokens = parseRwkvVocabulary(
        "1 'a' 1\n2 \"it's\" 4\r\n3 '\\n' 1\n4 b'\\xe4\\xbd' 2\n5 '\\xe9' 2\n6 '\u4f60 x' 5\n\n8 "
        "'\\u4f60\\U0001f600\\x00\\101' 9\n"
        "9 ' ' 1\n10 '\\\\' 1\n");
    ASSERT_TRUE(tokens.has_value()) << tokens.error().message;
    EXPECT_THAT(*tokens,
                ElementsAre("<s>", "a", "it's", "\\x0a", "\\xe4\\xbd", "\\xc3\\xa9", "\\xe4\\xbd\\xa0 x", "",
                            "\\xe4\\xbd\\xa0\\xf0\\x9f\\x98\\x80\\x00A", " ", "\\\\"));
    TokenizerData data;
    data.model = "rwkv";
    data.tokens = *tokens;
    const auto tokenizer = tokenizer::createTokenizer(data).value();
    EXPECT_EQ(tokenizer->pieceBytes(8), std::string("\u4f60\U0001f600\0A", 9));
}

TEST(RwkvVocabulary, aWrongLineIsNamed) {
    for (const char* line :
         {"x", "1", "1 'a'", "a 'a' 1", "1 'a' x", "1 'a' 2", "0 'a' 1", "9999999 'a' 1", "1 a 1", "1 'a 1",
          "1 '\\q' 1", "1 '\\x4' 1", "1 b'\\u4f60' 3", "1 '\\' 1", "1 '\\U00110000' 4", "-1 'a' 1"}) {
        const auto tokens = parseRwkvVocabulary(std::string("1 'a' 1\n") + line);
        ASSERT_FALSE(tokens.has_value()) << line;
        EXPECT_THAT(tokens.error().message, HasSubstr("line 2")) << line;
    }
    EXPECT_FALSE(parseRwkvVocabulary("").has_value());
}

TEST(Llama2cTokenizer, isReadBesideTheCheckpoint) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.bin");
    std::ofstream(path, std::ios::binary) << test::llama2cFile();
    const auto without = openModelFile(test::opened(path));
    ASSERT_TRUE(without.has_value()) << without.error().message;
    EXPECT_EQ(without->tokenizer.model, "none");
    const uint32_t vocabSize = without->metadata.u32("llama.vocab_size").value();

    const auto number = [](auto value) {
        return std::string(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const auto tokenizerFile = [&](uint32_t count) {
        std::string bytes = number(uint32_t{27});
        for (uint32_t id = 0; id < count; ++id) {
            const std::string text = id == 0   ? "<unk>"
                                     : id == 1 ? "\n<s>\n"
                                     : id == 2 ? "\n</s>\n"
                                               : fmt::format(" t{}", id);
            bytes += number(-static_cast<float>(id)) + number(static_cast<uint32_t>(text.size())) + text;
        }
        return bytes;
    };
    const std::string companion = folder.file("tokenizer.bin");
    std::ofstream(companion, std::ios::binary) << tokenizerFile(vocabSize);
    const auto with = openModelFile(test::opened(path));
    ASSERT_TRUE(with.has_value()) << with.error().message;
    EXPECT_EQ(with->tokenizer.model, "llama");
    ASSERT_EQ(with->tokenizer.tokens.size(), vocabSize);
    EXPECT_EQ(with->tokenizer.tokens[1], "<s>");
    EXPECT_EQ(with->tokenizer.tokens[3], "\u2581t3");
    EXPECT_EQ(with->tokenizer.types[3], TokenType::Byte);
    EXPECT_TRUE(tokenizer::createTokenizer(with->tokenizer).has_value());

    std::string damaged = tokenizerFile(vocabSize);
    damaged.pop_back();
    for (const std::string& bytes : {damaged, tokenizerFile(vocabSize + 1), std::string("x")}) {
        std::ofstream(companion, std::ios::binary) << bytes;
        const auto wrong = openModelFile(test::opened(path));
        ASSERT_FALSE(wrong.has_value());
        EXPECT_THAT(wrong.error().message, HasSubstr("tokenizer.bin"));
    }
}

}  // namespace
}  // namespace ingle::formats
