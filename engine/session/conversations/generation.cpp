#include "engine/session/conversations/generation.h"
#include "engine/sampling/dry.h"
#include "engine/session/conversations/token_odds.h"
#include "ingle/error_ids.h"

#include <algorithm>
#include <utility>

namespace ingle::session {
namespace {

/// Are read again sooner than a step of their own is done, which reads all weights.
constexpr size_t kFewTokens = 8;

/// An answer nobody limited ends here: models without end tokens would go on for ever. What a model thinks
/// before it answers may be many times as long as the answer.
constexpr uint32_t kMaxAnswerTokens = 4096, kMaxThinkingTokens = 16384;

double milliseconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

size_t choicesOf(const OpenedModel& model, const GenerateRequest& request, size_t numLogits) {
    return idsOnly(request) ? numLogits : std::min(numLogits, model.tokenizer->vocabSize());
}

size_t unbrokenTokens(const OpenedModel& model, const GenerateRequest& request,
                      std::span<const TokenId> ids) {
    if (request.sampler.dryMultiplier <= 0 || idsOnly(request)) return ids.size();
    return sampling::tokensSinceBreak(ids, request.sampler.dryBreakers, [&](TokenId id) {
        return id < 0 ? std::string() : model.tokenizer->pieceBytes(id);
    });
}

bool Generation::isLong() const {
    size_t bytes = m_request.rawPrompt.size() + m_request.resumeText.size();
    bool hasPictures = false;
    for (const ChatMessage& message : m_request.messages) {
        for (const Part& part : message.parts) {
            bytes += part.text.size();
            hasPictures = hasPictures || part.kind == PartKind::Image;
        }
    }
    return hasPictures || bytes > kLongTextBytes;
}

Result<Generation::Prepared> Generation::prepare(const OpenedModel& model) const {
    const StopScope scope([this] { return cancelled(); });
    Prepared prepared;
    INGLE_TRY_ASSIGN(prepared.prompt, planPrompt(model, m_request));
    const auto pictures = prepared.prompt.shown.all();
    for (size_t i = 0; i < pictures.size(); ++i) {
        INGLE_TRY(model.pictures->encode(*pictures[i], m_request.conversation, [&](double fraction) {
            m_encoded = (static_cast<double>(i) + fraction) / static_cast<double>(pictures.size());
        }));
    }
    if (model.tokenizer) {
        for (const TokenId id : m_request.resumeIds) {
            if (id < 0 || static_cast<size_t>(id) >= model.tokenizer->vocabSize())
                return fail(ErrorCode::InvalidArgument, "resumed token {} is outside the vocabulary of {}",
                            id, model.tokenizer->vocabSize());
        }
    }
    INGLE_TRY_ASSIGN(prepared.rules, AnswerRules::create(model, m_request, prepared.prompt));
    if (!prepared.rules) return prepared;
    for (const TokenId id : prepared.prompt.begun) INGLE_TRY(prepared.rules->take(model, id));
    for (const TokenId id : m_request.resumeIds) INGLE_TRY(prepared.rules->take(model, id));
    return prepared;
}

void Generation::tellPictures() {
    const double encoded = m_encoded;
    if (encoded > std::exchange(m_toldEncoded, encoded)) m_sink.onPictures(encoded);
}

Status Generation::plan(const OpenedModel& model, Prepared prepared) {
    if (m_request.chances > kMostTop)
        return fail(ErrorCode::InvalidArgument, "the {} likeliest tokens: {} at most", m_request.chances,
                    kMostTop);
    m_prompt = std::move(prepared.prompt);
    m_rules = std::move(prepared.rules);
    m_text = AnswerText(m_request, m_prompt);
    m_ids = m_prompt.ids;
    m_prefixTokens = model.bound.facts().prefixTokens(m_ids);
    m_readsPicturesWhole = model.sight && model.sight->readsWhole;
    m_ids.insert(m_ids.end(), m_prompt.begun.begin(), m_prompt.begun.end());
    m_ids.insert(m_ids.end(), m_request.resumeIds.begin(), m_request.resumeIds.end());
    if (const uint32_t context = m_prompt.plan.contextTokens; context > 0 && m_ids.size() > context) {
        return withId<ErrorId::ConversationFull>(
            fail(ErrorCode::InvalidArgument, "{} tokens do not fit the context of {}", m_ids.size(), context),
            m_ids.size(), context);
    }
    m_answerLength = m_request.resumeIds.size();
    // The text of these ids was given out before; the decoder only has to know where it stands.
    if (model.tokenizer) {
        for (const TokenId id : m_prompt.begun) m_text.pass(model, id, marks());
        for (const TokenId id : m_request.resumeIds) say(model, id);
    }
    return {};
}

void Generation::begin(Model& model, CachedSequence sequence) {
    m_sequence = std::move(sequence);
    m_memory = &model.memorySpec();
    // Pages serve any beginning; a recurrent state only the one it belongs to, so each message's end counts.
    m_messageEnds.clear();
    if (!model.opened().bound.facts().readsPromptsWhole()) m_messageEnds = {m_prompt.messageTokens};
    if (model.memorySpec().hasStates() && !m_request.messages.empty())
        m_endsToCome =
            std::async(std::launch::async, [this, &opened = model.opened(), after = m_sequence.ids.size()] {
                const StopScope scope([this] { return cancelled(); });
                return messageEnds(opened, m_request, m_prompt, after);
            });
    m_leastStop = m_sequence.ids.size() + kFewTokens;
    m_readEnd = m_ids.size();
    m_phaseBegin = Clock::now();
    if (std::exchange(m_started, true)) return;
    m_stats.promptTokens = m_prompt.plan.promptTokens;
    m_stats.cachedTokens = static_cast<uint32_t>(m_sequence.ids.size());
    m_sink.onPlan(m_prompt.plan);
    if (m_untoldDevice) m_sink.onDevice(*m_untoldDevice);
}

bool Generation::mayRead(std::chrono::milliseconds patience) {
    if (!m_endsToCome.valid()) return true;
    if (m_endsToCome.wait_for(patience) != std::future_status::ready) return false;
    m_messageEnds = m_endsToCome.get();
    return true;
}

void Generation::suspend() {
    endPhase();
    m_sequence = {};
}

void Generation::deviceChanged(const DeviceStatus& status) {
    if (m_started)
        m_sink.onDevice(status);
    else
        m_untoldDevice = status;
}

void Generation::endPhase() {
    const Clock::time_point now = Clock::now();
    (reading() ? m_stats.prefillMs : m_stats.decodeMs) +=
        milliseconds(now - std::exchange(m_phaseBegin, now));
}

std::span<const TokenId> Generation::next(size_t most) const {
    const size_t done = m_sequence.ids.size();
    size_t end = std::min(m_ids.size(), std::max<size_t>(done + most, m_prefixTokens));
    const auto first = std::ranges::upper_bound(m_messageEnds, done);
    for (auto stop = std::ranges::lower_bound(m_messageEnds, end); stop != first;)
        if (*--stop >= m_leastStop && *stop < m_memory->statesReachBack(static_cast<uint32_t>(end)))
            end = *stop;
    end = m_prompt.pictures.endOfStep(done, end, m_readsPicturesWhole);
    return std::span(m_ids).subspan(done, end - done);
}

Generation::Feed Generation::nextWithGuesses(const OpenedModel& model, Speculation::Outlook outlook,
                                             const StepCosts& costs) {
    const std::span<const TokenId> certain = std::span(m_ids).subspan(m_sequence.ids.size());
    if (!m_speculation) return {certain};
    outlook.mostGuesses = std::min(outlook.mostGuesses, mostGuesses(model));
    m_guessed.assign(certain.begin(), certain.end());
    m_speculation->guess(m_ids, m_answerLength, outlook, costs, m_guessed);
    // What followed may have been a picture.
    const auto noToken = std::ranges::find_if(m_guessed, [](TokenId id) { return id < 0; });
    m_guessed.erase(noToken, m_guessed.end());
    const size_t guesses = m_guessed.size() - certain.size();
    m_stats.guessedTokens += static_cast<uint32_t>(guesses);
    return {m_guessed, guesses};
}

bool Generation::wantsToGuess(const OpenedModel& model, Speculation::Outlook outlook,
                              const StepCosts& costs) {
    outlook.mostGuesses = std::min(outlook.mostGuesses, mostGuesses(model));
    return m_speculation && m_speculation->wants(m_ids, outlook, costs);
}

size_t Generation::mostGuesses(const OpenedModel& model) const {
    return std::min<size_t>(tokensLeft() - 1,
                            model.shape.memory.mostGuesses(static_cast<uint32_t>(m_ids.size())));
}

void Generation::fed(size_t count) {
    const bool wasReading = reading();
    if (wasReading && m_sequence.ids.size() + count == m_readEnd) endPhase();
    const auto from = m_ids.begin() + static_cast<std::ptrdiff_t>(m_sequence.ids.size());
    m_sequence.ids.insert(m_sequence.ids.end(), from, from + static_cast<std::ptrdiff_t>(count));
    if (!wasReading) return;
    m_sink.onProgress(static_cast<uint32_t>(m_sequence.ids.size()), static_cast<uint32_t>(m_readEnd));
}

uint32_t Generation::answerLimit() const {
    if (m_request.maxTokens > 0) return m_request.maxTokens;
    return m_prompt.thinks ? kMaxThinkingTokens : kMaxAnswerTokens;
}

std::optional<StopReason> Generation::limitReached() const {
    if (m_cancelled) return StopReason::Cancelled;
    // Multiples, so that an answer continued after its limit may grow by as much again, while one continued
    // after a crash ends where it would have ended.
    const bool grew = m_answerLength > m_request.resumeIds.size();
    if (grew && m_answerLength % answerLimit() == 0) return StopReason::MaxTokens;
    // The last token of a full context is chosen, but there is no room to feed it.
    const uint32_t context = m_prompt.plan.contextTokens;
    if (context > 0 && m_ids.size() > context) return StopReason::ContextFull;
    return std::nullopt;
}

size_t Generation::tokensLeft() const {
    const uint32_t limit = answerLimit();
    const size_t left = limit - m_answerLength % limit;
    const uint32_t context = m_prompt.plan.contextTokens;
    return context > 0 ? std::min(left, context + 1 - m_ids.size()) : left;
}

Generation::Outcome Generation::checkLimits() {
    if (const auto reason = limitReached()) return finish(*reason);
    if (m_rules && m_rules->mustEnd()) return finish(StopReason::EndOfText);
    return Outcome::Running;
}

Generation::Outcome Generation::take(const OpenedModel& model, std::span<const float> logits) {
    logits = logits.first(choicesOf(model, m_request, logits.size()));
    const size_t unbroken = unbrokenTokens(model, m_request, m_ids);
    const auto sample = [&](const std::vector<bool>* allowed) {
        return m_sampler.sample(logits, m_request.sampler, m_ids, m_answerLength, allowed, unbroken);
    };
    const auto takeChosen = [&](TokenId id) {
        if (m_request.chances == 0) return take(model, id);
        const TokenOdds odds(model, logits);
        return take(model, id, {{odds.of(id), odds.likeliest(m_request.chances)}});
    };
    if (!m_rules) return takeChosen(sample(nullptr));
    const StopScope scope([this] { return cancelled(); });
    const auto id = m_rules->choose(model, sample);
    const Status taken = id ? m_rules->take(model, *id) : tl::unexpected<Error>(id.error());
    if (taken) return takeChosen(*id);
    if (cancelled()) return checkLimits();
    failWith(taken.error());
    return Outcome::Finished;
}

backend::DecodeRow Generation::decodeRow(const OpenedModel& model) const {
    return {.sequence = m_sequence.memory.get(),
            .token = m_ids[m_sequence.ids.size()],
            .sampler = m_request.sampler,
            .position = m_answerLength,
            .numIds = static_cast<uint32_t>(choicesOf(model, m_request, model.bound.facts().vocabSize)),
            .prefixTokens = m_sequence.prefixTokens};
}

uint32_t Generation::stepsAhead() const {
    const size_t ofPage = m_sequence.ids.size() % backend::kPageTokens;
    return static_cast<uint32_t>(std::min(backend::kPageTokens - ofPage, tokensLeft()));
}

Generation::Outcome Generation::take(const OpenedModel& model, TokenId id,
                                     std::vector<TokenChances> chances) {
    if (!idsOnly(m_request) && model.tokenizer->isEndOfGeneration(id)) return finish(StopReason::EndOfText);

    m_ids.push_back(id);
    ++m_answerLength;
    ++m_stats.newTokens;
    AnswerText::Output said;
    if (!idsOnly(m_request)) said = say(model, id);
    m_sink.onTokens({.ids = {id}, .pieces = std::move(said.pieces), .chances = std::move(chances)});
    return said.stopped ? finish(StopReason::EndOfText) : Outcome::Running;
}

AnswerText::Marks Generation::marks() const {
    // Marks inside an answer that follows rules are text of it.
    const bool areText = m_rules && m_rules->inAnswer() && !m_rules->justBegan();
    return areText ? AnswerText::Marks::AreText : AnswerText::Marks::BeginParts;
}

AnswerText::Output Generation::say(const OpenedModel& model, TokenId id) {
    return m_text.push(model, id, marks());
}

Generation::Outcome Generation::finish(StopReason reason) {
    if (begun() && !reading()) endPhase();
    GenerateResult result{.reason = reason, .stats = m_stats};
    if (m_rules && reason == StopReason::EndOfText) result.violation = m_rules->violation().value_or("");
    if (reason == StopReason::EndOfText) {
        // What was held back is text after all, unless a stop string ended the answer (then nothing is
        // pending).
        result.tail = m_text.finish();
    } else {
        result.withheld = m_text.withheld();
        result.unfinished = m_text.unfinished();
    }
    m_sink.onDone(result);
    return Outcome::Finished;
}

}  // namespace ingle::session
