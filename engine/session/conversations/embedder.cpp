/// Embedder: texts as whole steps of an encoder's program, or piece by piece where no token sees those behind
/// it.
#include "engine/session/conversations/embedder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/session/conversations/embedding_text.h"
#include "engine/session/conversations/pooled_steps.h"

namespace ingle {
namespace {

using models::Pooling;

/// Adds up rows one by one, in their order.
class Pool {
  public:
    explicit Pool(Pooling pooling) : m_pooling(pooling) {}

    void add(std::span<const float> row) {
        m_embedding.dim = static_cast<uint32_t>(row.size());
        std::vector<float>& values = m_embedding.values;
        ++m_numRows;
        if (m_pooling != Pooling::Mean || values.empty()) {
            values.insert(values.end(), row.begin(), row.end());
            return;
        }
        for (size_t i = 0; i < row.size(); ++i) values[i] += row[i];
    }
    Embedding take() {
        if (m_pooling == Pooling::Mean)
            for (float& value : m_embedding.values) value /= static_cast<float>(m_numRows);
        return std::move(m_embedding);
    }

  private:
    Pooling m_pooling;
    Embedding m_embedding;
    uint32_t m_numRows = 0;
};

/// Rows of a text that are wanted, [first, first + count).
backend::TokenRange wantedRows(Pooling pooling, uint32_t numTokens) {
    switch (pooling) {
        case Pooling::First:
            return {0, 1};
        case Pooling::Last:
            return {numTokens - 1, 1};
        case Pooling::None:
        case Pooling::Mean:
            break;
    }
    return {0, numTokens};
}

/// Whether tokens see those behind them.
bool seesAhead(const graph::Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
        const auto* attention = std::get_if<backend::AttentionParams>(&node.params);
        return attention && attention->mask >= backend::Mask::Prefix;
    });
}

class ModelEmbedder final : public Embedder {
  public:
    ModelEmbedder(std::unique_ptr<session::Model> model, Pooling pooling)
        : m_model(std::move(model)),
          m_pooling(pooling),
          m_steps(m_model->opened().bound),
          m_readsWhole(seesAhead(m_model->opened().graph)) {}

    const ModelInfo& info() const override { return m_model->info(); }
    uint32_t maxTokens() const override {
        return std::min(info().contextTokens, m_model->opened().bound.facts().trainedContext);
    }
    bool isClassifier() const override { return m_model->opened().bound.facts().isClassifier; }

    Result<std::vector<TokenId>> tokenize(std::string_view text, TextUse use) const override {
        return session::embeddingTokens(m_model->opened(), text, use);
    }
    Result<std::vector<TokenId>> tokenizePair(std::string_view query,
                                              std::string_view document) const override {
        return session::pairTokens(m_model->opened(), query, document, maxTokens());
    }

    Result<std::vector<Embedding>> embed(std::span<const std::vector<TokenId>> texts) override {
        for (const std::vector<TokenId>& text : texts) {
            if (text.empty() || text.size() > maxTokens())
                return fail(ErrorCode::InvalidArgument, "a text of {} tokens, where 1 to {} can be read",
                            text.size(), maxTokens());
        }
        std::vector<Embedding> embeddings;
        while (embeddings.size() < texts.size()) {
            const auto rest = texts.subspan(embeddings.size());
            auto some = embedSome(rest);
            if (!some) {
                // The texts of this step are read again where nothing is lost.
                INGLE_TRY(leaveDevice(some.error()));
                continue;
            }
            std::ranges::move(*some, std::back_inserter(embeddings));
        }
        return embeddings;
    }

  private:
    /// Tokens that a step takes, unless a longer text is to be read at once.
    static constexpr uint32_t kStepTokens = 512;

    /// Of the first of these texts, or of several that one step takes together.
    Result<std::vector<Embedding>> embedSome(std::span<const std::vector<TokenId>> texts) {
        const auto length = static_cast<uint32_t>(texts[0].size());
        // What is kept behind windows has room for the usual step only.
        const bool isWindowed = m_model->memorySpec().window() > 0;
        const uint32_t usual =
            std::min(maxTokens(), isWindowed ? session::Model::kPrefillTokens : kStepTokens);
        const uint32_t wanted = m_readsWhole && length > usual ? std::bit_ceil(length) : usual;
        INGLE_TRY(compile(std::min(wanted, maxTokens())));
        if (length > m_programTokens) return embedInPieces(texts[0]);
        return embedStep(texts.first(numFitting(texts)));
    }

    /// Makes the program take so many tokens. Errors: as Place::compile().
    Status compile(uint32_t tokens) {
        if (m_program && m_programTokens >= tokens) return {};
        m_program.reset();
        INGLE_TRY_ASSIGN(m_program, m_model->compileAllLogits(tokens));
        m_programTokens = tokens;
        return {};
    }

    /// Texts that one step takes together: in as many pages as the longest one has, which memory has room
    /// for.
    size_t numFitting(std::span<const std::vector<TokenId>> texts) const {
        const auto pagesOf = [](size_t tokens) {
            return (tokens + backend::kPageTokens - 1) / backend::kPageTokens;
        };
        size_t tokens = 0;
        size_t pages = 0;
        size_t count = 0;
        while (count < std::min<size_t>(texts.size(), session::Model::kMaxDecoding)) {
            tokens += texts[count].size();
            pages += pagesOf(texts[count].size());
            if (tokens > m_programTokens || pages > pagesOf(m_programTokens)) break;
            ++count;
        }
        return count;
    }

