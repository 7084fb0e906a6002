/// Guesses of what an answer goes on with. They are fed behind its last token, in the same step; since the
/// logits of a token do not depend on what is fed beside it, and the choice of a token on nothing but these
/// and what is before it, those that turn out to be chosen need no step of their own, and no answer changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ingle/types.h"

namespace ingle::session {

/// Where guesses of one answer come from.
class GuessSource {
  public:
    virtual ~GuessSource() = default;
    /// Adds to `guesses` up to `most` tokens that may follow `ids`, which is prompt and answer so far and
    /// grows from call to call. `position` is the next token's in the answer.
    virtual void guess(std::span<const TokenId> ids, size_t position, size_t most,
                       std::vector<TokenId>& guesses) = 0;
    /// False where there will be no guess of what follows `ids`; a guess itself may take longer.
    virtual bool mayGuess(std::span<const TokenId> /*ids*/) { return true; }
    /// Hidden rows of the model (Program::hiddenRows()), each `width` wide, of the tokens from number `first`
    /// of `ids` on. The same token may be shown again.
    virtual void see(size_t /*first*/, std::span<const float> /*rows*/, size_t /*width*/) {}
};

/// What followed the last tokens where they stood before: of all places the one before which most is the
/// same, and of those the last.
class LookUp final : public GuessSource {
  public:
    /// Guesses only where at least so many of the last tokens are the same.
    explicit LookUp(size_t shortestMatch = 2) : m_shortestMatch(shortestMatch) {}
    void guess(std::span<const TokenId> ids, size_t position, size_t most,
               std::vector<TokenId>& guesses) override;
    bool mayGuess(std::span<const TokenId> ids) override;

  private:
    size_t m_shortestMatch;
};

/// How long steps take. They are measured, since a row costs little where weights are read for all of them
/// (one of 1.1 billion weights: a fifteenth of a step), and much where experts are, or where kernels are
/// slow.
class StepCosts {
  public:
    /// A step of `answers` with `extraRows` beside the one that each of them needs.
    void note(size_t answers, size_t extraRows, double seconds);
    /// What an extra row takes, as a share of a step of so many answers without any. Nothing as long as
    /// there was no such step for a while: one is due.
    bool isKnown(size_t answers) const { return answers == m_answers && m_sinceBare < kBareEvery; }
    double ofRow() const { return isMeasured() ? m_ofRow : 1.0 / 12; }
    /// False as long as ofRow() is a guess itself: something else may have held up a single step.
    bool isMeasured() const { return m_numMeasured >= 2; }

  private:
    /// Steps after which one without extra rows is due: a context grows, and other programs come and go.
    static constexpr size_t kBareEvery = 64;

    size_t m_answers = 0;
    size_t m_sinceBare = 0;
    double m_bareSeconds = 0;
    double m_ofRow = 1;
    uint32_t m_numMeasured = 0;
};

/// The guesses of one answer: as many as are worth their rows, by what became of the ones before.
class Speculation {
  public:
    enum class Eagerness {
        WhenWorthIt,
        Always,  ///< as many as there is room for (tests)
    };
    explicit Speculation(std::unique_ptr<GuessSource> source, Eagerness eagerness = Eagerness::WhenWorthIt)
        : m_source(std::move(source)), m_eagerness(eagerness) {}

    /// A step that guesses may be part of.
    struct Outlook {
        size_t mostGuesses = 0;
        size_t answers = 1;
        size_t extraRows = 0;  ///< that it has without guesses
    };
    /// Whether guesses of what follows `ids` are worth a step. Where they are, the next call of guess() makes
    /// as many as were worth it.
    bool wants(std::span<const TokenId> ids, const Outlook& outlook, const StepCosts& costs);
    /// Adds guesses of what follows `ids`, from this position of the answer on, to `tokens` and returns how
    /// many.
    size_t guess(std::span<const TokenId> ids, size_t position, const Outlook& outlook,
                 const StepCosts& costs, std::vector<TokenId>& tokens);
    /// Of the guesses that were fed, `taken` were right.
    void note(size_t guessed, size_t taken);
    /// See GuessSource::see().
    void see(size_t first, std::span<const float> rows, size_t width) { m_source->see(first, rows, width); }

  private:
    size_t worthwhile(const Outlook& outlook, const StepCosts& costs);

    std::unique_ptr<GuessSource> m_source;
    Eagerness m_eagerness;
    size_t m_wanted = 0;     ///< what wants() found
    double m_chance = 0.5;   ///< that a guess is right, if those before it were
    uint32_t m_known = 0;    ///< outcomes that it is made of
    size_t m_without = 0;    ///< steps in a row for which no guess was worth it
    size_t m_patience = 32;  ///< of such steps, before one is tried all the same
};

}  // namespace ingle::session
