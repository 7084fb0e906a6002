/// Texts as embedders and rerankers read them: with the words and special tokens that they were trained with.
#pragma once

#include <string_view>
#include <vector>

#include "engine/session/loading/model.h"
#include "ingle/embedder.h"

namespace ingle::session {

/// Errors: Unsupported if the file has no tokenizer.
Result<std::vector<TokenId>> embeddingTokens(const OpenedModel& model, std::string_view text, TextUse use);
/// A question and a document, which are to be scored together: by the file's template for that, or one behind
/// the other with separators; of a document that makes it more than `most` tokens, the beginning. Errors:
/// Unsupported if the model is no classifier, or has no tokenizer.
Result<std::vector<TokenId>> pairTokens(const OpenedModel& model, std::string_view query,
                                        std::string_view document, size_t most);

}  // namespace ingle::session
