#include "engine/tokenizer/tokenizer.h"
#include "ingle/error_ids.h"

#include <algorithm>

namespace ingle::tokenizer {

Result<std::unique_ptr<Tokenizer>> createTokenizer(const formats::TokenizerData& data) {
    if (data.model == "none") return std::unique_ptr<Tokenizer>();
    const auto kinds = allTokenizers();
    const auto it = std::ranges::find(kinds, data.model, &TokenizerKind::model);
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
