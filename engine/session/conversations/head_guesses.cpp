#include "engine/session/conversations/head_guesses.h"

#include <algorithm>
#include <limits>

#include "engine/base/check.h"
#include "engine/sampling/sampler.h"

namespace ingle::session {
namespace {

/// Rows that wait until a guess is wanted; of more, the last.
constexpr size_t kMostWaiting = 256;
/// What stood before is likelier to follow than what the head says where so many tokens are the same.
constexpr size_t kCertainMatch = 6;

}  // namespace

class HeadGuesses final : public GuessSource {
  public:
    HeadGuesses(HeadPredictor& head, SamplerParams sampler) : m_head(head), m_params(std::move(sampler)) {}

    void see(size_t first, std::span<const float> rows, size_t width) override {
        const size_t end = m_first + m_waiting.size() / width;
        if (first > end) beginAgain(first);
        const size_t known = first < end ? end - first : 0;
        if (known * width >= rows.size()) return;
        rows = rows.subspan(known * width);
        if (rows.size() > kMostWaiting * width) {
            const size_t left = rows.size() / width - kMostWaiting;
            beginAgain(std::max(first, end) + left);
            rows = rows.subspan(left * width);
        }
        m_waiting.insert(m_waiting.end(), rows.begin(), rows.end());
        if (m_waiting.size() <= kMostWaiting * width) return;
        // What is behind the gap is read as if it were the beginning.
        const size_t surplus = m_waiting.size() / width - kMostWaiting;
        m_waiting.erase(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(surplus * width));
        m_first += surplus;
        forget();
    }

    void guess(std::span<const TokenId> ids, size_t position, size_t most,
               std::vector<TokenId>& guesses) override {
        const size_t before = guesses.size();
        lookUp().guess(ids, position, most, guesses);
        if (guesses.size() > before || !m_head.isReady()) return;
        // Without a guess an answer goes on as well.
        if (!tryToGuess(ids, position, most, guesses)) beginAgain(ids.size());
    }

    bool mayGuess(std::span<const TokenId> ids) override {
        return m_head.isReady() || lookUp().mayGuess(ids);
    }

  private:
    LookUp& lookUp() { return m_head.isReady() ? m_certainLookUp : m_lookUp; }
    backend::SequenceMemory& sequence() const { return **m_sequence; }
    void forget() {
        if (m_sequence) m_sequence->reset();
    }

    Status tryToGuess(std::span<const TokenId> ids, size_t position, size_t most,
                      std::vector<TokenId>& guesses) {
        const size_t width = m_head.rowWidth();
        const size_t count = m_waiting.size() / width;
        if (count == 0 || m_first + count + 1 != ids.size()) return {};
        if (!m_sequence) m_sequence = m_head.createSequence();
        if (*m_sequence && sequence().length() + count + most > PredictionHead::kContext) forget();
        if (!*m_sequence) {
            INGLE_TRY_ASSIGN(*m_sequence, m_head.m_memory->createSequence());
        }
        for (size_t at = 0; at < count; at += PredictionHead::kStepTokens) {
            const size_t piece = std::min<size_t>(PredictionHead::kStepTokens, count - at);
            INGLE_TRY_ASSIGN(const std::span<const float> rows,
                             m_head.read(std::span(m_waiting).subspan(at * width, piece * width)));
            INGLE_TRY(feed(ids.subspan(m_first + at + 1, piece), rows));
        }
        m_waiting.clear();
        m_first += count;
        const uint32_t certain = sequence().length();
        std::vector<TokenId> history(ids.begin(), ids.end());
        for (size_t i = 0; i < most; ++i) {
            if (i > 0) {
                const std::span<const float> last = m_head.m_program->hiddenRows();
                const auto dim = static_cast<std::ptrdiff_t>(m_head.m_model.opened().head->bound.facts().dim);
                const std::vector<float> hidden(last.end() - dim, last.end());
                INGLE_TRY(feed({&history.back(), 1}, hidden));
            }
            INGLE_TRY_ASSIGN(const std::span<const float> choice, m_head.m_program->readOutput(0));
            const std::span<const float> logits = ofVocabulary(choice);
            const auto& tokenizer = m_head.m_model.opened().tokenizer;
            const size_t choices = tokenizer ? tokenizer->vocabSize() : logits.size();
            history.push_back(m_sampler.sample(logits.first(std::min(choices, logits.size())), m_params,
                                               history, position + i));
            guesses.push_back(history.back());
        }
        return sequence().truncate(certain);
    }

