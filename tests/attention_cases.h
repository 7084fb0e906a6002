/// Attention by itself: queries, keys and values are rows of tables, chosen by the tokens. What it computes
/// is evaluated in doubles from the formula of backend::AttentionParams, with every key looked at.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "tests/random_weights.h"

namespace ingle::test {

using backend::AttentionParams;
using backend::Mask;

/// What attention is to do, and a mistake that has to be noticed.
struct AttentionCase {
    std::string name;
    AttentionParams right;
    AttentionParams wrong;
    uint32_t numTokens = 150;
    uint32_t prefix = 0;  ///< of Mask::Prefix
    uint32_t wrongPrefix = 0;
    bool valuesInKeys = false;
};

inline std::vector<AttentionCase> attentionCases() {
    const AttentionParams plain{0, 4, 2, 16, 16, 0.3F};
    std::vector<AttentionCase> cases;
    const auto add = [&](std::string name, AttentionParams right, auto mistake) -> AttentionCase& {
        AttentionCase added{std::move(name), right, right};
        mistake(added.wrong);
        return cases.emplace_back(std::move(added));
    };
    const auto with = [&](auto change) {
        AttentionParams params = plain;
        change(params);
        return params;
    };
    add("plain", plain, [](auto& p) { p.scale *= 1.001F; });
    add("narrow values", with([](auto& p) { p.valueDim = 9; }), [](auto& p) { p.scale *= 1.001F; });
    add("wide values", with([](auto& p) { p.keyDim = 7, p.valueDim = 40; }),
        [](auto& p) { p.scale *= 1.001F; });
    add("many heads of one key", {0, 40, 1, 12, 10, 0.3F}, [](auto& p) { p.scale *= 1.001F; });
    add("large heads", {0, 4, 1, 300, 270, 0.05F}, [](auto& p) { p.scale *= 1.001F; }).numTokens = 90;
    for (const uint32_t window : {1U, 5U, 64U, 100U}) {
        add("window of " + std::to_string(window), with([&](auto& p) { p.window = window; }),
            [](auto& p) { ++p.window; });
    }
    add("window over splits", with([](auto& p) { p.window = 600; }), [](auto& p) { --p.window; }).numTokens =
        1300;
    for (const uint32_t chunk : {3U, 48U, 64U}) {
        add("chunks of " + std::to_string(chunk), with([&](auto& p) { p.chunk = chunk; }), [](auto& p) {
            p.window = p.chunk;
            p.chunk = 0;
        });
    }
    add("soft cap", with([](auto& p) { p.scale = 2, p.softCap = 3; }), [](auto& p) { p.softCap = 3.01F; });
    add("slopes", with([](auto& p) {
            p.alibiSlopes = {0.5F, 0.25F, 0.125F, 0.0625F};
        }),
        [](auto& p) { std::swap(p.alibiSlopes[2], p.alibiSlopes[3]); });
    add("sinks", with([](auto& p) { p.hasSinks = true; }), [](auto& p) { p.hasSinks = false; });
    add("all of it", with([](auto& p) {
            p.valueDim = 20, p.window = 70, p.softCap = 4, p.hasSinks = true;
            p.alibiSlopes = {0.5F, 0.25F, 0.125F, 0.0625F};
        }),
        [](auto& p) { p.alibiSlopes[1] = -p.alibiSlopes[1]; });
    add("full", with([](auto& p) { p.mask = Mask::Full; }), [](auto& p) { p.mask = Mask::Causal; });
    add("full, slopes", with([](auto& p) {
            p.mask = Mask::Full;
            p.alibiSlopes = {0.5F, 0.25F, 0.125F, 0.0625F};
        }),
        [](auto& p) { p.alibiSlopes[0] = 0.25F; });
    for (const uint32_t window : {1U, 5U, 70U}) {
        add("full, window of " + std::to_string(window), with([&](auto& p) {
                p.mask = Mask::Full;
                p.window = window;
            }),
            [](auto& p) { ++p.window; });
    }
    add("full, chunks of 4", with([](auto& p) {
            p.mask = Mask::Full;
            p.chunk = 4;
        }),
        [](auto& p) { p.chunk = 5; });
    add("values in keys", {0, 20, 1, 28, 24, 0.3F}, [](auto& p) { p.scale *= 1.001F; }).valuesInKeys = true;
    AttentionCase& prefix = add("prefix", with([](auto& p) { p.mask = Mask::Prefix; }), [](const auto&) {});
    prefix.prefix = 83;
    prefix.wrongPrefix = 82;
    return cases;
}

/// Tables of random rows, and the plan that attends over them.
class AttentionProblem {
  public:
    static constexpr uint32_t kVocab = 97;

