/// One answer being made: what it wants to feed in the next step, and what it makes of the logits.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <vector>

#include "engine/sampling/sampler.h"
#include "engine/session/conversations/answer_rules.h"
#include "engine/session/conversations/answer_text.h"
#include "engine/session/conversations/cached_sequence.h"
#include "engine/session/conversations/prompt_planner.h"
#include "engine/session/conversations/speculation.h"
#include "ingle/engine.h"
#include "ingle/error_ids.h"
#include "ingle/stop_scope.h"

namespace ingle::session {

/// True when tokens are no text: everything the model has is chosen from, and nothing ends the answer.
inline bool idsOnly(const GenerateRequest& request) {
    return request.messages.empty() && request.rawPrompt.empty() && !request.idsAreText;
}
/// How many of a row of logits are chosen from. Vocabularies are padded: ids without a token must not be.
size_t choicesOf(const OpenedModel& model, const GenerateRequest& request, size_t numLogits);
/// How many of the last `ids` none of the sampler's sequence breakers interrupts.
size_t unbrokenTokens(const OpenedModel& model, const GenerateRequest& request, std::span<const TokenId> ids);

/// First prepare() and plan(), then begin() with a sequence, then for each step: feed the sequence what
/// next() says, tell fed(), and give the logits of the last token to take() if wantsLogits(). When the
/// sequence is lost, suspend(), and begin() again with another. One thread, but cancel() and prepare().
class Generation {
  public:
    Generation(GenerationId id, GenerateRequest request, GenerateSink& sink)
        : m_id(id), m_request(std::move(request)), m_sink(sink) {}

    GenerationId id() const { return m_id; }
    void cancel() { m_cancelled = true; }
    bool cancelled() const { return m_cancelled; }
    const std::string& conversation() const { return m_request.conversation; }

    /// What takes long where a model file or a grammar wants it to.
    struct Prepared {
        PlannedPrompt prompt;
        std::optional<AnswerRules> rules;  ///< behind what the answer has already
    };
    /// Renders and tokenizes the prompt, and compiles what the answer has to follow. Any thread. Errors: as
    /// planPrompt(), AnswerRules::create(); InvalidArgument for resumed ids that cannot be.
    Result<Prepared> prepare(const OpenedModel& model) const;
    /// True when that takes longer than others should wait for it.
    bool isLong() const;
    /// While it is being prepared: tells the sink how much of its pictures is encoded.
    void tellPictures();
    /// Takes what prepare() gave. Errors: InvalidArgument.
    Status plan(const OpenedModel& model, Prepared prepared);
    /// Prompt, then the answer so far.
    std::span<const TokenId> ids() const { return m_ids; }
    /// The same, with the part of the prompt that is read as a whole.
    SequenceText text() const { return {m_ids, m_prefixTokens}; }
    /// The pictures of the prompt.
    const PromptPictures& pictures() const { return m_prompt.pictures; }
    /// Goes on from what `sequence` holds, a beginning of ids(); tells the sink the plan, the first time.
    void begin(Model& model, CachedSequence sequence);
    bool begun() const { return m_sequence.memory != nullptr; }
    /// Behind begin(): false while it is not known yet where messages end.
    bool mayRead(std::chrono::milliseconds patience);
    const CachedSequence& sequence() const { return m_sequence; }
    CachedSequence takeSequence() { return std::move(m_sequence); }
    /// Lets go of its sequence.
    void suspend();
    /// True from the first begin() on.
    bool started() const { return m_started; }
    /// Tells the sink, after the plan.
    void deviceChanged(const DeviceStatus& status);

    /// True until everything that was there at the beginning has been fed.
    bool reading() const { return m_sequence.ids.size() < m_readEnd; }
    /// True when a prefix, or a picture whose rows see each other, is read next: all of it in one step.
    bool mustReadWhole() const {
        const size_t done = m_sequence.ids.size();
        return done < m_prefixTokens || (m_readsPicturesWhole && m_prompt.pictures.at(done) != nullptr);
    }
    /// The next tokens to feed: one while answering, at most `most` while reading, but a prefix at once.
    /// Reading stops where a message ends whose state could not be had any more otherwise, and where rows of
    /// a picture begin or end.
    std::span<const TokenId> next(size_t most) const;
    /// What a step feeds: tokens, of which the last may be guesses.
    struct Feed {
        std::span<const TokenId> tokens;
        size_t numGuesses = 0;

