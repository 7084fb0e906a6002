/// Engine: the public face of loading and scheduling.
#include "ingle/engine.h"

#include <algorithm>
#include <numeric>

#include "engine/base/cpu_features.h"
#include "engine/formats/kind.h"
#include "engine/session/conversations/scheduler.h"
#include "engine/session/loading/speed_forecast.h"
#include "engine/session/pictures/picture_shelf.h"
#include "ingle/error_ids.h"

namespace ingle {
namespace {

class TokenizerVocabulary final : public Vocabulary {
  public:
    /// Null when the model has none.
    explicit TokenizerVocabulary(std::shared_ptr<const tokenizer::Tokenizer> tokenizer)
        : m_tokenizer(std::move(tokenizer)) {}

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

    const std::shared_ptr<const tokenizer::Tokenizer> m_tokenizer;
};

class ScheduledEngine final : public Engine {
  public:
    /// `draft` may be null.
    ScheduledEngine(std::unique_ptr<session::Model> model, std::unique_ptr<session::DraftModel> draft,
                    const Snapshots& snapshots)
        : m_model(std::move(model)),
          m_draft(std::move(draft)),
          m_vocabulary(std::make_shared<TokenizerVocabulary>(m_model->opened().tokenizer)),
          m_scheduler(*m_model, snapshots.store(), m_draft.get()) {
        if (!m_model->opened().sight) return;
        m_pictures = std::make_shared<session::PictureShelf>(*m_model, snapshots.store());
        m_model->showPictures(m_pictures);
    }

    const ModelInfo& info() const override { return m_model->info(); }
    std::shared_ptr<const Vocabulary> vocabulary() const override { return m_vocabulary; }

    Result<PromptPlan> plan(const GenerateRequest& request) const override {
        INGLE_TRY_ASSIGN(const session::PlannedPrompt planned,
                         session::planPrompt(m_model->opened(), request));
        return planned.plan;
    }

    Result<PromptPreview> preview(const GenerateRequest& request) const override {
        return session::previewPrompt(m_model->opened(), request);
    }

    Result<PromptSize> measure(std::span<const ChatMessage> messages) const override {
        return session::measurePrompt(m_model->opened(), messages);
    }

    Result<PictureFacts> findPicture(const std::string& hash) override {
        if (!m_pictures) return cannotSee();
        INGLE_TRY_ASSIGN(const auto known, m_pictures->find(hash));
        return session::factsOf(*known);
    }
    Result<PictureFacts> takePicture(const std::string& hash, const Picture& picture) override {
        if (!m_pictures) return cannotSee();
        INGLE_TRY_ASSIGN(const auto known, m_pictures->take(hash, picture));
        return session::factsOf(*known);
    }

    void refusePicture(const std::string& hash, const Error& why) override {
        if (m_pictures) m_pictures->refuse(hash, why);
    }

    Result<GenerationId> submit(GenerateRequest request, GenerateSink& sink) override {
        const auto& head = m_model->opened().head;
        if (request.guesses == Guesses::Draft && !m_draft && !(head && head->file))
            return fail(ErrorCode::InvalidArgument, "a draft model is to guess, and none was loaded");
        return m_scheduler.submit(std::move(request), sink);
    }
    Result<GenerationId> submit(ScoreRequest request, ScoreSink& sink) override {
        return m_scheduler.submit(std::move(request), sink);
    }
    Result<GenerationId> submit(ReadRequest request, ReadSink& sink) override {
        return m_scheduler.submit(std::move(request), sink);
    }
    Receipt receipt() const override {
        const LoadOptions& options = m_model->options();
        Receipt receipt{.program = {},
                        .modelPath = info().path,
                        .modelHash = m_scheduler.modelHash().value_or(""),
                        .backend = info().backend,
                        .device = info().device,
                        .instructions = {},
                        .kv = options.kv,
                        .activations = options.activations,
                        .referenceKernels = options.referenceKernels,
                        .contextTokens = info().contextTokens,
                        .overrides = options.overrides};
        if (info().onProcessor) {
            // The number of threads changes nothing.
            receipt.device = base::processorName();
            const auto isa = base::chooseIsa();
            if (isa)
                receipt.instructions = base::isaName(options.referenceKernels ? base::Isa::Scalar : *isa);
        }
        return receipt;
    }
    bool step() override { return m_scheduler.step(); }
    void cancel(GenerationId id) override { m_scheduler.cancel(id); }

