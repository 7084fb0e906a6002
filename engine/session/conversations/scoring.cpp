#include "engine/session/conversations/scoring.h"

#include <algorithm>

#include "engine/session/conversations/generation.h"
#include "engine/session/conversations/prompt_planner.h"
#include "engine/session/conversations/token_odds.h"

namespace ingle::session {
Status Scoring::plan(const OpenedModel& model) {
    INGLE_TRY_ASSIGN(const PlannedPrompt prompt, planPrompt(model, m_request.request));
    const size_t numIds = m_request.ids.size();
    if (m_request.top > kMostTop)
        return fail(ErrorCode::InvalidArgument, "the {} likeliest tokens: {} at most", m_request.top,
                    kMostTop);
    const uint32_t vocabSize = model.bound.facts().vocabSize;
    const size_t numChoices = choicesOf(model, m_request.request, vocabSize);
    for (const TokenId id : m_request.ids) {
        if (id < 0 || static_cast<size_t>(id) >= numChoices)
            return fail(ErrorCode::InvalidArgument, "token {} is outside the vocabulary of {}", id,
                        numChoices);
    }
    for (const auto& picture : prompt.shown.all())
        INGLE_TRY(model.pictures->encode(*picture, m_request.request.conversation, [](double) {}));
    m_pictures = prompt.pictures;
    m_readsPicturesWhole = model.sight && model.sight->readsWhole;
    INGLE_TRY(readText(model, prompt));
    INGLE_TRY_ASSIGN(m_rulesAtFirst, AnswerRules::create(model, m_request.request, prompt));
    for (uint32_t at = 0; m_rulesAtFirst && at < m_request.from; ++at)
        INGLE_TRY(m_rulesAtFirst->take(model, m_request.ids[at]));
    m_rules = m_rulesAtFirst;
    m_count = m_request.count > 0 ? m_request.count : numIds - m_request.from;
    m_promptTokens = prompt.ids.size();
    m_firstRow = m_promptTokens + m_request.from - 1;
    if (const uint32_t context = prompt.plan.contextTokens; context > 0 && m_firstRow + m_count > context)
        return fail(ErrorCode::InvalidArgument, "{} tokens do not fit the context of {}",
                    m_firstRow + m_count, context);
    m_scores.promptHash = prompt.plan.promptHash;
    m_ids = prompt.ids;
    m_prefixTokens = model.bound.facts().prefixTokens(m_ids);
    m_ids.insert(m_ids.end(), m_request.ids.begin(), m_request.ids.end());
    return {};
}

Status Scoring::readText(const OpenedModel& model, const PlannedPrompt& prompt) {
    const bool isText = model.tokenizer && !idsOnly(m_request.request);
    if (m_request.atByte >= 0) {
        if (!isText)
            return fail(ErrorCode::InvalidArgument, "an answer without text has no byte {}",
                        m_request.atByte);
        INGLE_TRY(findByte(model, AnswerText(m_request.request, prompt)));
    }
    const size_t numIds = m_request.ids.size();
    if (m_request.from > numIds || m_request.count > numIds + 1 - m_request.from)
        return fail(ErrorCode::InvalidArgument, "{} places from {} on of an answer of {} tokens",
                    m_request.count, m_request.from, numIds);
    m_scores.from = m_request.from;
    if (!isText) return {};
    AnswerText text(m_request.request, prompt);
    for (const TokenId id : std::span(m_request.ids).first(m_request.from))
        for (const PartPiece& piece : text.push(model, id).pieces) append(m_scores.before, piece);
    m_scores.withheld = text.withheld();
    return {};
}

Status Scoring::findByte(const OpenedModel& model, AnswerText text) {
    int64_t said = 0;  // bytes of text
    const auto add = [&said](const std::vector<PartPiece>& pieces) {
        for (const PartPiece& piece : pieces)
            if (piece.kind == PartKind::Text) said += std::ssize(piece.text);
    };
    const std::vector<TokenId>& ids = m_request.ids;
    const auto sizeOf = [&](size_t at) { return std::ssize(text.bytesOf(model, ids[at])); };
    size_t at = 0;
    while (at < ids.size()) {
        add(text.push(model, ids[at]).pieces);
        if (said > m_request.atByte) break;
        ++at;
    }
    if (at == ids.size() && at > 0) {
        add(text.finish());
        --at;
    }
    if (said <= m_request.atByte)
        return fail(ErrorCode::InvalidArgument, "an answer of {} bytes of text has no byte {}", said,
                    m_request.atByte);
    // Text may be given out later than its token came: counted back from the last token that was read.
    int64_t begin = said + std::ssize(text.withheld()) - sizeOf(at);
    while (begin > m_request.atByte && at > 0) begin -= sizeOf(--at);
    m_request.from = static_cast<uint32_t>(at);
    return {};
}

void Scoring::restart() {
    m_sequence = {};
    m_rules = m_rulesAtFirst;
    m_scores.positions.clear();
}

BackgroundTask::Next Scoring::next(size_t most, size_t mostRows) const {
    const size_t done = m_sequence.ids.size();
    const size_t row = nextRow();
    size_t end = done < row ? std::min(row, done + most) : std::min(m_firstRow + m_count, done + mostRows);
    end = m_pictures.endOfStep(done, std::max<size_t>(end, m_prefixTokens), m_readsPicturesWhole);
    return {std::span(m_ids).subspan(done, end - done), static_cast<uint32_t>(std::min(row, end) - done)};
}

void Scoring::fed(size_t count) {
    noteFed(count);
    m_sink.onProgress(static_cast<uint32_t>(m_sequence.ids.size()),
                      static_cast<uint32_t>(m_firstRow + m_count));
}

void Scoring::take(const OpenedModel& model, std::span<const float> logits) {
    logits = logits.first(choicesOf(model, m_request.request, logits.size()));
    const TokenOdds odds(model, logits);
    const size_t at = nextRow() + 1;  // of the place, among m_ids
    ScoredPosition& position = m_scores.positions.emplace_back();
    const std::span history = std::span(m_ids).first(at);
    const size_t unbroken = unbrokenTokens(model, m_request.request, history);
    const auto sample = [&](const std::vector<bool>* allowed) {
        return m_sampler.sample(logits, m_request.request.sampler, history, at - m_promptTokens, allowed,
                                unbroken);
    };
    const std::vector<bool>* allowed = nullptr;
    Result<TokenId> chosen = m_rules ? m_rules->choose(model, sample) : sample(nullptr);
    if (m_rules && m_request.top > 0 && chosen) allowed = m_rules->allowed(model).value_or(nullptr);
    // Where there is no way on the answer could not have come this far.
    position.chosen = odds.of(chosen ? *chosen : sample(nullptr));
    position.stored.id = -1;
    if (at < m_ids.size()) {
        position.stored = odds.of(m_ids[at]);
        position.margin =
            logits[static_cast<size_t>(position.chosen.id)] - logits[static_cast<size_t>(position.stored.id)];
    }
    position.top = odds.likeliest(m_request.top, allowed);
    // A token that the rules refuse is another one than is chosen here, which is all there is to tell.
    if (m_rules && at < m_ids.size() && !m_rules->take(model, m_ids[at])) m_rules.reset();
}

}  // namespace ingle::session