    Result<std::vector<Embedding>> embedStep(std::span<const std::vector<TokenId>> texts) {
        std::vector<TokenId> tokens;
        std::vector<std::unique_ptr<backend::SequenceMemory>> sequences;
        std::vector<backend::SequenceRun> runs;
        std::vector<uint32_t> rows;
        for (const std::vector<TokenId>& text : texts) {
            const auto numTokens = static_cast<uint32_t>(text.size());
            const backend::TokenRange wanted = wantedRows(m_pooling, numTokens);
            for (uint32_t row = wanted.first; row < wanted.end(); ++row)
                rows.push_back(static_cast<uint32_t>(tokens.size()) + row);
            tokens.insert(tokens.end(), text.begin(), text.end());
            INGLE_TRY_ASSIGN(auto sequence, m_model->memory().createSequence());
            runs.push_back({sequence.get(), numTokens});
            sequences.push_back(std::move(sequence));
        }
        INGLE_TRY(m_program->run({tokens, runs, rows}));
        std::vector<Embedding> embeddings;
        uint32_t index = 0;
        for (const std::vector<TokenId>& text : texts) {
            Pool pool(m_pooling);
            for (uint32_t i = 0; i < wantedRows(m_pooling, static_cast<uint32_t>(text.size())).count; ++i) {
                INGLE_TRY_ASSIGN(const std::span<const float> row, m_program->readOutput(index++));
                pool.add(row);
            }
            embeddings.push_back(finished(pool));
        }
        return embeddings;
    }

    Result<std::vector<Embedding>> embedInPieces(std::span<const TokenId> text) {
        INGLE_TRY_ASSIGN(const auto sequence, m_model->memory().createSequence());
        const backend::TokenRange wanted = wantedRows(m_pooling, static_cast<uint32_t>(text.size()));
        Pool pool(m_pooling);
        for (uint32_t at = 0; at < text.size(); at += m_programTokens) {
            const auto piece = text.subspan(at, std::min<size_t>(m_programTokens, text.size() - at));
            std::vector<uint32_t> rows;
            for (uint32_t row = 0; row < piece.size(); ++row)
                if (at + row >= wanted.first && at + row < wanted.end()) rows.push_back(row);
            const backend::SequenceRun run{sequence.get(), static_cast<uint32_t>(piece.size())};
            INGLE_TRY(m_program->run({piece, {&run, 1}, rows}));
            for (uint32_t i = 0; i < rows.size(); ++i) {
                INGLE_TRY_ASSIGN(const std::span<const float> row, m_program->readOutput(i));
                pool.add(row);
            }
        }
        std::vector<Embedding> embeddings;
        embeddings.push_back(finished(pool));
        return embeddings;
    }

    Embedding finished(Pool& pool) const {
        Embedding embedding = pool.take();
        if (m_pooling == Pooling::None) return embedding;
        embedding.values = m_steps.apply(std::move(embedding.values));
        embedding.dim = static_cast<uint32_t>(embedding.values.size());
        return embedding;
    }

    Status leaveDevice(const Error& error) {
        INGLE_TRY_ASSIGN(auto left, m_model->placement().leave(error));
        m_program.reset();
        left.reset();
        // A device that was full may have room with fewer layers.
        (void)m_model->placement().returnWithFewerLayers(0);
        return {};
    }

    std::unique_ptr<session::Model> m_model;
    Pooling m_pooling;
    session::PooledSteps m_steps;
    bool m_readsWhole;
    std::unique_ptr<backend::Program> m_program;  ///< null: not made yet
    uint32_t m_programTokens = 0;
};

}  // namespace

void normaliseRows(Embedding& embedding) {
    const size_t dim = embedding.dim;
    for (size_t first = 0; first < embedding.values.size(); first += dim) {
        double sum = 0;
        for (size_t i = first; i < first + dim; ++i) sum += std::pow(double{embedding.values[i]}, 2);
        if (sum == 0) continue;
        for (size_t i = first; i < first + dim; ++i)
            embedding.values[i] = static_cast<float>(embedding.values[i] / std::sqrt(sum));
    }
}

Status truncateRows(Embedding& embedding, uint32_t dim) {
    if (dim == 0 || dim > embedding.dim)
        return fail(ErrorCode::InvalidArgument, "{} dimensions are wanted of {}", dim, embedding.dim);
    std::vector<float> kept;
    for (size_t first = 0; first < embedding.values.size(); first += embedding.dim) {
        const auto row = std::span(embedding.values).subspan(first, dim);
        kept.insert(kept.end(), row.begin(), row.end());
    }
    embedding = {dim, std::move(kept)};
    return {};
}

Result<float> relevanceOf(const Embedding& scores) {
    if (scores.values.size() == 1) return 1 / (1 + std::exp(-scores.values[0]));
    // Shares of "yes" and "no".
    if (scores.values.size() == 2) return scores.values[0];
    return fail(ErrorCode::Unsupported, "a classifier of {} labels does not say how well a text fits",
                scores.values.size());
}

Result<std::unique_ptr<Embedder>> session::createEmbedder(std::unique_ptr<Model> model) {
    const auto pooling = model->opened().bound.facts().pooling;
    if (!pooling)
        return fail(
            ErrorCode::Unsupported,
            "{}: the model writes text; models that are trained to compare texts make embeddings, such "
            "as BGE and Qwen3-Embedding",
            model->opened().file.path);
    return std::make_unique<ModelEmbedder>(std::move(model), *pooling);
}

Result<std::unique_ptr<Embedder>> Embedder::load(const std::string& path, const LoadOptions& options,
                                                 const ProgressFn& progress) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(auto model, session::Model::load(source, options, progress));
    return session::createEmbedder(std::move(model));
}

}  // namespace ingle