    Status logits(std::span<const TokenId> tokens, uint32_t chunkTokens,
                  const std::function<void(std::span<const float>)>& row) override {
        const uint32_t prefix = m_model->opened().bound.facts().prefixTokens(tokens);
        const uint32_t chunk = chunkTokens > 0 ? chunkTokens : session::Model::kPrefillTokens;
        const uint32_t most = std::max(chunk, prefix);
        m_scheduler.settle();
        INGLE_TRY_ASSIGN(const auto program, m_model->compileAllLogits(most));
        INGLE_TRY_ASSIGN(const auto sequence, m_model->memory().createSequence());
        std::vector<uint32_t> rows(most);
        std::iota(rows.begin(), rows.end(), 0u);
        uint32_t count = 0;
        for (size_t at = 0; at < tokens.size(); at += count) {
            count = static_cast<uint32_t>(std::min<size_t>(at == 0 ? most : chunk, tokens.size() - at));
            const backend::SequenceRun run{sequence.get(), count, prefix};
            INGLE_TRY(program->run({tokens.subspan(at, count), {&run, 1}, std::span(rows).first(count)}));
            for (uint32_t i = 0; i < count; ++i) {
                INGLE_TRY_ASSIGN(const std::span<const float> values, program->readOutput(i));
                row(values);
            }
        }
        return {};
    }

  private:
    std::unique_ptr<session::Model> m_model;
    std::unique_ptr<session::DraftModel> m_draft;
    std::shared_ptr<const Vocabulary> m_vocabulary;
    session::Scheduler m_scheduler;
    std::shared_ptr<session::PictureShelf> m_pictures;  ///< null: the model cannot see
};

}  // namespace

Result<ModelInfo> inspectModel(const std::string& path, const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    const auto model = session::openModel(source, options);
    if (!model) return tl::unexpected(model.error());
    ModelInfo& info = (*model)->info;
    if (const auto speed = session::foretoldTokensPerSecond(**model, options))
        info.foretoldTokensPerSecond = *speed;
    return info;
}

Result<std::unique_ptr<Vocabulary>> Vocabulary::open(const std::string& path) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    const auto file = formats::openModelFile(source);
    if (!file) return tl::unexpected(formats::inWords(file.error(), path));
    INGLE_TRY_ASSIGN(auto tokenizer, tokenizer::createTokenizer(file->tokenizer));
    if (!tokenizer) return fail(ErrorCode::Unsupported, "{}: the file has no tokenizer", path);
    return std::make_unique<TokenizerVocabulary>(std::move(tokenizer));
}

Result<std::unique_ptr<Engine>> Engine::load(const std::string& path, const LoadOptions& options,
                                             const ProgressFn& progress, const Snapshots& snapshots) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    auto loaded = session::Model::load(source, options, progress);
    if (!loaded) return tl::unexpected(withModelId(std::move(loaded).error(), path));
    std::unique_ptr<session::Model> model = *std::move(loaded);
    if (model->opened().bound.facts().isClassifier)
        return withId<ErrorId::OnlyScores>(
            fail(ErrorCode::Unsupported,
                 "{}: the model scores pairs of texts and writes none; `ingle rerank` uses it", path),
            path);
    if (model->opened().bound.facts().pooling)
        return withId<ErrorId::OnlyEmbeds>(
            fail(ErrorCode::Unsupported,
                 "{}: the model makes embeddings of texts and writes none; `ingle embed` uses it", path),
            path);
    if (const auto speeds = session::rememberedSpeeds(options); speeds && model->info().onProcessor)
        model->info().foretoldTokensPerSecond =
            1 / session::foretoldSeconds(session::answerReads(model->opened(), options), *speeds);
    std::unique_ptr<session::DraftModel> draft;
    const auto& head = model->opened().head;
    if (!options.draft.empty() && !(head && head->file)) {  // no head, but a model
        auto guessing = session::DraftModel::load(options.draft, model->opened(), options);
        if (!guessing)
            return tl::unexpected<Error>(
                withId<ErrorId::DraftUnfit>(std::move(guessing).error(), options.draft));
        draft = std::move(*guessing);
    }
    return std::make_unique<ScheduledEngine>(std::move(model), std::move(draft), snapshots);
}

}  // namespace ingle
