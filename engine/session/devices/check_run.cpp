#include "engine/session/devices/check_run.h"

#include <algorithm>

#include "engine/graph/lower.h"

namespace ingle::session {
namespace {

/// sum((a-b)^2) / sum(b^2) that logits may differ by where activations stay floats. Adding in another order
/// costs 1e-12. A device may cut off the digits that f16 has no room for where the processor rounds: 2^-10 of
/// each key, value and scale of an 8-bit block, so 1e-6 of what attention gives; ten times that.
constexpr double kMaxError = 1e-5;
/// Where they may be rounded to bytes: a step of max/127 errs by step^2/12 in the mean, of each of 32 values
/// whose squares add up to max^2 at least, so 32 / (12 * 127^2) = 1.7e-4 a product. About ten in a row lead
/// to the logits of two layers, which is 2e-3; five times that, for rows in which large values cancel.
constexpr double kMaxErrorOfBytes = 1e-2;

}  // namespace

double maxErrorOf(const backend::Backend& device) {
    return device.roundsActivations() ? kMaxErrorOfBytes : kMaxError;
}

double errorOf(std::span<const float> values, std::span<const float> expected) {
    double error = 0, total = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        error += (double{values[i]} - expected[i]) * (double{values[i]} - expected[i]);
        total += double{expected[i]} * expected[i];
    }
    return error == 0 ? 0 : error / total;
}

Result<CheckRun> CheckRun::create(backend::Backend& backend, const models::BoundModel& model,
                                  uint32_t contextTokens, const LoadOptions& options, uint32_t maxRows) {
    CheckRun run;
    const uint32_t tokens = std::max({contextTokens, 2 * kMaxTokens, 2 * maxRows});
    INGLE_TRY_ASSIGN(run.m_memory, backend.createMemory(model.definition->memory(),
                                                        {.kv = options.kv,
                                                         .maxTokens = tokens,
                                                         .firstTokens = std::max(2 * kMaxTokens, 2 * maxRows),
                                                         .kvMemory = options.kvMemory}));
    INGLE_TRY_ASSIGN(graph::Graph graph, models::buildGraph(model));
    const graph::LowerOptions lower{maxRows, kMaxLogits,
                                    options.fuse ? graph::Fusion::On : graph::Fusion::Off};
    INGLE_TRY_ASSIGN(run.m_program, backend.compile(graph::lower(std::move(graph), lower), *run.m_memory));
    for (auto& sequence : run.m_sequences) {
        INGLE_TRY_ASSIGN(sequence, run.m_memory->createSequence());
    }
    run.m_vocabSize = model.facts().vocabSize;
    run.m_wholeTexts = model.facts().pooling.has_value();
    run.m_hasPrefixes = model.facts().readsPromptsWhole();
    return run;
}

Result<std::vector<float>> CheckRun::logits(const CheckStep& step) {
    std::vector<TokenId> tokens;
    std::vector<backend::SequenceRun> runs;
    for (size_t i = 0; i < step.rows.size(); ++i) {
        if (step.rows[i] == 0) continue;
        if (m_hasPrefixes && m_sequences[i]->length() == 0) m_prefixes[i] = step.rows[i];
        runs.push_back({m_sequences[i].get(), step.rows[i], m_prefixes[i]});
        for (uint32_t row = 0; row < step.rows[i]; ++row) tokens.push_back(nextToken());
    }
    return run(tokens, runs, step.logits);
}

Result<std::vector<float>> CheckRun::logitsAfter(std::span<const TokenId> tokens) {
    std::vector<backend::SequenceRun> runs;
    for (size_t i = 0; i < tokens.size(); ++i) runs.push_back({m_sequences[i].get(), 1, m_prefixes[i]});
    return run(tokens, runs, static_cast<uint32_t>(tokens.size()));
}

Result<std::unique_ptr<backend::DecodeQueue>> CheckRun::decodeAhead(std::span<const TokenId> tokens,
                                                                    uint32_t maxSteps) {
    backend::DecodeOrder order{.rows = {}, .maxSteps = maxSteps};
    for (size_t i = 0; i < tokens.size(); ++i)
        order.rows.push_back({.sequence = m_sequences[i].get(),
                              .token = tokens[i],
                              .sampler = {.temperature = 0},
                              .numIds = m_vocabSize,
                              .prefixTokens = m_prefixes[i]});
    return m_program->decodeAhead(order);
}

Result<std::vector<float>> CheckRun::prompt(uint32_t numTokens, uint32_t rowsPerStep) {
    INGLE_TRY(restart());
    m_token = 0;
    std::vector<TokenId> tokens(numTokens);
    for (TokenId& token : tokens) token = nextToken();
    // The last step has all of the logits.
    const uint32_t lastRows = std::max(kMaxLogits, (numTokens - 1) % rowsPerStep + 1);
    for (uint32_t at = 0; at < numTokens - lastRows;) {
        const uint32_t rows = std::min(rowsPerStep, numTokens - lastRows - at);
        const backend::SequenceRun one{m_sequences[0].get(), rows};
        INGLE_TRY(run(std::span(tokens).subspan(at, rows), {&one, 1}, 0));
        at += rows;
    }
    const backend::SequenceRun last{m_sequences[0].get(), lastRows};
    return run(std::span(tokens).last(lastRows), {&last, 1}, kMaxLogits);
}

Status CheckRun::restart() {
    for (const auto& sequence : m_sequences) INGLE_TRY(sequence->truncate(0));
    return {};
}

/// The logits of the last `numLogits` rows, back to back.
Result<std::vector<float>> CheckRun::run(std::span<const TokenId> tokens,
                                         std::span<const backend::SequenceRun> runs, uint32_t numLogits) {
    if (m_wholeTexts) INGLE_TRY(restart());
    const auto numRows = static_cast<uint32_t>(tokens.size());
    std::vector<uint32_t> logitRows;
    for (uint32_t row = numRows - numLogits; row < numRows; ++row) logitRows.push_back(row);
    INGLE_TRY(m_program->run({tokens, runs, logitRows}));
    std::vector<float> logits;
    for (uint32_t i = 0; i < numLogits; ++i) {
        INGLE_TRY_ASSIGN(const std::span<const float> row, m_program->readOutput(i));
        logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
}

TokenId CheckRun::nextToken() {
    m_token = (m_token + 7919) % m_vocabSize;
    return static_cast<TokenId>(m_token);
}

}  // namespace ingle::session
