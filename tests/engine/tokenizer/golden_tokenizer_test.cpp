#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "engine/tokenizer/tokenizer.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::tokenizer {
namespace {

using nlohmann::json;

formats::ModelFile openVocabulary(const std::string& compressed) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("vocabulary.gguf");
    const std::string command =
        fmt::format("gzip -dc '{}' > '{}'", (test::goldenRoot() / compressed).string(), path);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    auto file = formats::openModelFile(test::opened(path));
    EXPECT_TRUE(file.has_value()) << file.error().message;
    return std::move(file).value();
}

enum class Specials { None, Add, Parse };

std::vector<TokenId> encode(const Tokenizer& tokenizer, const std::string& text, Specials specials) {
    const TextSegment segment{text, specials == Specials::Parse};
    return tokenizer.encode({&segment, 1}, specials == Specials::Add).value();
}

/// The clean-up of spaces that some golden texts went through; ours are exact.
std::string cleanedUp(std::string text) {
    const auto removeSpaces = [&](std::string_view pattern, size_t behind) {
        for (size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at)) {
            if (behind > 0) text.erase(at + behind, 1);
            text.erase(at, 1);
        }
    };
    for (const char* mark : {" ?", " !", " .", " ,"}) removeSpaces(mark, 0);
    removeSpaces(" ' ", 2);
    for (const char* ending : {" 's", " 'm", " 're", " 've"}) removeSpaces(ending, 0);
    return text;
}

void checkCase(const Tokenizer& tokenizer, const json& entry, bool isCleanedUp) {
    const auto text = entry["text"].get<std::string>();
    const auto ids = entry["ids"].get<std::vector<TokenId>>();
    EXPECT_EQ(encode(tokenizer, text, Specials::None), ids) << text;
    if (const size_t most = tokenizer.mostBytesPerId(); most > 0) {
        EXPECT_GE(ids.size() * most, text.size()) << text;
    }
    EXPECT_EQ(encode(tokenizer, text, Specials::Add), entry["ids_special"].get<std::vector<TokenId>>())
        << text;
    EXPECT_EQ(encode(tokenizer, text, Specials::Parse),
              entry["ids_parse_special"].get<std::vector<TokenId>>())
        << text;
    const std::string decoded = decode(tokenizer, ids).value();
    EXPECT_EQ(isCleanedUp ? cleanedUp(decoded) : decoded, entry["detok"].get<std::string>());
}

TEST(GoldenTokenizers, idsAndTextsAreExact) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    size_t covered = 0;
    json entries = test::readJson(test::goldenRoot() / "manifest.json")["groups"]["tokenizers"];
    const json more = test::readJson(test::goldenRoot() / "manifest2.json")["groups"]["tokenizers2"];
    for (const auto& entry : more)
        if (entry["name"] == "gemma-4") entries.push_back(entry);
    for (const auto& entry : entries) {
        const auto name = entry["name"].get<std::string>();
        SCOPED_TRACE(name);
        const formats::ModelFile file = openVocabulary(entry["vocab"].get<std::string>());
        const auto start = std::chrono::steady_clock::now();
        const auto tokenizer = createTokenizer(file.tokenizer);
        const std::chrono::duration<double, std::milli> loadTime = std::chrono::steady_clock::now() - start;
        ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
        const auto cases = test::readJson(test::goldenRoot() / entry["cases"].get<std::string>())["cases"];
        const bool isCleanedUp = name == "gpt-2" || name == "bert-bge" || name == "gemma-4";
        for (const json& each : cases) checkCase(**tokenizer, each, isCleanedUp);
        std::cout << fmt::format("{}: {} tokens, {} cases, loaded in {:.0f} ms\n", name,
                                 file.tokenizer.tokens.size(), cases.size(), loadTime.count());
        covered += cases.size();
    }
    EXPECT_EQ(covered, 5U * 79 + 103);
}

TEST(GoldenTokenizers, joinedSegmentsTokenizeLikeTheWholeText) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    for (const char* name : {"llama-spm", "gpt-2"}) {
        const auto file = openVocabulary(fmt::format("tokenizers/ggml-vocab-{}.gguf.gz", name));
        const auto tokenizer = createTokenizer(file.tokenizer).value();
        const std::string text = "[INST] What is the weather like? [/INST]";
        const std::vector<TextSegment> parts = {
            {"[INST] Wh", true}, {"at is the wea", false}, {"ther like? [/INST]", true}};
        EXPECT_EQ(tokenizer->encode(parts, true).value(), encode(*tokenizer, text, Specials::Add)) << name;
    }
}

TEST(GoldenTokenizers, takeAnyBytesAndGiveThemBack) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    std::string allBytes;
    for (int i = 0; i < 256; ++i) allBytes += static_cast<char>(i);
    std::string longText;
    for (int i = 0; i < 20000; ++i) longText += "abcdefgh\u4f60 \xFF"[i * 7 % 13];
    for (const char* name : {"llama-spm", "gpt-2"}) {
        const auto file = openVocabulary(fmt::format("tokenizers/ggml-vocab-{}.gguf.gz", name));
        const auto tokenizer = createTokenizer(file.tokenizer).value();
        for (const std::string& text : {allBytes, longText, std::string(5, '\0'), std::string("\xE2\x96"),
                                        std::string(100000, 'a'), std::string(20000, ' ')}) {
            const auto ids = encode(*tokenizer, text, Specials::None);
            EXPECT_EQ(decode(*tokenizer, ids).value(), text) << name;
        }
    }
}

TEST(GoldenTokenizers, endOfGenerationIsKnown) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    const auto llama =
        createTokenizer(openVocabulary("tokenizers/ggml-vocab-llama-spm.gguf.gz").tokenizer).value();
    const auto gpt2 =
        createTokenizer(openVocabulary("tokenizers/ggml-vocab-gpt-2.gguf.gz").tokenizer).value();
    EXPECT_TRUE(llama->isEndOfGeneration(2));
    EXPECT_FALSE(llama->isEndOfGeneration(1));
    EXPECT_TRUE(gpt2->isEndOfGeneration(50256));
    EXPECT_FALSE(gpt2->isEndOfGeneration(198));
    EXPECT_EQ(llama->pieceBytes(2), "");
    EXPECT_EQ(llama->pieceBytes(13), "\n");
}

}  // namespace
}  // namespace ingle::tokenizer
