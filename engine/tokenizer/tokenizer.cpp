#include "engine/tokenizer/tokenizer.h"
#include "ingle/error_ids.h"

#include <algorithm>

namespace ingle::tokenizer {

Result<std::unique_ptr<Tokenizer>> createTokenizer(const formats::TokenizerData& data) {
    if (data.model == "none") return std::unique_ptr<Tokenizer>();
    const auto kinds = allTokenizers();
    // Files that call this vocabulary byte-level name it as pre-tokenizer.
    constexpr std::string_view kMergedLines[] = {"gemma4", "granite-embed-multi-311m", "sarvam-moe"};
    const bool isMergedLines =
        data.model == "gpt2" && std::ranges::find(kMergedLines, data.pre) != std::end(kMergedLines);
    const bool areWords = data.model == "gpt2" && data.pre == "whitespace";
    const std::string_view model = areWords        ? std::string_view(data.pre)
                                   : isMergedLines ? kMergedLines[0]
                                                   : std::string_view(data.model);
    const auto it = std::ranges::find(kinds, model, &TokenizerKind::model);
    if (it == kinds.end())
        return withId<ErrorId::UnknownTokenizer>(
            fail(ErrorCode::Unsupported, "the tokenizer '{}' is not supported", shown(data.model)),
            shown(data.model));
    return (*it)->create(data);
}

Result<std::string> decode(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
    std::string text;
    for (const TokenId id : ids) {
        if (id < 0 || static_cast<size_t>(id) >= tokenizer.vocabSize())
            return fail(ErrorCode::InvalidArgument, "token {} is outside the vocabulary of {}", id,
                        tokenizer.vocabSize());
        text += tokenizer.pieceBytes(id);
    }
    if (tokenizer.dropsLeadingSpace() && text.starts_with(' ')) text.erase(0, 1);
    return text;
}

}  // namespace ingle::tokenizer
