/// Embedder: texts as whole steps of an encoder's program.
#include "engine/session/conversations/embedder.h"

#include <algorithm>
#include <cmath>

namespace ingle {
namespace {

using models::Pooling;

/// Adds up rows one by one, in their order.
class Pool {
  public:
    Pool(Pooling pooling, uint32_t dim) : m_pooling(pooling) { m_embedding.dim = dim; }

    void add(std::span<const float> row) {
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

class ModelEmbedder final : public Embedder {
  public:
    ModelEmbedder(std::unique_ptr<session::Model> model, Pooling pooling)
        : m_model(std::move(model)), m_pooling(pooling) {}

    /// Errors: as Place::compile().
    Status compile() {
        INGLE_TRY_ASSIGN(m_program, m_model->compileAllLogits(maxTokens()));
        return {};
    }

    const ModelInfo& info() const override { return m_model->info(); }
    uint32_t maxTokens() const override {
        return std::min(info().contextTokens, m_model->opened().bound.facts().trainedContext);
    }

    Result<std::vector<TokenId>> tokenize(std::string_view text) const override {
        const tokenizer::Tokenizer* tokenizer = m_model->opened().tokenizer.get();
        if (!tokenizer) return fail(ErrorCode::Unsupported, "the model file has no tokenizer");
        const tokenizer::TextSegment segment{std::string(text), false};
        return tokenizer->encode({&segment, 1}, /*addSpecial=*/true);
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
            auto some = embedStep(rest.first(numFitting(rest)));
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
    /// Texts that one step takes together: in as many pages as one of maxTokens() has, which memory has room
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
            if (tokens > maxTokens() || pages > pagesOf(maxTokens())) break;
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
            std::optional<Pool> pool;
            for (uint32_t i = 0; i < wantedRows(m_pooling, static_cast<uint32_t>(text.size())).count; ++i) {
                INGLE_TRY_ASSIGN(const std::span<const float> row, m_program->readOutput(index++));
                if (!pool) pool.emplace(m_pooling, static_cast<uint32_t>(row.size()));
                pool->add(row);
            }
            embeddings.push_back(pool->take());
        }
        return embeddings;
    }

    Status leaveDevice(const Error& error) {
        INGLE_TRY_ASSIGN(const auto left, m_model->placement().leave(error));
        m_program.reset();
        return compile();
    }

    std::unique_ptr<session::Model> m_model;
    Pooling m_pooling;
    std::unique_ptr<backend::Program> m_program;
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

Result<std::unique_ptr<Embedder>> session::createEmbedder(std::unique_ptr<Model> model) {
    const auto pooling = model->opened().bound.facts().pooling;
    if (!pooling)
        return fail(ErrorCode::Unsupported,
                    "{}: the model writes text; embeddings are made by encoders, such as bert",
                    model->opened().file.path);
    auto embedder = std::make_unique<ModelEmbedder>(std::move(model), *pooling);
    INGLE_TRY(embedder->compile());
    return embedder;
}

Result<std::unique_ptr<Embedder>> Embedder::load(const std::string& path, const LoadOptions& options,
                                                 const ProgressFn& progress) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(auto model, session::Model::load(source, options, progress));
    return session::createEmbedder(std::move(model));
}

}  // namespace ingle
