#include "engine/lab/perplexity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/lab/text_windows.h"

namespace ingle::lab {
namespace {

/// ln softmax(logits)[i] = logits[i] - this.
double logOfSum(std::span<const float> logits) {
    const double best = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - best);
    return std::log(sum) + best;
}

/// Mean of what is added, and how sure it is.
class Mean {
  public:
    void add(double value) {
        m_sum += value;
        m_sumOfSquares += value * value;
        ++m_count;
    }
    uint64_t count() const { return m_count; }
    double value() const { return m_sum / static_cast<double>(m_count); }
    double variance() const {
        return std::max(0.0, m_sumOfSquares / static_cast<double>(m_count) - value() * value());
    }
    double standardError() const {
        return m_count > 1 ? std::sqrt(variance() / static_cast<double>(m_count - 1)) : 0;
    }

  private:
    double m_sum = 0;
    double m_sumOfSquares = 0;
    uint64_t m_count = 0;
};

PerplexityResult perplexityOf(const Mean& surprise) {
    const double perplexity = std::exp(surprise.value());
    // The exponential's slope carries the error of the mean over.
    return {perplexity, perplexity * surprise.standardError(), surprise.count()};
}

void say(const ProgressFn& progress, size_t window, size_t count) {
    if (progress) progress(static_cast<double>(window) / static_cast<double>(count), "predicting the text");
}

/// The value below which `share` of them lie.
double quantile(std::vector<double>& values, double share) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return *at;
}

/// What a model said of the second half of a window.
struct Said {
    std::vector<float> logits;  ///< [positions, vocabulary]
    std::vector<TokenId> next;

    std::span<const float> row(size_t position) const {
        const size_t width = logits.size() / next.size();
        return std::span(logits).subspan(position * width, width);
    }
};

Result<Said> saidOf(TextWindows& windows, size_t window) {
    Said said;
    INGLE_TRY(windows.read(window, windows.tokensOfWindow() / 2,
                           [&](std::span<const float> logits, TokenId next) -> Status {
                               said.logits.insert(said.logits.end(), logits.begin(), logits.end());
                               said.next.push_back(next);
                               return {};
                           }));
    return said;
}

}  // namespace

Result<PerplexityResult> perplexity(const std::string& path, const LoadOptions& load, std::string_view text,
                                    uint32_t windowTokens, const ProgressFn& progress) {
    INGLE_TRY_ASSIGN(TextWindows windows, TextWindows::open(path, load, text, windowTokens));
    Mean surprise;
    for (size_t window = 0; window < windows.count(); ++window) {
        say(progress, window, windows.count());
        INGLE_TRY(windows.read(window, windows.tokensOfWindow() / 2,
                               [&](std::span<const float> logits, TokenId next) -> Status {
                                   surprise.add(logOfSum(logits) - logits[static_cast<size_t>(next)]);
                                   return {};
                               }));
    }
    return perplexityOf(surprise);
}

Result<DivergenceResult> divergence(const std::string& path, const std::string& basePath,
                                    const LoadOptions& load, std::string_view text, uint32_t windowTokens,
                                    const ProgressFn& progress) {
    INGLE_TRY_ASSIGN(TextWindows base, TextWindows::open(basePath, load, text, windowTokens));
    INGLE_TRY_ASSIGN(TextWindows windows, TextWindows::open(path, load, text, base.tokensOfWindow()));
    const std::string other = fmt::format(
        "{} and {} cut the text into other tokens: one was not made of the other", path, basePath);
    if (windows.count() != base.count() || windows.tokensOfWindow() != base.tokensOfWindow())
        return fail(ErrorCode::InvalidArgument, "{}", other);
    Mean surprise;
    Mean baseSurprise;
    Mean difference;
    Mean kept;
    Mean squares;
    Mean divergences;
    std::vector<double> each;
    for (size_t window = 0; window < base.count(); ++window) {
        say(progress, window, base.count());
        if (!std::ranges::equal(windows.tokens(window), base.tokens(window)))
            return fail(ErrorCode::InvalidArgument, "{}", other);
        INGLE_TRY_ASSIGN(const Said p, saidOf(base, window));
        INGLE_TRY_ASSIGN(const Said q, saidOf(windows, window));
        if (p.logits.size() != q.logits.size()) return fail(ErrorCode::InvalidArgument, "{}", other);
        for (size_t position = 0; position < p.next.size(); ++position) {
            const std::span<const float> ofBase = p.row(position);
            const std::span<const float> own = q.row(position);
            const double baseSum = logOfSum(ofBase);
            const double ownSum = logOfSum(own);
            double sum = 0;
            for (size_t id = 0; id < own.size(); ++id) {
                const double logP = ofBase[id] - baseSum;
                sum += std::exp(logP) * (logP - (own[id] - ownSum));
            }
            each.push_back(sum);
            divergences.add(sum);
            const auto next = static_cast<size_t>(p.next[position]);
            const double s = ownSum - own[next];
            const double baseS = baseSum - ofBase[next];
            surprise.add(s);
            baseSurprise.add(baseS);
            difference.add(s - baseS);
            const double delta = std::exp(-s) - std::exp(-baseS);
            squares.add(delta * delta);
            const bool same = std::ranges::max_element(own) - own.begin() ==
                              std::ranges::max_element(ofBase) - ofBase.begin();
            kept.add(same ? 1 : 0);
        }
    }
    DivergenceResult result;
    result.perplexity = perplexityOf(surprise);
    result.base = perplexityOf(baseSurprise);
    result.ratio = std::exp(difference.value());
    result.ratioError = result.ratio * difference.standardError();
    result.mean = divergences.value();
    result.meanError = divergences.standardError();
    result.median = quantile(each, 0.5);
    result.worstPercent = quantile(each, 0.99);
    result.largest = *std::ranges::max_element(each);
    result.sameBest = kept.value();
    result.rmsOfChange = std::sqrt(squares.value());
    return result;
}

}  // namespace ingle::lab
