#include "engine/session/conversations/token_odds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ingle::session {

TokenOdds::TokenOdds(const OpenedModel& model, std::span<const float> logits)
    : m_model(model), m_logits(logits), m_highest(*std::ranges::max_element(logits)) {
    for (const float logit : logits) m_sum += std::exp(double{logit} - m_highest);
}

ScoredToken TokenOdds::of(TokenId id) const {
    const double p = std::exp(double{m_logits[static_cast<size_t>(id)]} - m_highest) / m_sum;
    // Ids beyond the vocabulary are what tables are padded with.
    if (!m_model.tokenizer || static_cast<size_t>(id) >= m_model.tokenizer->vocabSize())
        return {.id = id, .p = p};
    std::string text = m_model.tokenizer->pieceBytes(id);
    const std::string* control = m_model.prompts->controlTokens().textOf(id);
    if (text.empty() && control) text = *control;
    return {id, std::move(text), p, m_model.tokenizer->isEndOfGeneration(id)};
}

std::vector<ScoredToken> TokenOdds::likeliest(size_t count, const std::vector<bool>* allowed) const {
    std::vector<TokenId> ids(m_logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    if (allowed) std::erase_if(ids, [allowed](TokenId id) { return !(*allowed)[static_cast<size_t>(id)]; });
    count = std::min(count, ids.size());
    const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(ids.begin(), middle, ids.end(), [this](TokenId a, TokenId b) {
        const float left = m_logits[static_cast<size_t>(a)], right = m_logits[static_cast<size_t>(b)];
        return left != right ? left > right : a < b;
    });
    std::vector<ScoredToken> tokens;
    for (const TokenId id : std::span(ids).first(count)) tokens.push_back(of(id));
    return tokens;
}

}  // namespace ingle::session
