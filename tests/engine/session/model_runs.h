/// Ways of feeding the same tokens to a model, whose results must be the same bits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/session/loading/model.h"

namespace ingle::test {

/// Feeds tokens to one sequence in steps of at most `chunk`, but a prefix in one, and keeps the logits of
/// every row.
class ModelRun {
  public:
    explicit ModelRun(session::Model& model, uint32_t maxChunk = 64)
        : m_facts(model.opened().bound.facts()),
          m_program(model.compileAllLogits(maxChunk).value()),
          m_sequence(model.memory().createSequence().value()) {}

    void feed(std::span<const TokenId> tokens, size_t chunk) {
        if (m_sequence->length() == 0) m_prefix = m_facts.prefixTokens(tokens);
        size_t count = 0;
        for (size_t at = 0; at < tokens.size(); at += count) {
            count = std::max(chunk, m_sequence->length() == 0 ? size_t{m_prefix} : 0);
            count = std::min(count, tokens.size() - at);
            const auto part = tokens.subspan(at, count);
            std::vector<uint32_t> rows(part.size());
            for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
            const backend::SequenceRun run{m_sequence.get(), static_cast<uint32_t>(part.size()), m_prefix};
            const Status status = m_program->run({part, {&run, 1}, rows});
            ASSERT_TRUE(status) << status.error().message;
            for (uint32_t i = 0; i < rows.size(); ++i) {
                const auto logits = m_program->readOutput(i);
                ASSERT_TRUE(logits) << logits.error().message;
                m_logits.insert(m_logits.end(), logits->begin(), logits->end());
            }
        }
    }

    /// Another run's, of which it is a copy or which it was restored from.
    void replaceSequence(std::unique_ptr<backend::SequenceMemory> sequence, const ModelRun& from) {
        m_sequence = std::move(sequence);
        m_prefix = from.m_prefix;
    }
    backend::SequenceMemory& sequence() { return *m_sequence; }
    /// [numTokens, vocab], of everything fed so far.
    const std::vector<float>& logits() const { return m_logits; }

  private:
    const models::ModelFacts& m_facts;
    std::unique_ptr<backend::Program> m_program;
    std::unique_ptr<backend::SequenceMemory> m_sequence;
    uint32_t m_prefix = 0;  ///< see backend::SequenceRun
    std::vector<float> m_logits;
};

inline std::vector<float> logitsInChunks(session::Model& model, std::span<const TokenId> tokens,
                                         size_t chunk) {
    ModelRun run(model);
    run.feed(tokens, chunk);
    return run.logits();
}

/// Saved in the middle, restored into a fresh sequence, and gone on with.
inline std::vector<float> logitsOverSaveAndRestore(session::Model& model, std::span<const TokenId> tokens) {
    const size_t half = tokens.size() / 2;
    ModelRun first(model);
    first.feed(tokens.first(half), 64);
    const auto saved = first.sequence().save();
    EXPECT_TRUE(saved);
    ModelRun second(model);
    auto restored = model.memory().createSequence().value();
    EXPECT_TRUE(restored->restore(*saved));
    EXPECT_EQ(restored->length(), half);
    second.replaceSequence(std::move(restored), first);
    second.feed(tokens.subspan(half), 64);
    std::vector<float> logits = first.logits();
    logits.insert(logits.end(), second.logits().begin(), second.logits().end());
    return logits;
}

/// The same, but other tokens came before it was saved: where states can go back, that changes nothing.
inline std::vector<float> logitsOverALateSave(session::Model& model, std::span<const TokenId> tokens) {
    const size_t half = tokens.size() / 2, late = half + 5;
    ModelRun first(model);
    first.feed(tokens.first(half), 64);
    const std::vector<float> before = first.logits();
    first.feed(tokens.first(5), 64);
    const uint32_t firstKept = first.sequence().firstKept();
    const auto saved = first.sequence().save({firstKept, static_cast<uint32_t>(half) - firstKept});
    const bool reaches = model.memorySpec().statesReachBack(static_cast<uint32_t>(late)) <= half;
    EXPECT_EQ(saved.has_value(), reaches);
    if (!saved) return logitsOverSaveAndRestore(model, tokens);
    ModelRun second(model);
    auto restored = model.memory().createSequence().value();
    EXPECT_TRUE(restored->restore(*saved));
    second.replaceSequence(std::move(restored), first);
    second.feed(tokens.subspan(half), 64);
    std::vector<float> logits = before;
    logits.insert(logits.end(), second.logits().begin(), second.logits().end());
    return logits;
}

/// In one step with seven other sequences, of which every second one has more rows, in chunks of 5.
inline std::vector<float> logitsBesideSevenOthers(session::Model& model, std::span<const TokenId> tokens) {
    constexpr size_t kChunk = 5;
    const auto program = model.compileAllLogits(7 * 2 + kChunk).value();
    std::vector<std::unique_ptr<backend::SequenceMemory>> sequences;
    for (int i = 0; i < 8; ++i) sequences.push_back(model.memory().createSequence().value());
    std::vector<float> logits;
    for (size_t at = 0; at < tokens.size(); at += kChunk) {
        std::vector<TokenId> step;
        std::vector<backend::SequenceRun> runs;
        std::vector<uint32_t> rows;
        for (size_t i = 0; i < 8; ++i) {
            const bool ours = i == 3;
            const size_t count = ours ? std::min(kChunk, tokens.size() - at) : 1 + i % 2;
            for (size_t k = 0; k < count; ++k) {
                if (ours) rows.push_back(static_cast<uint32_t>(step.size()));
                step.push_back(ours ? tokens[at + k] : tokens[(at + i + k) % tokens.size()]);
            }
            runs.push_back({sequences[i].get(), static_cast<uint32_t>(count)});
        }
        const Status status = program->run({step, runs, rows});
        EXPECT_TRUE(status);
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const auto row = program->readOutput(i);
            EXPECT_TRUE(row);
            logits.insert(logits.end(), row->begin(), row->end());
        }
    }
    return logits;
}

