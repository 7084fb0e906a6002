#include <functional>

#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/tokenizer/tokenizer.h"

/// Reads the input as each of the files that hold a vocabulary, and uses what comes of it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ingle;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    using Parse = std::function<Result<formats::Vocabulary>(std::string_view)>;
    constexpr std::string_view kWords = "qwen2";
    const Parse parsers[] = {
        formats::parseTokenizerJson,
        formats::parseSentencePiece,
        formats::parseWordList,
        [&](std::string_view lines) { return formats::parseTiktoken(lines, kWords); },
        [&](std::string_view json) { return formats::parseVocabularyAndMerges(json, "a n\nan d", kWords); },
        [&](std::string_view merges) {
            return formats::parseVocabularyAndMerges(R"({"a": 0, "n": 1, "an": 2})", merges, kWords);
        }};
    for (const Parse& parse : parsers) {
        auto vocabulary = parse(text);
        if (!vocabulary || !formats::addTokens(vocabulary->data, vocabulary->added)) continue;
        const auto tokenizer = tokenizer::createTokenizer(vocabulary->data);
        if (!tokenizer || !*tokenizer) continue;
        const tokenizer::TextSegment segment{"and the <s> one\xFF", true};
        if (const auto ids = (*tokenizer)->encode({&segment, 1}, true))
            (void)tokenizer::decode(**tokenizer, *ids);  // any outcome but a crash will do
    }
    return 0;
}
