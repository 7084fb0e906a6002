// Any text as the vocabulary file of RWKV World, and any text through what was read.
#include <cstdint>
#include <string_view>

#include "engine/formats/rwkv_vocabulary.h"
#include "engine/tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto tokens = ingle::formats::parseRwkvVocabulary(text);
    if (!tokens) return 0;
    ingle::formats::TokenizerData vocabulary;
    vocabulary.model = "rwkv";
    vocabulary.tokens = std::move(*tokens);
    const auto tokenizer = ingle::tokenizer::createTokenizer(vocabulary);
    const ingle::tokenizer::TextSegment segment{std::string(text), true};
    if (const auto ids = (*tokenizer)->encode({&segment, 1}, true))
        static_cast<void>(ingle::tokenizer::decode(**tokenizer, *ids));
    return 0;
}
