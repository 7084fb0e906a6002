#include "engine/session/conversations/speculation.h"

#include <algorithm>
#include <utility>

namespace ingle::session {
namespace {

/// More tokens that are the same before a place say nothing more.
constexpr size_t kLongestMatch = 8;

/// The newest of so many figures has the weight of one of them.
constexpr double kMemory = 8;

/// Where no guess was worth it for so many steps, one is made, to see whether that is still so; more seldom
/// and more where a row costs so much that this would be felt.
constexpr size_t kTryAgainAfter = 32;
constexpr double kTryAgainCost = 0.005;

/// What slows a step down passes: the quick ones tell what it takes.
double towards(double before, double now) {
    return before + (now - before) / (now < before ? 2 : kMemory);
}

/// How many of the last tokens are the same as those before `at`.
size_t matchBefore(std::span<const TokenId> ids, size_t at) {
    size_t length = 0;
    while (length < std::min(at, kLongestMatch) && ids[at - 1 - length] == ids[ids.size() - 1 - length])
        ++length;
    return length;
}

}  // namespace

void LookUp::guess(std::span<const TokenId> ids, size_t /*position*/, size_t most,
                   std::vector<TokenId>& guesses) {
    if (ids.empty() || most == 0) return;
    size_t longest = m_shortestMatch - 1, found = 0;
    for (size_t at = ids.size() - 1; at > 0 && longest < kLongestMatch; --at) {
        if (ids[at - 1] != ids.back()) continue;
        const size_t length = matchBefore(ids, at);
        if (length <= longest) continue;
        longest = length;
        found = at;
    }
    if (found == 0) return;
    // What repeats itself goes on doing so.
    const auto following = ids.subspan(found);
    for (size_t i = 0; i < most; ++i) guesses.push_back(following[i % following.size()]);
}

bool LookUp::mayGuess(std::span<const TokenId> ids) {
    std::vector<TokenId> guesses;
    guess(ids, 0, 1, guesses);
    return !guesses.empty();
}

void StepCosts::note(size_t answers, size_t extraRows, double seconds) {
    if (extraRows == 0) {
        m_bareSeconds = answers == m_answers ? towards(m_bareSeconds, seconds) : seconds;
        m_answers = answers;
        m_sinceBare = 0;
        return;
    }
    ++m_sinceBare;
    if (answers != m_answers || m_bareSeconds <= 0) return;
    const double ofRow = std::clamp((seconds / m_bareSeconds - 1) / static_cast<double>(extraRows), 0.0, 1.0);
    m_ofRow = isMeasured() ? towards(m_ofRow, ofRow) : std::min(m_ofRow, ofRow);
    ++m_numMeasured;
}

size_t Speculation::worthwhile(const Outlook& outlook, const StepCosts& costs) {
    if (m_eagerness == Eagerness::Always) return outlook.mostGuesses;
    if (!costs.isKnown(outlook.answers)) return 0;
    // Tokens that the step is expected to give, for what it takes; each further guess counts only if all
    // before it are right.
    const auto rate = [&](double tokens, size_t guesses) {
        return tokens / (1 + costs.ofRow() * static_cast<double>(outlook.extraRows + guesses));
    };
    auto tokens = static_cast<double>(outlook.answers);
    double best = rate(tokens, 0), allRight = 1;
    size_t number = 0;
    const size_t most = costs.isMeasured() ? outlook.mostGuesses : std::min<size_t>(1, outlook.mostGuesses);
    for (size_t guesses = 1; guesses <= most; ++guesses) {
        allRight *= m_chance;
        tokens += allRight;
        if (rate(tokens, guesses) <= best) continue;
        best = rate(tokens, guesses);
        number = guesses;
    }
    if (number > 0) m_patience = kTryAgainAfter;
    if (number > 0 || outlook.mostGuesses == 0 || ++m_without < m_patience) return number;
    const auto affordable = static_cast<size_t>(costs.ofRow() / kTryAgainCost);
    m_without = 0;
    m_patience = std::max(kTryAgainAfter, std::min(2 * m_patience, affordable));
    return 1;
}

bool Speculation::wants(std::span<const TokenId> ids, const Outlook& outlook, const StepCosts& costs) {
    if (m_wanted == 0) m_wanted = worthwhile(outlook, costs);
    if (m_wanted > 0 && !m_source->mayGuess(ids)) m_wanted = 0;
    return m_wanted > 0;
}

size_t Speculation::guess(std::span<const TokenId> ids, size_t position, const Outlook& outlook,
                          const StepCosts& costs, std::vector<TokenId>& tokens) {
    const size_t before = tokens.size();
    size_t wanted = std::min(std::exchange(m_wanted, 0), outlook.mostGuesses);
    if (wanted == 0) wanted = worthwhile(outlook, costs);
    if (wanted > 0) m_source->guess(ids, position, wanted, tokens);
    return tokens.size() - before;
}

void Speculation::note(size_t guessed, size_t taken) {
    // Behind the first wrong one nothing is known.
    for (size_t i = 0; i < std::min(guessed, taken + 1); ++i) {
        m_known = std::min(m_known + 1, static_cast<uint32_t>(kMemory));
        m_chance += ((i < taken ? 1.0 : 0.0) - m_chance) / std::max(2.0, static_cast<double>(m_known));
    }
}

}  // namespace ingle::session