/// Forked in the middle; first the original goes on with other tokens, then the fork with these.
inline std::vector<float> logitsOfAFork(session::Model& model, std::span<const TokenId> tokens) {
    const size_t half = tokens.size() / 2;
    ModelRun original(model);
    original.feed(tokens.first(half), 64);
    std::vector<float> logits = original.logits();
    ModelRun fork(model);
    auto forked = original.sequence().fork(static_cast<uint32_t>(half));
    EXPECT_TRUE(forked);
    fork.replaceSequence(std::move(*forked), original);
    const std::vector<TokenId> others(tokens.rbegin(),
                                      tokens.rbegin() + static_cast<long>(tokens.size() - half));
    original.feed(others, 64);
    fork.feed(tokens.subspan(half), 64);
    logits.insert(logits.end(), fork.logits().begin(), fork.logits().end());
    return logits;
}

/// In steps of a token or two and three guesses, of which none to all are right: the others are taken back.
inline std::vector<float> logitsBehindGuesses(session::Model& model, std::span<const TokenId> tokens) {
    const backend::MemorySpec& spec = model.memorySpec();
    const uint32_t prefix = model.opened().bound.facts().prefixTokens(tokens);
    const auto program = model.compileAllLogits(prefix + 8).value();
    const auto sequence = model.memory().createSequence().value();
    std::vector<float> logits;
    size_t known = 0;  // rows of logits
    for (size_t step = 0; sequence->length() < tokens.size(); ++step) {
        const size_t at = sequence->length();
        size_t certain = at == 0 ? std::max<size_t>(prefix, 1) : 1 + step % 2;
        certain = std::min(certain, tokens.size() - at);
        const size_t guesses = std::min<size_t>(
            {3, tokens.size() - at - certain, spec.mostGuesses(static_cast<uint32_t>(at + certain))});
        const size_t right = std::min(step % 4, guesses);
        std::vector<TokenId> fed(tokens.begin() + static_cast<long>(at),
                                 tokens.begin() + static_cast<long>(at + certain + guesses));
        for (size_t i = certain + right; i < fed.size(); ++i) fed[i] = fed[i] == 40 ? 41 : 40;
        std::vector<uint32_t> rows(fed.size());
        for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
        const backend::SequenceRun run{sequence.get(), static_cast<uint32_t>(fed.size()), prefix,
                                       static_cast<uint32_t>(guesses)};
        const Status status = program->run({fed, {&run, 1}, rows});
        EXPECT_TRUE(status) << status.error().message;
        for (uint32_t i = 0; i < certain + right; ++i) {
            if (at + i < known) continue;
            const auto row = program->readOutput(i).value();
            logits.insert(logits.end(), row.begin(), row.end());
            ++known;
        }
        const auto wanted = static_cast<uint32_t>(at + certain + right);
        const bool reaches = spec.statesReachBack(sequence->length()) <= wanted;
        const Status back = sequence->truncate(reaches ? wanted : static_cast<uint32_t>(at + certain));
        EXPECT_TRUE(back) << back.error().message;
        EXPECT_EQ(sequence->statesKeptAt(), std::nullopt);
        if (!status || !back) break;
    }
    return logits;
}

inline double maxAbsDiff(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return INFINITY;
    double worst = 0;
    for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(double{a[i]} - b[i]));
    return worst;
}

/// Normalised mean squared error: sum((a-b)^2) / sum(b^2).
inline double nmse(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return INFINITY;
    double error = 0, total = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        error += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
        total += double{b[i]} * b[i];
    }
    return error / total;
}

}  // namespace ingle::test
