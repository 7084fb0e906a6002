#include "engine/lab/perplexity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/session/loading/model.h"

namespace ingle::lab {
namespace {

constexpr uint32_t kDefaultWindow = 512;

/// -ln softmax(logits)[id].
double surprise(std::span<const float> logits, TokenId id) {
    const double best = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - best);
    return std::log(sum) + best - logits[static_cast<size_t>(id)];
}

}  // namespace

Result<PerplexityResult> perplexity(const std::string& path, const LoadOptions& load, std::string_view text,
                                    uint32_t windowTokens, const ProgressFn& progress) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, session::Model::load(source, load, nullptr));
    const session::OpenedModel& opened = model->opened();
    if (!opened.tokenizer) return fail(ErrorCode::Unsupported, "{}: the file has no tokenizer", path);
    const tokenizer::TextSegment segment{std::string(text)};
    INGLE_TRY_ASSIGN(std::vector<TokenId> ids, opened.tokenizer->encode({&segment, 1}, /*addSpecial=*/false));
    const tokenizer::TextSegment nothing;
    INGLE_TRY_ASSIGN(const std::vector<TokenId> specials,
                     opened.tokenizer->encode({&nothing, 1}, /*addSpecial=*/true));
    const auto bos = opened.file.tokenizer.bos;
    const bool startsWithBos = bos && !specials.empty() && specials.front() == *bos;
    if (startsWithBos) ids.insert(ids.begin(), *bos);

    uint32_t window = windowTokens > 0 ? windowTokens : kDefaultWindow;
    if (opened.contextTokens > 0) window = std::min(window, opened.contextTokens);
    if (window < 2 || ids.size() < window) {
        return fail(ErrorCode::InvalidArgument, "the text has {} tokens, fewer than a window of {}",
                    ids.size(), window);
    }
    constexpr uint32_t kChunk = session::Model::kPrefillTokens;
    INGLE_TRY_ASSIGN(const auto program, model->compileAllLogits(kChunk));
    INGLE_TRY_ASSIGN(const auto sequence, model->memory().createSequence());
    PerplexityResult result;
    double sum = 0;
    double sumOfSquares = 0;
    const size_t numWindows = ids.size() / window;
    for (size_t w = 0; w < numWindows; ++w) {
        if (progress)
            progress(static_cast<double>(w) / static_cast<double>(numWindows), "predicting the text");
        std::vector<TokenId> tokens(ids.begin() + static_cast<std::ptrdiff_t>(w * window),
                                    ids.begin() + static_cast<std::ptrdiff_t>((w + 1) * window));
        if (startsWithBos) tokens.front() = *bos;
        INGLE_TRY(sequence->truncate(0));
        for (uint32_t at = 0; at < window; at += kChunk) {
            const uint32_t count = std::min(kChunk, window - at);
            // Row i predicts token i + 1.
            const uint32_t first = std::clamp(window / 2, at, at + count);
            const uint32_t last = std::min(at + count, window - 1);
            std::vector<uint32_t> rows;
            for (uint32_t i = first; i < last; ++i) rows.push_back(i - at);
            const backend::SequenceRun run{sequence.get(), count};
            INGLE_TRY(program->run({std::span(tokens).subspan(at, count), {&run, 1}, rows}));
            for (uint32_t i = 0; i < rows.size(); ++i) {
                INGLE_TRY_ASSIGN(const std::span<const float> logits, program->readOutput(i));
                const double value = surprise(logits, tokens[at + rows[i] + 1]);
                sum += value;
                sumOfSquares += value * value;
                ++result.numTokens;
            }
        }
    }
    const auto n = static_cast<double>(result.numTokens);
    const double mean = sum / n;
    result.perplexity = std::exp(mean);
    const double variance = std::max(0.0, sumOfSquares / n - mean * mean);
    // The exponential's slope carries the error of the mean over.
    result.standardError = n > 1 ? result.perplexity * std::sqrt(variance / (n - 1)) : 0;
    return result;
}

}  // namespace ingle::lab
