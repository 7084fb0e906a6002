/// Embeddings of texts, by a model that makes rows of numbers instead of writing. Implemented in
/// engine/session.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Of one text: one row, or one for each token where the model pools none (pooling_type 0).
struct Embedding {
    uint32_t dim = 0;
    std::vector<float> values;  ///< rows back to back; as the model gives them, not normalised
};

/// Each row to length 1, as most uses of embeddings want them; a row of zeros stays one.
void normaliseRows(Embedding& embedding);

/// One thread.
class Embedder {
  public:
    virtual ~Embedder() = default;
    /// Errors: as Engine::load(); Unsupported for a model that writes. `progress` may be null.
    static Result<std::unique_ptr<Embedder>> load(const std::string& path, const LoadOptions& options,
                                                  const ProgressFn& progress);

    virtual const ModelInfo& info() const = 0;
    /// That a text may have: there are no positions beyond those the model was trained with.
    virtual uint32_t maxTokens() const = 0;
    /// Token ids of a text, with the special ones that the model wants around it. Errors: Unsupported when
    /// the model has no tokenizer.
    virtual Result<std::vector<TokenId>> tokenize(std::string_view text) const = 0;
    /// In the order of the texts; what each gets does not depend on the others. Errors: InvalidArgument (a
    /// text without tokens or with more than maxTokens(), a token outside the vocabulary), Device.
    virtual Result<std::vector<Embedding>> embed(std::span<const std::vector<TokenId>> texts) = 0;
};

}  // namespace ingle
