/// Embeddings of texts and scores of pairs of texts, which models that were trained for it compute.
/// Implemented in engine/session.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"
#include "ingle/text_use.h"
#include "ingle/types.h"

namespace ingle {

/// The embedding of one text: one row, or a row for each token if the model does not pool (pooling_type 0).
struct Embedding {
    uint32_t dim = 0;           ///< numbers in a row
    std::vector<float> values;  ///< [rows][dim], as the model computes them: not normalised
};

/// Scales each row to length 1, as most uses of embeddings want. A row of zeros stays as it is.
void normaliseRows(Embedding& embedding);
/// Keeps the first numbers of each row: models that were trained for it (Matryoshka) say most with them.
/// Errors: InvalidArgument, where rows have fewer, or for 0.
Status truncateRows(Embedding& embedding, uint32_t dim);

/// How well a document answers its question, from 0 to 1, by a classifier's scores. Errors: Unsupported,
/// where they are of more than two labels.
Result<float> relevanceOf(const Embedding& scores);

/// A loaded model that embeds texts or scores them. Not thread-safe: one thread calls everything.
class Embedder {
  public:
    virtual ~Embedder() = default;
    /// Loads a model. `progress` may be null. Errors: as Engine::load(); Unsupported for a model that writes
    /// text.
    static Result<std::unique_ptr<Embedder>> load(const std::string& path, const LoadOptions& options,
                                                  const ProgressFn& progress);

    virtual const ModelInfo& info() const = 0;
    /// The most tokens that a text may have: the model has no positions beyond those of its training.
    virtual uint32_t maxTokens() const = 0;
    /// Whether it scores texts (a reranker or another classifier), and embeds none.
    virtual bool isClassifier() const = 0;
    /// Returns the token ids of a text with the words and special tokens that the model expects around it.
    /// Errors: Unsupported if the model has no tokenizer.
    virtual Result<std::vector<TokenId>> tokenize(std::string_view text, TextUse use) const = 0;
    /// The same of a question and a document that a reranker is to score together. The end of a document that
    /// is too long is left out. Errors: Unsupported if the model scores no pairs; InvalidArgument for a
    /// question that alone is too long.
    virtual Result<std::vector<TokenId>> tokenizePair(std::string_view query,
                                                      std::string_view document) const = 0;
    /// Returns an embedding for each text, in their order; of a classifier its scores. A text's embedding
    /// does not depend on the other texts. Errors: InvalidArgument (a text without tokens or with more than
    /// maxTokens(), a token outside the vocabulary), Device.
    virtual Result<std::vector<Embedding>> embed(std::span<const std::vector<TokenId>> texts) = 0;
};

}  // namespace ingle