    /// The logits of all tokens: where the head has a few only, no other is chosen.
    std::span<const float> ofVocabulary(std::span<const float> logits) {
        const std::vector<TokenId>& tokens = m_head.m_model.opened().head->tokens;
        if (tokens.empty()) return logits;
        m_logits.assign(m_head.m_model.opened().bound.facts().vocabSize,
                        -std::numeric_limits<float>::infinity());
        for (size_t i = 0; i < tokens.size(); ++i) m_logits[static_cast<size_t>(tokens[i])] = logits[i];
        return m_logits;
    }

    /// Tokens, each with the hidden row of the one before it; the logits of the last one can be read then.
    Status feed(std::span<const TokenId> tokens, std::span<const float> rows) {
        const backend::SequenceRun run{m_sequence->get(), static_cast<uint32_t>(tokens.size())};
        const auto last = static_cast<uint32_t>(tokens.size() - 1);
        return m_head.m_program->run(
            {.tokens = tokens, .runs = {&run, 1}, .logitRows = {&last, 1}, .inputRows = rows});
    }

    void beginAgain(size_t first) {
        m_first = first;
        m_waiting.clear();
        forget();
    }

    HeadPredictor& m_head;
    const SamplerParams m_params;
    sampling::Sampler m_sampler;
    LookUp m_certainLookUp{kCertainMatch}, m_lookUp;
    std::shared_ptr<HeadPredictor::Sequence> m_sequence;  ///< null: nothing was read yet
    size_t m_first = 0;                                   ///< token of the first row that waits
    std::vector<float> m_waiting;                         ///< rows back to back
    std::vector<float> m_logits;
};

std::unique_ptr<HeadPredictor> HeadPredictor::create(Model& model) {
    if (!model.opened().head) return nullptr;
    std::unique_ptr<HeadPredictor> predictor(new HeadPredictor(model));
    predictor->move();
    return predictor;
}

void HeadPredictor::move() {
    for (const auto& known : m_sequences)
        if (const auto sequence = known.lock()) sequence->reset();
    clear();
    // Without a head answers go on as well.
    if (!build()) clear();
}

void HeadPredictor::clear() {
    m_scratch.reset();
    m_fusion.reset();
    m_program.reset();
    m_memory.reset();
}

Status HeadPredictor::build() {
    const PredictionHead& head = *m_model.opened().head;
    backend::Backend& model = m_model.placement().place().backend();
    if (!model.facts().hasHiddenRows)
        return fail(ErrorCode::Unsupported, "{} has no hidden rows", model.deviceName());
    backend::Backend& backend = model.forOthers();
    INGLE_TRY_ASSIGN(m_memory,
                     backend.createMemory(head.bound.definition->memory(),
                                          {.kv = m_model.options().kv,
                                           .maxTokens = PredictionHead::kContext * Model::kMaxDecoding,
                                           .maxLength = PredictionHead::kContext,
                                           .firstTokens = PredictionHead::kContext}));
    const LoadOptions& options = m_model.options();
    // The last, since it is asked whether it is there.
    INGLE_TRY_ASSIGN(auto program, backend.compile(lowerHead(head.graph, options), *m_memory));
    if (head.fusion) {
        INGLE_TRY_ASSIGN(m_fusion, backend.compile(lowerHead(head.fusion->graph, options), *m_memory));
        INGLE_TRY_ASSIGN(m_scratch, m_memory->createSequence());
    }
    m_program = std::move(program);
    return {};
}

std::shared_ptr<HeadPredictor::Sequence> HeadPredictor::createSequence() {
    std::erase_if(m_sequences, [](const auto& known) { return known.expired(); });
    auto sequence = std::make_shared<Sequence>();
    m_sequences.push_back(sequence);
    return sequence;
}

size_t HeadPredictor::rowWidth() const {
    const OpenedModel& model = m_model.opened();
    return model.bound.facts().dim * std::max<size_t>(1, model.handedOver.size());
}

Result<std::span<const float>> HeadPredictor::read(std::span<const float> rows) {
    if (!m_fusion) return rows;
    const std::vector<TokenId> tokens(rows.size() / rowWidth());  // nobody reads them
    const backend::SequenceRun run{m_scratch.get(), static_cast<uint32_t>(tokens.size())};
    INGLE_TRY(m_fusion->run({.tokens = tokens, .runs = {&run, 1}, .inputRows = rows}));
    INGLE_TRY(m_scratch->truncate(0));
    return m_fusion->hiddenRows();
}

std::unique_ptr<GuessSource> HeadPredictor::guesses(const SamplerParams& sampler) {
    return std::make_unique<HeadGuesses>(*this, sampler);
}

}  // namespace ingle::session
