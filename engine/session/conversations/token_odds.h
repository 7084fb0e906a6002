/// What a row of logits says of each token: softmax, as the model gives it.
#pragma once

#include <span>
#include <vector>

#include "engine/session/loading/model.h"
#include "ingle/types.h"

namespace ingle::session {

/// One thread; `model` and `logits` must outlive it.
class TokenOdds {
  public:
    /// `logits`: of all ids that are chosen from, one at least.
    TokenOdds(const OpenedModel& model, std::span<const float> logits);

    ScoredToken of(TokenId id) const;
    /// Ties by the lowest id. Of those that `allowed` has; null: of all.
    std::vector<ScoredToken> likeliest(size_t count, const std::vector<bool>* allowed = nullptr) const;

  private:
    const OpenedModel& m_model;
    const std::span<const float> m_logits;
    const double m_highest;
    double m_sum = 0;
};

}  // namespace ingle::session
