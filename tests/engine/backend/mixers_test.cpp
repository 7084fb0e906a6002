/// Recurrent mixers on the CPU: the numbers against their formulas in double precision, and the same bits
/// however a sequence is fed, kept and continued.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <random>

#include "engine/backend/chunk_state.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/base/cpu_features.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "tests/engine/backend/plan_runner.h"

namespace ingle::backend {
namespace {

using graph::Value;

constexpr uint32_t kTokens = 100;

/// Numbers as the engine and as the formula reads them.
struct Numbers {
    std::vector<float> floats;
    tensor::Tensor tensor;
    double at(size_t i) const { return floats[i]; }
};

/// Row t of an input belongs to token t.
class Draft {
  public:
    const Numbers& numbers(tensor::Shape shape, float low, float high) {
        Numbers& made = m_numbers.emplace_back();
        std::uniform_real_distribution<float> uniform(low, high);
        for (uint64_t i = 0; i < shape.numElems(); ++i) made.floats.push_back(uniform(m_random));
        made.tensor = {"n", shape, quant::findFormat(quant::kF32), std::as_bytes(std::span(made.floats))};
        return made;
    }
    const Numbers& input(uint32_t width, float low = -1, float high = 1) {
        const Numbers& made = numbers(tensor::Shape::of(width, kTokens), low, high);
        values.push_back(b.embed(&made.tensor, "x"));
        return made;
    }
    const Numbers& weight(uint32_t count, float low = -1, float high = 1) {
        return numbers(tensor::Shape::of(count), low, high);
    }
    /// Of heads: the first forget all at once, the second forget nothing for hundreds of tokens.
    const Numbers& decayRates(uint32_t heads) {
        const Numbers& made = weight(heads, -1, -0.05F);
        std::vector<float>& rates = m_numbers.back().floats;
        rates[0] = -60;
        rates[1] = -1e-5F;
        return made;
    }

    graph::Builder b;
    std::vector<Value> values;  ///< of the inputs
    MemorySpec memory;

