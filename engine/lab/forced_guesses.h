/// Guesses that are right as often as is wanted: for tests, and to measure what guessing is worth.
#pragma once

#include <utility>
#include <vector>

#include "engine/sampling/sampler.h"
#include "engine/session/conversations/speculation.h"

namespace ingle::lab {

/// Knows the answer that comes, and spoils each token of it with a chance of 1 − `share`.
class ForcedGuesses final : public session::GuessSource {
  public:
    ForcedGuesses(std::vector<TokenId> answer, double share) : m_answer(std::move(answer)), m_share(share) {}

    void guess(std::span<const TokenId>, size_t position, size_t most,
               std::vector<TokenId>& guesses) override {
        constexpr uint64_t kSeed = 11;
        for (size_t at = position; at < m_answer.size() && at < position + most; ++at) {
            const bool isRight = sampling::uniform(kSeed, at) < m_share;
            const TokenId wrong = m_answer[at] == 0 ? 1 : m_answer[at] - 1;
            guesses.push_back(isRight ? m_answer[at] : wrong);
        }
    }

  private:
    std::vector<TokenId> m_answer;
    double m_share;
};

}  // namespace ingle::lab