        std::span<const TokenId> certain() const { return tokens.first(tokens.size() - numGuesses); }
        std::span<const TokenId> guesses() const { return tokens.last(numGuesses); }
    };
    /// Of an answer: all that is not fed yet, and guesses where they are worth it. Valid until the next call.
    Feed nextWithGuesses(const OpenedModel& model, Speculation::Outlook outlook, const StepCosts& costs);
    /// Whether a step with guesses is worth more than one without.
    bool wantsToGuess(const OpenedModel& model, Speculation::Outlook outlook, const StepCosts& costs);
    /// One of them is what was chosen.
    void noteTaken() { ++m_stats.takenTokens; }
    /// Of the guesses that were fed, `taken` were right.
    void noteGuesses(size_t guessed, size_t taken) { m_speculation->note(guessed, taken); }
    /// Hidden rows of its tokens from number `first` on, for what it guesses from.
    void see(size_t first, std::span<const float> rows, size_t width) {
        if (m_speculation) m_speculation->see(first, rows, width);
    }
    /// Where it guesses from; null: not at all. Before the first step.
    void speculate(std::unique_ptr<Speculation> speculation) { m_speculation = std::move(speculation); }
    /// `count` tokens of next() are in the sequence now.
    void fed(size_t count);
    /// True when the tokens fed so far end where the next one is to be chosen.
    bool wantsLogits() const { return m_sequence.ids.size() == m_ids.size(); }
    /// Where behind the first `tokens` messages end that are in the sequence now: worth keeping.
    std::span<const size_t> messageEndsSince(size_t tokens) const {
        const auto begin = std::ranges::upper_bound(m_messageEnds, tokens);
        return {begin, std::ranges::upper_bound(m_messageEnds, m_sequence.ids.size())};
    }

    /// Of these ends, the one that the next turn goes on from, and the one that chats of one beginning share.
    bool isWorthACopy(size_t messageEnd) const {
        return messageEnd == m_messageEnds.front() || messageEnd == m_messageEnds.back();
    }

    enum class Outcome { Running, Finished };
    /// Chooses the next token and tells the sink. After Finished the sink has had onDone.
    Outcome take(const OpenedModel& model, std::span<const float> logits);
    /// The same with a token that was chosen as decodeRow() says. `chances`: its, where they are wanted.
    Outcome take(const OpenedModel& model, TokenId id, std::vector<TokenChances> chances = {});
    /// What a backend that chooses tokens by itself is to do. Not while reading.
    backend::DecodeRow decodeRow(const OpenedModel& model) const;
    /// For so many steps: until a page is full or a limit reached.
    uint32_t stepsAhead() const;
    /// False when more is to be done with logits than to sample: decodeRow() must not be used.
    bool mayDecodeAhead() const { return !m_rules && m_request.chances == 0 && pictures().empty(); }
    /// Ends before the next step when a limit is reached or it was cancelled.
    Outcome checkLimits();
    /// True when checkLimits() would end it.
    bool atLimit() const { return limitReached() || (m_rules && m_rules->mustEnd()); }
    /// The sink has had onError.
    void failWith(const Error& error) { m_sink.onError(withCodeId(error)); }

  private:
    using Clock = std::chrono::steady_clock;

    /// What the next token of the answer adds to its text.
    AnswerText::Output say(const OpenedModel& model, TokenId id);
    AnswerText::Marks marks() const;
    Outcome finish(StopReason reason);
    /// Adds the time since it began to the statistics.
    void endPhase();
    std::optional<StopReason> limitReached() const;
    /// How many tokens an answer may have that nobody continues.
    uint32_t answerLimit() const;
    /// Before a limit is reached.
    size_t tokensLeft() const;
    /// Guesses that limits and memory leave room for.
    size_t mostGuesses(const OpenedModel& model) const;

    const GenerationId m_id;
    const GenerateRequest m_request;
    GenerateSink& m_sink;
    std::atomic<bool> m_cancelled{false};
    mutable std::atomic<double> m_encoded{0};  ///< of its pictures, by prepare()
    double m_toldEncoded = 0;

    PlannedPrompt m_prompt;
    std::vector<TokenId> m_ids;
    uint32_t m_prefixTokens = 0;                    ///< see backend::SequenceRun
    bool m_readsPicturesWhole = false;              ///< see Sight
    std::vector<size_t> m_messageEnds;              ///< whose states are to be kept, ascending
    const backend::MemorySpec* m_memory = nullptr;  ///< set by begin()
    CachedSequence m_sequence;
    size_t m_leastStop = 0;  ///< before it, no message's end is worth a step of its own
    size_t m_readEnd = 0;    ///< how many ids there were to read before the next new one
    bool m_started = false;
    std::optional<DeviceStatus> m_untoldDevice;  ///< changed before the plan was told
    uint64_t m_answerLength = 0;
    sampling::Sampler m_sampler;
    AnswerText m_text;
    std::optional<AnswerRules> m_rules;  ///< what the answer has to follow
    std::unique_ptr<Speculation> m_speculation;
    std::vector<TokenId> m_guessed;  ///< what is fed with guesses
    GenerateStats m_stats;
    Clock::time_point m_phaseBegin;                 ///< when reading, then when answering began
    std::future<std::vector<size_t>> m_endsToCome;  ///< on another thread; last, since it uses the others
};

}  // namespace ingle::session