  private:
    std::mt19937 m_random{5};
    std::deque<Numbers> m_numbers;
};

double softplus(double x) {
    return std::log1p(std::exp(x));
}

enum class Formula : uint8_t { Right, Mistaken };

/// Writes the mixer; its rows in double precision come back.
using Mixer = std::function<std::vector<double>(Draft& d, Formula formula)>;

std::vector<double> shortConv(Draft& d, Formula formula, uint32_t kernel, bool hasBias) {
    constexpr uint32_t kWidth = 600;
    const Numbers& x = d.input(kWidth);
    const Numbers& w = d.weight(kWidth * kernel);
    const Numbers& bias = d.weight(kWidth);
    d.memory.states = {ringState("rows", {0, kernel}, kWidth)};
    d.b.logits(d.b.shortConv(d.values[0], &w.tensor, hasBias ? &bias.tensor : nullptr, {0, kernel}, "y"));
    std::vector<double> y;
    for (uint32_t t = 0; t < kTokens; ++t) {
        for (uint32_t c = 0; c < kWidth; ++c) {
            double sum = hasBias ? bias.at(c) : 0;
            for (uint32_t past = 0; past < kernel && past <= t; ++past) {
                const uint32_t tap = formula == Formula::Right ? kernel - 1 - past : past;
                sum += w.at(c * kernel + tap) * x.at((t - past) * kWidth + c);
            }
            y.push_back(sum);
        }
    }
    return y;
}

std::vector<double> gatedDelta(Draft& d, Formula formula, const GatedDeltaParams& p) {
    const uint32_t heads = p.numValueHeads;
    const Numbers& q = d.input(p.numKeyHeads * p.keyDim);
    const Numbers& k = d.input(p.numKeyHeads * p.keyDim, -0.3F, 0.4F);
    const Numbers& v = d.input(heads * p.valueDim);
    const Numbers& raw = d.input(heads, -4, 4);
    const Numbers& rate = d.input(heads, 0, 1);
    const Numbers& a = d.decayRates(heads);
    const Numbers& bias = d.weight(heads);
    d.memory.states = {chunkedState("S", layoutOf(p))};
    const auto& in = d.values;
    d.b.logits(d.b.gatedDelta(in[0], in[1], in[2], in[3], in[4], &a.tensor, &bias.tensor, p, "y"));
    std::vector<double> y(size_t{kTokens} * heads * p.valueDim);
    const bool tiled = (p.pairing == HeadPairing::Tiled) == (formula == Formula::Right);
    for (uint32_t h = 0; h < heads; ++h) {
        const uint32_t keyHead = tiled ? h % p.numKeyHeads : h / (heads / p.numKeyHeads);
        std::vector<double> state(p.keyDim * p.valueDim);
        for (uint32_t t = 0; t < kTokens; ++t) {
            const double decay = std::exp(softplus(raw.at(t * heads + h) + bias.at(h)) * a.at(h));
            const size_t keyAt = (t * p.numKeyHeads + keyHead) * p.keyDim;
            for (uint32_t j = 0; j < p.valueDim; ++j) {
                double found = 0;
                for (uint32_t i = 0; i < p.keyDim; ++i) {
                    state[i * p.valueDim + j] *= decay;
                    found += k.at(keyAt + i) * state[i * p.valueDim + j];
                }
                const size_t at = (t * heads + h) * p.valueDim + j;
                const double change = rate.at(t * heads + h) * (v.at(at) - found);
                for (uint32_t i = 0; i < p.keyDim; ++i) {
                    state[i * p.valueDim + j] += k.at(keyAt + i) * change;
                    y[at] += q.at(keyAt + i) * state[i * p.valueDim + j];
                }
            }
        }
    }
    return y;
}

std::vector<double> mambaScan(Draft& d, Formula formula, const MambaScanParams& p) {
    const Numbers& x = d.input(p.numHeads * p.headSize);
    const Numbers& b = d.input(p.groups * p.stateSize);
    const Numbers& c = d.input(p.groups * p.stateSize);
    const Numbers& raw = d.input(p.numHeads, -4, 4);
    const Numbers& a = d.decayRates(p.numHeads);
    const Numbers& skip = d.weight(p.numHeads);
    const Numbers& bias = d.weight(p.numHeads);
    d.memory.states = {chunkedState("S", layoutOf(p))};
    const auto& in = d.values;
    d.b.logits(d.b.mambaScan(in[0], in[1], in[2], in[3], &a.tensor, &skip.tensor, &bias.tensor, p, "y"));
    std::vector<double> y(size_t{kTokens} * p.numHeads * p.headSize);
    for (uint32_t h = 0; h < p.numHeads; ++h) {
        // The mistake: groups take turns among heads.
        const uint32_t group = formula == Formula::Right ? h / (p.numHeads / p.groups) : h % p.groups;
        std::vector<double> state(p.stateSize * p.headSize);
        for (uint32_t t = 0; t < kTokens; ++t) {
            const double step = softplus(raw.at(t * p.numHeads + h) + bias.at(h));
            const size_t groupAt = (t * p.groups + group) * p.stateSize;
            for (uint32_t i = 0; i < p.headSize; ++i) {
                const size_t at = (t * p.numHeads + h) * p.headSize + i;
                y[at] = skip.at(h) * x.at(at);
                for (uint32_t n = 0; n < p.stateSize; ++n) {
                    double& s = state[n * p.headSize + i];
                    s = std::exp(step * a.at(h)) * s + step * b.at(groupAt + n) * x.at(at);
                    y[at] += c.at(groupAt + n) * s;
                }
            }
        }
    }
    return y;
}

std::vector<double> channelScan(Draft& d, Formula formula, uint32_t width, uint32_t stateSize) {
    const Numbers& x = d.input(width);
    const Numbers& b = d.input(stateSize);
    const Numbers& c = d.input(stateSize);
    const Numbers& raw = d.input(width, -4, 4);
    const Numbers& a = d.decayRates(width * stateSize);
    const Numbers& skip = d.weight(width);
    const Numbers& bias = d.weight(width);
    d.memory.states = {{"S", width * stateSize}};
    const auto& in = d.values;
    d.b.logits(d.b.channelScan(in[0], in[1], in[2], in[3], &a.tensor, &skip.tensor, &bias.tensor,
                               {0, stateSize}, "y"));
    std::vector<double> y(size_t{kTokens} * width);
    for (uint32_t p = 0; p < width; ++p) {
        std::vector<double> state(stateSize);
        for (uint32_t t = 0; t < kTokens; ++t) {
            const size_t at = size_t{t} * width + p;
            const double step = softplus(raw.at(at) + bias.at(p));
            y[at] = skip.at(p) * x.at(at);
            for (uint32_t n = 0; n < stateSize; ++n) {
                // The mistake: rates of a state beside each other.
                const size_t rate = formula == Formula::Right ? p * stateSize + n : n * width + p;
                state[n] = std::exp(step * a.at(rate)) * state[n] + step * b.at(t * stateSize + n) * x.at(at);
                y[at] += c.at(t * stateSize + n) * state[n];
            }
        }
    }
    return y;
}

std::vector<double> channelDelta(Draft& d, Formula formula, const ChannelDeltaParams& p) {
    const uint32_t keys = p.numHeads * p.keyDim, values = p.numHeads * p.valueDim;
    const Numbers& q = d.input(keys);
    const Numbers& k = d.input(keys, -0.3F, 0.4F);
    const Numbers& v = d.input(values);
    const Numbers& raw = d.input(keys, -4, 4);
    const Numbers& rate = d.input(p.numHeads, 0, 1);
    const Numbers& a = d.decayRates(p.numHeads);
    const Numbers& bias = d.weight(keys);
    d.memory.states = {{"S", keys * p.valueDim}};
    const auto& in = d.values;
    d.b.logits(d.b.channelDelta(in[0], in[1], in[2], in[3], in[4], &a.tensor, &bias.tensor, p, "y"));
    std::vector<double> y(size_t{kTokens} * values);
    for (uint32_t h = 0; h < p.numHeads; ++h) {
        std::vector<double> state(p.keyDim * p.valueDim);
        for (uint32_t t = 0; t < kTokens; ++t) {
            const size_t keyAt = (size_t{t} * p.numHeads + h) * p.keyDim;
            for (uint32_t j = 0; j < p.valueDim; ++j) {
                double found = 0;
                for (uint32_t i = 0; i < p.keyDim; ++i) {
                    const uint32_t channel = formula == Formula::Right ? i : 0;  // the mistake: one for all
                    const double step = raw.at(keyAt + channel) + bias.at(h * p.keyDim + channel);
                    const double log =
                        p.lowest == 0 ? softplus(step) * a.at(h) : p.lowest / (1 + std::exp(-a.at(h) * step));
                    state[i * p.valueDim + j] *= std::exp(log);
                    found += k.at(keyAt + i) * state[i * p.valueDim + j];
                }
                const size_t at = (size_t{t} * p.numHeads + h) * p.valueDim + j;
                const double change = rate.at(t * p.numHeads + h) * (v.at(at) - found);
                for (uint32_t i = 0; i < p.keyDim; ++i) {
                    state[i * p.valueDim + j] += k.at(keyAt + i) * change;
                    y[at] += q.at(keyAt + i) * state[i * p.valueDim + j];
                }
            }
        }
    }
    return y;
}

/// Relative where it is larger than 1.
double largestError(const std::vector<float>& actual, const std::vector<double>& expected) {
    if (actual.size() != expected.size()) return INFINITY;
    double worst = 0;
    for (size_t i = 0; i < actual.size(); ++i) {
        const double error = std::abs(actual[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    return worst;
}

std::span<const float> rowsOf(const std::vector<float>& all, uint32_t first, uint32_t count) {
    const size_t width = all.size() / kTokens;
    return std::span(all).subspan(first * width, count * width);
}

bool sameBits(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

void checkContinuations(PlanRunner& runner, std::span<const TokenId> tokens,
                        const std::vector<float>& whole) {
    constexpr uint32_t kBegun = 45;
    const auto begun = runner.sequence();
    EXPECT_TRUE(sameBits(runner.feed(*begun, tokens.first(kBegun), kBegun), rowsOf(whole, 0, kBegun)));
    const auto saved = begun->save();
    ASSERT_TRUE(saved);
    const auto restored = runner.sequence();
    ASSERT_TRUE(restored->restore(*saved));
    const auto forked = begun->fork(kBegun);
    ASSERT_TRUE(forked);
    const auto rest = rowsOf(whole, kBegun, kTokens - kBegun);
    for (SequenceMemory* sequence : {restored.get(), forked->get(), begun.get()})
        EXPECT_TRUE(sameBits(runner.feed(*sequence, tokens.subspan(kBegun), 64), rest));
}

/// What follows a token of the last chunk can be forgotten; what is before the chunk is forgotten for good.
void checkRewinding(PlanRunner& runner, std::span<const TokenId> tokens, const std::vector<float>& whole) {
    const std::vector<TokenId> others(tokens.rbegin(), tokens.rend());
    const auto sequence = runner.sequence();
    runner.feed(*sequence, tokens.first(40), 64);
    runner.feed(*sequence, std::span(others).first(5), 1);
    const auto fork = sequence->fork(40);
    ASSERT_TRUE(fork);
    ASSERT_TRUE(sequence->truncate(40));
    const auto afresh = runner.sequence();
    runner.feed(*afresh, tokens.first(40), 7);
    EXPECT_EQ(sequence->save().value().bytes, afresh->save().value().bytes);
    for (SequenceMemory* back : {sequence.get(), fork->get()})
        EXPECT_TRUE(sameBits(runner.feed(*back, tokens.subspan(40), 9), rowsOf(whole, 40, kTokens - 40)));

    // Tokens 96 … 99 are the last chunk.
    for (const uint32_t tooFar : {96u, 64u, 1u}) {
        const Status refused = sequence->truncate(tooFar);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(
            refused.error().message,
            fmt::format("a recurrent state of 100 tokens cannot go back to {}, only to 97 at least or none",
                        tooFar));
        EXPECT_FALSE(sequence->fork(tooFar));
        EXPECT_EQ(sequence->length(), kTokens);
    }
    ASSERT_TRUE(sequence->truncate(97));
    EXPECT_TRUE(sameBits(runner.feed(*sequence, tokens.subspan(97), 2), rowsOf(whole, 97, 3)));
    ASSERT_TRUE(sequence->truncate(0));
    EXPECT_TRUE(sameBits(runner.feed(*sequence, tokens, 64), whole));
}

/// Three sequences in each step, one a few tokens behind the other.
void checkBatched(PlanRunner& runner, std::span<const TokenId> tokens, const std::vector<float>& whole) {
    struct Fed {
        std::unique_ptr<SequenceMemory> memory;
        uint32_t at;
    };
    std::vector<Fed> all;
    for (const uint32_t begin : {0u, 26u, 60u}) {
        all.push_back({runner.sequence(), begin});
        runner.feed(*all.back().memory, tokens.first(begin), 64);
    }
    const size_t width = whole.size() / kTokens;
    for (uint32_t step = 0; step < 4; ++step) {
        std::vector<TokenId> fed;
        std::vector<SequenceRun> runs;
        std::vector<float> expected;
        for (uint32_t i = 0; i < all.size(); ++i) {
            const uint32_t count = 1 + (step + i) % 3 * 4;
            const auto part = tokens.subspan(all[i].at, count);
            fed.insert(fed.end(), part.begin(), part.end());
            const auto rows = rowsOf(whole, all[i].at, count);
            expected.insert(expected.end(), rows.begin(), rows.end());
            runs.push_back({all[i].memory.get(), count});
            all[i].at += count;
        }
        ASSERT_EQ(expected.size(), fed.size() * width);
        EXPECT_TRUE(sameBits(runner.run(fed, runs), expected)) << step;
    }
}

/// Whether the last tokens can be taken back: states in chunks, or as they are after the last token.
enum class StateForm : uint8_t { InChunks, AfterTheLast };

void check(std::string_view what, const Mixer& mixer, StateForm form = StateForm::InChunks) {
    SCOPED_TRACE(what);
    std::vector<TokenId> tokens;
    for (uint32_t t = 0; t < kTokens; ++t) tokens.push_back(static_cast<TokenId>(t));
    for (const base::Isa isa : {base::Isa::Scalar, base::Isa::Avx2, base::Isa::AvxVnni, base::Isa::Avx512}) {
        if (!base::isaSupported(isa)) continue;
        SCOPED_TRACE(base::isaName(isa));
        Draft d;
        const std::vector<double> expected = mixer(d, Formula::Right);
        auto graph = d.b.take();
        ASSERT_TRUE(graph) << graph.error().message;
        const Plan plan = graph::lower(std::move(*graph), {.maxTokens = kTokens, .maxLogitRows = kTokens});
        const auto backend = cpu::createCpuBackend({.threads = 2, .isa = isa});
        PlanRunner runner(*backend, plan, d.memory);
        ASSERT_TRUE(runner.program);
        const std::vector<float> whole = runner.feed(*runner.sequence(), tokens, kTokens);
        EXPECT_LT(largestError(whole, expected), 1e-5);
        Draft other;
        EXPECT_GT(largestError(whole, mixer(other, Formula::Mistaken)), 0.1);
        for (const size_t chunk : {1u, 7u, 31u, 32u, 33u, 64u})
            EXPECT_TRUE(sameBits(runner.feed(*runner.sequence(), tokens, chunk), whole)) << chunk;
        checkContinuations(runner, tokens, whole);
        if (form == StateForm::InChunks) checkRewinding(runner, tokens, whole);
        checkBatched(runner, tokens, whole);
    }
}

TEST(Mixers, shortConvolution) {
    check("four rows", [](Draft& d, Formula f) { return shortConv(d, f, 4, false); });
    check("three rows, bias", [](Draft& d, Formula f) { return shortConv(d, f, 3, true); });
}

TEST(Mixers, gatedDeltaRule) {
    check("consecutive heads", [](Draft& d, Formula f) {
        return gatedDelta(d, f, {0, 2, 6, 12, 20, HeadPairing::Consecutive});
    });
    check("tiled heads", [](Draft& d, Formula f) {
        return gatedDelta(d, f, {0, 3, 6, 16, 72, HeadPairing::Tiled});
    });
}

TEST(Mixers, mambaScan) {
    check("two groups", [](Draft& d, Formula f) { return mambaScan(d, f, {0, 4, 20, 2, 16}); });
    check("heads of whole vectors", [](Draft& d, Formula f) { return mambaScan(d, f, {0, 6, 64, 3, 8}); });
}

TEST(Mixers, decaysOfChannels) {
    check(
        "scan", [](Draft& d, Formula f) { return channelScan(d, f, 150, 16); }, StateForm::AfterTheLast);
    check(
        "delta",
        [](Draft& d, Formula f) {
            return channelDelta(d, f, {0, 3, 8, 12});
        },
        StateForm::AfterTheLast);
    check(
        "bounded delta",
        [](Draft& d, Formula f) {
            return channelDelta(d, f, {0, 3, 8, 12, -5});
        },
        StateForm::AfterTheLast);
}

}  // namespace
}  // namespace ingle::backend
