#include "engine/session/conversations/draft.h"

#include <algorithm>
#include <tuple>

#include "engine/io/source.h"

namespace ingle::session {
namespace {

/// What the draft remembers at most: a guess gains little from what is further back, and an answer must not
/// wait for a second model that reads all of a long conversation.
constexpr uint32_t kContext = 2048;
/// Where it has to begin again, it does so that many tokens back.
constexpr size_t kBeginAgain = kContext / 2;

class DraftGuesses final : public GuessSource {
  public:
    DraftGuesses(Model& model, SamplerParams sampler) : m_model(model), m_params(std::move(sampler)) {}

    void guess(std::span<const TokenId> ids, size_t position, size_t most,
               std::vector<TokenId>& guesses) override {
        // Without a guess an answer goes on as well.
        static_cast<void>(tryToGuess(ids, position, most, guesses));
    }

  private:
    Status tryToGuess(std::span<const TokenId> ids, size_t position, size_t most,
                      std::vector<TokenId>& guesses) {
        INGLE_TRY(goBack(ids));
        // Reading is spread over steps, so that a cancel does not wait for it.
        const size_t begin = m_first + m_sequence.ids.size();
        const auto unread = ids.subspan(begin, std::min<size_t>(ids.size() - begin, Model::kPrefillTokens));
        INGLE_TRY(feed(unread));
        if (begin + unread.size() < ids.size()) return {};
        m_certain = {};
        if (m_model.memorySpec().hasStates()) {
            INGLE_TRY_ASSIGN(m_certain, m_sequence.fork(m_sequence.ids.size()));
        }
        std::vector<TokenId> history(ids.begin(), ids.end());
        for (size_t i = 0; i < most; ++i) {
            if (i > 0) INGLE_TRY(feed({&history.back(), 1}));
            INGLE_TRY_ASSIGN(const std::span<const float> logits, m_model.program().readOutput(0));
            const size_t choices =
                m_model.opened().tokenizer ? m_model.opened().tokenizer->vocabSize() : logits.size();
            history.push_back(m_sampler.sample(logits.first(std::min(choices, logits.size())), m_params,
                                               history, position + i));
            guesses.push_back(history.back());
        }
        return {};
    }

    /// Lets the sequence hold a beginning of what is to be read of `ids`, not all of it.
    Status goBack(std::span<const TokenId> ids) {
        const bool begins = m_sequence.memory && ids.size() > m_first;
        if (!begins || ids.size() + Model::kMaxDecoding > m_first + kContext) return beginAgain(ids);
        const auto wanted = ids.subspan(m_first, ids.size() - m_first - 1);
        const size_t common = commonPrefix(m_sequence.ids, wanted);
        if (common == m_sequence.ids.size()) return {};
        if (!m_sequence.memory->truncate(static_cast<uint32_t>(common))) {
            m_sequence = std::move(m_certain);
            if (!m_sequence.memory || commonPrefix(m_sequence.ids, wanted) < m_sequence.ids.size())
                return beginAgain(ids);
            return {};
        }
        m_sequence.ids.resize(common);
        return {};
    }

    Status beginAgain(std::span<const TokenId> ids) {
        m_first = ids.size() - std::min(ids.size(), kBeginAgain);
        m_sequence = {};
        m_certain = {};
        INGLE_TRY_ASSIGN(m_sequence.memory, m_model.memory().createSequence());
        return {};
    }

    /// The logits of the last one can be read then.
    Status feed(std::span<const TokenId> tokens) {
        const backend::SequenceRun run{m_sequence.memory.get(), static_cast<uint32_t>(tokens.size())};
        const auto last = static_cast<uint32_t>(tokens.size() - 1);
        const Status status = m_model.program().run({tokens, {&run, 1}, {&last, 1}});
        if (!status) {
            m_sequence = {};
            return status;
        }
        m_sequence.ids.insert(m_sequence.ids.end(), tokens.begin(), tokens.end());
        return {};
    }

    Model& m_model;
    const SamplerParams m_params;
    sampling::Sampler m_sampler;
    size_t m_first = 0;         ///< of all ids, where the sequence begins
    CachedSequence m_sequence;  ///< what was read, then what was guessed
    CachedSequence m_certain;   ///< before it was, where states cannot go back
};

}  // namespace

bool sameVocabulary(const formats::TokenizerData& a, const formats::TokenizerData& b) {
    const auto& [shorter, longer] = a.tokens.size() <= b.tokens.size() ? std::tie(a, b) : std::tie(b, a);
    if (!std::ranges::equal(shorter.tokens, std::span(longer.tokens).first(shorter.tokens.size())))
        return false;
    for (size_t id = shorter.tokens.size(); id < longer.tokens.size(); ++id)
        if (id >= longer.types.size() || longer.types[id] != formats::TokenType::Unused) return false;
    return a.model == b.model;
}

Result<std::unique_ptr<DraftModel>> DraftModel::load(const std::string& path, const OpenedModel& model,
                                                     const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    LoadOptions own = options;
    own.visionFile.clear();  // another model's
    own.backend = BackendChoice::Cpu;
    own.device.clear();
    own.contextTokens = kContext;
    own.overrides.clear();
    INGLE_TRY_ASSIGN(auto draft, Model::load(source, own, nullptr));
    const models::ModelFacts& facts = draft->opened().bound.facts();
    if (facts.pooling || facts.readsPromptsWhole())
        return fail(ErrorCode::InvalidArgument, "{}: such a model cannot guess what another one writes",
                    path);
    const bool fits = sameVocabulary(draft->opened().file.tokenizer, model.file.tokenizer) &&
                      (model.tokenizer || facts.vocabSize == model.bound.facts().vocabSize);
    if (!fits)
        return fail(ErrorCode::InvalidArgument,
                    "{}: a draft model needs the vocabulary of the model it is for, and this one has another",
                    path);
    return std::unique_ptr<DraftModel>(new DraftModel(std::move(draft)));
}

std::unique_ptr<GuessSource> DraftModel::guesses(const SamplerParams& sampler) {
    return std::make_unique<DraftGuesses>(*m_model, sampler);
}

}  // namespace ingle::session