    explicit AttentionProblem(const AttentionCase& tried)
        : m_params(tried.right), m_valuesInKeys(tried.valuesInKeys) {
        const AttentionParams& params = m_params;
        std::mt19937 random(7);
        const auto fill = [&](Table& table, uint32_t width, uint32_t rows, const char* name) {
            table.values = gaussian(random, size_t{width} * rows);
            table.tensor = {name, tensor::Shape::of(width, rows), quant::findFormat(quant::kF32),
                            std::as_bytes(std::span(table.values))};
        };
        fill(m_queries, params.numHeads * params.keyDim, kVocab, "queries");
        fill(m_keys, params.numKvHeads * params.keyDim, kVocab, "keys");
        fill(m_values, params.numKvHeads * params.valueDim, kVocab, "values");
        fill(m_sinks, params.numHeads, 1, "sinks");
    }
    AttentionProblem(const AttentionProblem&) = delete;
    AttentionProblem& operator=(const AttentionProblem&) = delete;

    /// Its logits are what attention makes.
    backend::Plan plan(uint32_t maxTokens) const {
        graph::Builder b;
        const graph::Value q = b.embed(&m_queries.tensor, "q");
        const graph::Value k = b.embed(&m_keys.tensor, "k");
        if (m_valuesInKeys)
            b.kvAppend(k, 0);
        else
            b.kvAppend(k, b.embed(&m_values.tensor, "v"), 0);
        b.logits(b.attention(q, m_params, "y", &m_sinks.tensor));
        return graph::lower(b.take().value(), {.maxTokens = maxTokens, .maxLogitRows = maxTokens});
    }

    backend::MemorySpec memory() const {
        const uint32_t valueElems = m_valuesInKeys ? 0 : m_params.numKvHeads * m_params.valueDim;
        return {.kv = {{m_params.numKvHeads * m_params.keyDim, valueElems}}, .states = {}};
    }

    /// [tokens, numHeads * valueDim], by params that may be others than the plan's.
    std::vector<double> formula(const AttentionParams& p, std::span<const TokenId> tokens,
                                uint32_t prefix) const {
        const auto sees = [&](size_t i, size_t j) {
            if (p.mask == Mask::Causal && j > i) return false;
            if (p.mask == Mask::Prefix && j > i && j >= prefix) return false;
            if (p.window > 0 && (i > j ? i - j : j - i) >= p.window) return false;
            return p.chunk == 0 || i / p.chunk == j / p.chunk;
        };
        const auto head = [&](const Table& table, size_t token, size_t index, size_t dim) {
            const size_t width = table.tensor.shape.rowElems();
            return table.values.data() + static_cast<size_t>(tokens[token]) * width + index * dim;
        };
        const uint32_t group = p.numHeads / p.numKvHeads;
        std::vector<double> y;
        for (size_t i = 0; i < tokens.size(); ++i) {
            for (uint32_t h = 0; h < p.numHeads; ++h) {
                const float* q = head(m_queries, i, h, p.keyDim);
                double total = p.hasSinks ? std::exp(double{m_sinks.values[h]}) : 0;
                std::vector<double> sums(p.valueDim);
                for (size_t j = 0; j < tokens.size(); ++j) {
                    if (!sees(i, j)) continue;
                    const float* k = head(m_keys, j, h / group, p.keyDim);
                    double score = 0;
                    for (uint32_t d = 0; d < p.keyDim; ++d) score += double{q[d]} * k[d];
                    score *= p.scale;
                    if (p.softCap > 0) score = p.softCap * std::tanh(score / p.softCap);
                    if (!p.alibiSlopes.empty())
                        score -= p.alibiSlopes[h] * std::abs(static_cast<double>(i) - static_cast<double>(j));
                    const double weight = std::exp(score);
                    total += weight;
                    const float* v = head(m_valuesInKeys ? m_keys : m_values, j, h / group,
                                          m_valuesInKeys ? p.keyDim : p.valueDim);
                    for (uint32_t d = 0; d < p.valueDim; ++d) sums[d] += weight * v[d];
                }
                for (const double sum : sums) y.push_back(sum / total);
            }
        }
        return y;
    }

