#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/tokenizer/tokenizer.h"

/// Reads the input as tokenizer.json and as tokenizer.model, and uses what comes of it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ingle;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto parse : {formats::parseTokenizerJson, formats::parseSentencePiece}) {
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
