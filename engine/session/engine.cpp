/// Engine: the public face of loading and scheduling.
#include "ingle/engine.h"

#include <deque>
#include <mutex>

#include "engine/session/generation.h"

namespace ingle {
namespace {

using session::Generation;

class TokenizerVocabulary final : public Vocabulary {
  public:
    /// Does not own; null when the model has none.
    explicit TokenizerVocabulary(const tokenizer::Tokenizer* tokenizer) : m_tokenizer(tokenizer) {}

    Result<std::vector<TokenId>> tokenize(std::string_view text,
                                          const TokenizeOptions& options) const override {
        INGLE_TRY(check());
        const tokenizer::TextSegment segment{std::string(text), options.parseSpecial};
        return m_tokenizer->encode({&segment, 1}, options.addSpecial);
    }

    Result<std::string> detokenize(std::span<const TokenId> ids) const override {
        INGLE_TRY(check());
        return tokenizer::decode(*m_tokenizer, ids);
    }

  private:
    Status check() const {
        if (!m_tokenizer) return fail(ErrorCode::Unsupported, "the model file has no tokenizer");
        return {};
    }

    const tokenizer::Tokenizer* m_tokenizer;
};

/// A vocabulary that owns its tokenizer.
class FileVocabulary final : public Vocabulary {
  public:
    explicit FileVocabulary(std::unique_ptr<tokenizer::Tokenizer> tokenizer)
        : m_tokenizer(std::move(tokenizer)), m_vocabulary(m_tokenizer.get()) {}

    Result<std::vector<TokenId>> tokenize(std::string_view text,
                                          const TokenizeOptions& options) const override {
        return m_vocabulary.tokenize(text, options);
    }
    Result<std::string> detokenize(std::span<const TokenId> ids) const override {
        return m_vocabulary.detokenize(ids);
    }

  private:
    std::unique_ptr<tokenizer::Tokenizer> m_tokenizer;
    TokenizerVocabulary m_vocabulary;
};

/// Runs generations one after the other, in the order of submission.
class SequentialEngine final : public Engine {
  public:
    explicit SequentialEngine(std::unique_ptr<session::Model> model)
        : m_model(std::move(model)), m_vocabulary(m_model->opened().tokenizer.get()) {}

    Status createSequence() {
        INGLE_TRY_ASSIGN(m_sequence.memory, m_model->memory().createSequence());
        return {};
    }

    const ModelInfo& info() const override { return m_model->opened().info; }
    const Vocabulary& vocabulary() const override { return m_vocabulary; }

    Result<PromptPlan> plan(const GenerateRequest& request) const override {
        INGLE_TRY_ASSIGN(session::PlannedPrompt planned, session::planPrompt(m_model->opened(), request));
        return planned.plan;
    }

    Result<GenerationId> submit(GenerateRequest request, GenerateSink& sink) override {
        const std::scoped_lock lock(m_mutex);
        m_queue.push_back(std::make_unique<Generation>(m_nextId, std::move(request), sink));
        return m_nextId++;
    }

    bool step() override {
        Generation* current = nullptr;
        {
            const std::scoped_lock lock(m_mutex);
            if (m_queue.empty()) return false;
            current = m_queue.front().get();
        }
        if (current->step(*m_model, m_sequence) == Generation::Outcome::Running) return true;
        const std::scoped_lock lock(m_mutex);
        m_queue.pop_front();
        return !m_queue.empty();
    }

    void cancel(GenerationId id) override {
        const std::scoped_lock lock(m_mutex);
        for (const auto& generation : m_queue) {
            if (generation->id() == id) generation->cancel();
        }
    }

    Status logits(std::span<const TokenId> tokens, uint32_t chunkTokens,
                  const std::function<void(std::span<const float>)>& row) override {
        const uint32_t chunk = chunkTokens > 0 ? chunkTokens : session::Model::kPrefillTokens;
        INGLE_TRY_ASSIGN(const auto program, m_model->compileAllLogits(chunk));
        INGLE_TRY(m_sequence.memory->truncate(0));
        m_sequence.ids.clear();
        std::vector<uint32_t> rows(chunk);
        for (uint32_t i = 0; i < chunk; ++i) rows[i] = i;
        for (size_t at = 0; at < tokens.size(); at += chunk) {
            const auto count = static_cast<uint32_t>(std::min<size_t>(chunk, tokens.size() - at));
            INGLE_TRY(m_sequence.feed(*program, tokens.subspan(at, count), std::span(rows).first(count)));
            for (uint32_t i = 0; i < count; ++i) {
                INGLE_TRY_ASSIGN(const std::span<const float> values, program->readLogits(i));
                row(values);
            }
        }
        return {};
    }

  private:
    std::unique_ptr<session::Model> m_model;
    TokenizerVocabulary m_vocabulary;
    session::CachedSequence m_sequence;
    std::mutex
        m_mutex;  ///< guards the queue's structure; generations themselves belong to the stepping thread
    std::deque<std::unique_ptr<Generation>> m_queue;
    GenerationId m_nextId = 1;
};

}  // namespace

Result<ModelInfo> inspectModel(const std::string& path, const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const auto model, session::openModel(path, options));
    return model->info;
}

Result<std::unique_ptr<Vocabulary>> Vocabulary::open(const std::string& path) {
    INGLE_TRY_ASSIGN(const formats::ModelFile file, formats::openModelFile(path));
    INGLE_TRY_ASSIGN(auto tokenizer, tokenizer::createTokenizer(file.tokenizer));
    if (!tokenizer) return fail(ErrorCode::Unsupported, "{}: the file has no tokenizer", path);
    return std::make_unique<FileVocabulary>(std::move(tokenizer));
}

Result<std::unique_ptr<Engine>> Engine::load(const std::string& path, const LoadOptions& options,
                                             const ProgressFn& progress) {
    INGLE_TRY_ASSIGN(auto model, session::Model::load(path, options, progress));
    auto engine = std::make_unique<SequentialEngine>(std::move(model));
    INGLE_TRY(engine->createSequence());
    return engine;
}

}  // namespace ingle
