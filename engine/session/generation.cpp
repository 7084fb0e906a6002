#include "engine/session/generation.h"

#include <algorithm>
#include <array>

namespace ingle::session {
namespace {

/// An answer nobody limited ends here: models without end tokens would go on for ever.
constexpr uint32_t kMaxAnswerTokens = 4096;
constexpr std::array<uint32_t, 1> kFirstRow{0};

double milliseconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

Result<size_t> CachedSequence::keepCommonPrefix(std::span<const TokenId> wanted,
                                                const backend::MemorySpec& spec) {
    const auto mismatch = std::ranges::mismatch(ids, wanted.first(wanted.size() - 1));
    auto common = static_cast<size_t>(mismatch.in1 - ids.begin());
    if (common < ids.size() && !spec.canTruncate()) common = 0;
    INGLE_TRY(memory->truncate(static_cast<uint32_t>(common)));
    ids.resize(common);
    return common;
}

Status CachedSequence::feed(backend::Program& program, std::span<const TokenId> tokens,
                            std::span<const uint32_t> logitRows) {
    const backend::SequenceRun run{memory.get(), static_cast<uint32_t>(tokens.size())};
    INGLE_TRY(program.run({tokens, {&run, 1}, logitRows}));
    ids.insert(ids.end(), tokens.begin(), tokens.end());
    return {};
}

Generation::Outcome Generation::step(Model& model, CachedSequence& sequence) {
    Result<Outcome> outcome = tryStep(model, sequence);
    if (outcome) return *outcome;
    m_sink.onError(outcome.error());
    return Outcome::Finished;
}

Result<Generation::Outcome> Generation::tryStep(Model& model, CachedSequence& sequence) {
    if (m_cancelled) return finish(StopReason::Cancelled);
    if (!m_started) {
        INGLE_TRY(start(model, sequence));
        m_started = true;
        return Outcome::Running;
    }
    const Clock::time_point begin = Clock::now();
    if (m_fed < m_prefillEnd) {
        INGLE_TRY(prefillChunk(model, sequence));
        m_stats.prefillMs += milliseconds(Clock::now() - begin);
        if (m_fed < m_prefillEnd) return Outcome::Running;
        if (const auto reason = limitReached(model, sequence)) return finish(*reason);
        return takeToken(model, model.prefillProgram());
    }
    if (const auto reason = limitReached(model, sequence)) return finish(*reason);
    INGLE_TRY(sequence.feed(model.decodeProgram(), std::span(m_ids).subspan(m_fed, 1), kFirstRow));
    ++m_fed;
    Result<Outcome> outcome = takeToken(model, model.decodeProgram());
    m_stats.decodeMs += milliseconds(Clock::now() - begin);
    return outcome;
}

Status Generation::start(Model& model, CachedSequence& sequence) {
    INGLE_TRY_ASSIGN(m_prompt, planPrompt(model.opened(), m_request));
    std::vector<std::string> stops = m_request.stops;
    if (!m_request.messages.empty()) {
        const auto formatStops = model.opened().promptFormat->stops;
        stops.insert(stops.end(), formatStops.begin(), formatStops.end());
    }
    m_decoder = tokenizer::StreamDecoder(std::move(stops));
    m_ids = m_prompt.ids;
    m_ids.insert(m_ids.end(), m_request.resumeIds.begin(), m_request.resumeIds.end());
    m_answerLength = m_request.resumeIds.size();
    // The text of these ids was given out before; the decoder only has to know where it stands.
    if (const auto& tokenizer = model.opened().tokenizer) {
        for (const TokenId id : m_request.resumeIds) {
            if (id < 0 || static_cast<size_t>(id) >= tokenizer->vocabSize()) {
                return fail(ErrorCode::InvalidArgument, "resumed token {} is outside the vocabulary of {}",
                            id, tokenizer->vocabSize());
            }
            m_decoder.push(tokenizer->pieceBytes(id));
        }
    }
    const uint32_t context = model.opened().contextTokens;
    if (context > 0 && m_ids.size() > context) {
        return fail(ErrorCode::InvalidArgument, "{} tokens do not fit the context of {}", m_ids.size(),
                    context);
    }
    INGLE_TRY_ASSIGN(m_fed, sequence.keepCommonPrefix(m_ids, model.memorySpec()));
    m_prefillEnd = m_ids.size();
    m_stats.promptTokens = m_prompt.plan.promptTokens;
    m_stats.cachedTokens = static_cast<uint32_t>(m_fed);
    m_sink.onPlan(m_prompt.plan);
    return {};
}

Status Generation::prefillChunk(Model& model, CachedSequence& sequence) {
    const size_t count = std::min<size_t>(Model::kPrefillTokens, m_prefillEnd - m_fed);
    const bool last = m_fed + count == m_prefillEnd;
    const std::array<uint32_t, 1> lastRow{static_cast<uint32_t>(count - 1)};
    const std::span<const uint32_t> logitRows =
        last ? std::span<const uint32_t>(lastRow) : std::span<const uint32_t>();
    INGLE_TRY(sequence.feed(model.prefillProgram(), std::span(m_ids).subspan(m_fed, count), logitRows));
    m_fed += count;
    m_sink.onProgress(static_cast<uint32_t>(m_fed), static_cast<uint32_t>(m_prefillEnd));
    return {};
}

std::optional<StopReason> Generation::limitReached(const Model& model, const CachedSequence& sequence) const {
    const uint32_t limit = m_request.maxTokens > 0 ? m_request.maxTokens : kMaxAnswerTokens;
    // Multiples, so that an answer continued after its limit may grow by as much again, while one continued
    // after a crash ends where it would have ended.
    const bool grew = m_answerLength > m_request.resumeIds.size();
    if (grew && m_answerLength % limit == 0) return StopReason::MaxTokens;
    const uint32_t context = model.opened().contextTokens;
    if (context > 0 && sequence.memory->length() >= context) {
        return StopReason::ContextFull;
    }
    return std::nullopt;
}

Result<Generation::Outcome> Generation::takeToken(Model& model, backend::Program& program) {
    INGLE_TRY_ASSIGN(std::span<const float> logits, program.readLogits(0));
    const tokenizer::Tokenizer* tokenizer = model.opened().tokenizer.get();
    const bool idsOnly = m_request.messages.empty() && m_request.rawPrompt.empty();
    // Vocabularies are padded: ids without a token must not be chosen.
    if (!idsOnly && tokenizer->vocabSize() < logits.size()) logits = logits.first(tokenizer->vocabSize());
    const TokenId id = m_sampler.sample(logits, m_request.sampler, m_answerLength);
    if (!idsOnly && tokenizer->isEndOfGeneration(id)) return finish(StopReason::EndOfText);

    m_ids.push_back(id);
    ++m_answerLength;
    ++m_stats.newTokens;
    TokenChunk chunk{.ids = {id}};
    bool stopped = false;
    if (!idsOnly) {
        tokenizer::StreamDecoder::Output output = m_decoder.push(tokenizer->pieceBytes(id));
        chunk.text = std::move(output.text);
        stopped = output.stopped;
    }
    m_sink.onTokens(chunk);
    return stopped ? finish(StopReason::EndOfText) : Outcome::Running;
}

Generation::Outcome Generation::finish(StopReason reason) {
    GenerateResult result{.reason = reason, .stats = m_stats};
    if (reason == StopReason::EndOfText) {
        // What was held back is text after all, unless a stop string ended the answer (then nothing is
        // pending).
        result.tail = m_decoder.finish();
    } else {
        result.withheld = m_decoder.withheld();
    }
    m_sink.onDone(result);
    return Outcome::Finished;
}

}  // namespace ingle::session