  private:
    struct Table {
        std::vector<float> values;
        tensor::Tensor tensor;
    };

    AttentionParams m_params;
    bool m_valuesInKeys;
    Table m_queries, m_keys, m_values, m_sinks;
};

inline std::vector<TokenId> attentionTokens(uint32_t count) {
    std::vector<TokenId> tokens;
    for (uint32_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<TokenId>((i * i * 31 + i * 7 + 5) % AttentionProblem::kVocab));
    return tokens;
}

/// A plan's program on a backend, and ways of feeding it.
class AttentionRun {
  public:
    static constexpr uint32_t kMaxTokens = 1500;

    AttentionRun(backend::Backend& on, const AttentionProblem& problem, KvType kv = KvType::F32)
        : AttentionRun(on, problem, problem.memory(), {kv, 8 * kMaxTokens}) {}
    AttentionRun(backend::Backend& on, const AttentionProblem& problem, const backend::MemorySpec& memory,
                 const backend::MemoryOptions& options) {
        auto pool = on.createMemory(memory, options);
        EXPECT_TRUE(pool) << (pool ? "" : pool.error().message);
        m_pool = std::move(*pool);
        auto program = on.compile(problem.plan(kMaxTokens), *m_pool);
        EXPECT_TRUE(program) << (program ? "" : program.error().message);
        m_program = std::move(*program);
    }

    backend::Program& program() { return *m_program; }
    std::unique_ptr<backend::SequenceMemory> sequence() { return m_pool->createSequence().value(); }

    /// All rows of one step; empty after a failure.
    std::vector<float> step(std::span<const TokenId> tokens, std::span<const backend::SequenceRun> runs) {
        std::vector<uint32_t> rows(tokens.size());
        for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
        const Status status = m_program->run({tokens, runs, rows});
        EXPECT_TRUE(status) << (status ? "" : status.error().message);
        std::vector<float> y;
        for (uint32_t i = 0; status && i < rows.size(); ++i) {
            const auto row = m_program->readOutput(i);
            EXPECT_TRUE(row) << (row ? "" : row.error().message);
            if (row) y.insert(y.end(), row->begin(), row->end());
        }
        return y;
    }

    /// The prefix, if there is one, in one step, then the others in steps of at most `chunk`.
    std::vector<float> feed(backend::SequenceMemory& sequence, std::span<const TokenId> tokens, size_t chunk,
                            uint32_t prefix = 0) {
        std::vector<float> y;
        for (size_t at = 0; at < tokens.size();) {
            const size_t wanted = at == 0 ? std::max<size_t>(chunk, prefix) : chunk;
            const auto part = tokens.subspan(at, std::min(wanted, tokens.size() - at));
            const backend::SequenceRun run{&sequence, static_cast<uint32_t>(part.size()), prefix};
            const std::vector<float> rows = step(part, {&run, 1});
            y.insert(y.end(), rows.begin(), rows.end());
            at += part.size();
        }
        return y;
    }

  private:
    std::unique_ptr<backend::MemoryPool> m_pool;
    std::unique_ptr<backend::Program> m_program;
};

/// Normalised mean squared error: sum((a-b)^2) / sum(b^2).
inline double attentionError(std::span<const float> a, std::span<const double> b) {
    if (a.size() != b.size()) return INFINITY;
    double error = 0, total = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        total += b[i] * b[i];
    }
    return error / total;
}

}  // namespace ingle::test
