// Any text through several kinds of vocabulary: what was encoded must decode to the same bytes. The first
// byte of the input says where the text is cut into segments, and which of them are markup.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "engine/tokenizer/stream_decoder.h"
#include "engine/tokenizer/tokenizer.h"

namespace {

using ingle::TokenId;
using ingle::formats::TokenizerData;
using ingle::formats::TokenType;
using ingle::tokenizer::TextSegment;
using ingle::tokenizer::Tokenizer;

void add(TokenizerData& data, std::string text, TokenType type) {
    data.scores.push_back(-static_cast<float>(data.tokens.size()));
    data.tokens.push_back(std::move(text));
    data.types.push_back(type);
}

std::unique_ptr<Tokenizer> sentencePieceTokenizer(const char* model) {
    TokenizerData data;
    data.model = model;
    data.addSpacePrefix = true;
    add(data, "<unk>", TokenType::Unknown);
    add(data, "<s>", TokenType::Control);
    add(data, "</s>", TokenType::Control);
    for (int i = 0; i < 256; ++i) add(data, fmt::format("<0x{:02X}>", i), TokenType::Byte);
    for (const char* piece : {"\u2581", "e", "t", "th", "he", "the", "\u2581the", "\u00e9", "\u4f60"})
        add(data, piece, TokenType::Normal);
    add(data, "<tool>", TokenType::UserDefined);
    return std::move(ingle::tokenizer::createTokenizer(data)).value();
}

std::unique_ptr<Tokenizer> gpt2Tokenizer(const char* preTokenizer) {
    TokenizerData data;
    data.model = "gpt2";
    data.pre = preTokenizer;
    for (int i = 0; i < 256; ++i) {
        const bool isPrintable = (i >= 0x21 && i <= 0x7E) || (i >= 0xA1 && i <= 0xAC) || i >= 0xAE;
        static int next = 0;
        if (i == 0) next = 0x100;
        const int codePoint = isPrintable ? i : next++;
        add(data,
            codePoint < 0x80 ? std::string{static_cast<char>(codePoint)}
                             : std::string{static_cast<char>(0xC0 | codePoint >> 6),
                                           static_cast<char>(0x80 | (codePoint & 0x3F))},
            TokenType::Normal);
    }
    data.merges = {"t h", "th e", "\u0120 the", "e e"};
    for (const char* piece : {"th", "the", "\u0120the", "ee"}) add(data, piece, TokenType::Normal);
    add(data, "<|endoftext|>", TokenType::Control);
    return std::move(ingle::tokenizer::createTokenizer(data)).value();
}

void check(const Tokenizer& tokenizer, const std::vector<TextSegment>& segments, const std::string& text) {
    const auto ids = tokenizer.encode(segments, false);
    if (!ids) return;
    const auto decoded = ingle::tokenizer::decode(tokenizer, *ids);
    // Control tokens decode to nothing, a dummy prefix follows each special token, and SentencePiece reads
    // U+2581 as a space.
    const bool isExact = !segments[0].parseSpecial && !segments[1].parseSpecial &&
                         text.find("<tool>") == std::string::npos && text.find("\u2581") == std::string::npos;
    if (!decoded || (isExact && *decoded != text)) std::abort();
    ingle::tokenizer::StreamDecoder stream({"the", "\n\nUser:"});
    for (const TokenId id : *ids) stream.push(tokenizer.pieceBytes(id));
    stream.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const auto llama = sentencePieceTokenizer("llama");
    static const auto t5 = sentencePieceTokenizer("t5");
    static const auto gpt2 = gpt2Tokenizer("gpt-2");
    static const auto llama3 = gpt2Tokenizer("llama-bpe");
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    const size_t cut = std::min<size_t>(data[0] >> 2, text.size());
    const std::vector<TextSegment> segments = {{text.substr(0, cut), (data[0] & 1) != 0},
                                               {text.substr(cut), (data[0] & 2) != 0}};
    check(*llama, segments, text);
    check(*t5, segments, text);
    check(*gpt2, segments, text);
    check(*llama3, segments, text);
    return 0;
}
