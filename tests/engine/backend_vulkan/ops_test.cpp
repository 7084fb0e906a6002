/// Every op, and every run of ops that is computed in one go, against the CPU backend: in small plans of odd
/// sizes, for few and many rows, one sequence and several.
#include <deque>
#include <set>

#include "engine/backend/chunk_state.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/every_case.h"
#include "tests/random_weights.h"

namespace ingle::backend::vulkan {
namespace {

using graph::Builder;
using graph::Value;
using tensor::Shape;

constexpr uint32_t kVocab = 50;
/// Of f32 arithmetic in another order.
constexpr double kTolerance = 1e-9;

/// Tensors with random values, and the values that embeddings of them make.
class Problem {
  public:
    const tensor::Tensor* random(Shape shape, const quant::QuantFormat& format) {
        m_bytes.push_back(test::makeWeights(format, m_random, shape.numElems()));
        return &m_tensors.emplace_back(
            tensor::Tensor{fmt::format("t{}", m_tensors.size()), shape, &format, m_bytes.back()});
    }
    const tensor::Tensor* floats(Shape shape) { return random(shape, *quant::findFormat(quant::kF32)); }
    /// Uniform in [low, high).
    const tensor::Tensor* between(Shape shape, float low, float high) {
        const tensor::Tensor* tensor = floats(shape);
        std::uniform_real_distribution<float> share(0, 1);
        auto* values = reinterpret_cast<float*>(m_bytes.back().data());
        for (size_t i = 0; i < shape.numElems(); ++i) values[i] = low + (high - low) * share(m_random);
        return tensor;
    }
    /// A value of random rows, one for each token.
    Value rows(uint32_t width) { return builder.embed(floats(Shape::of(width, kVocab)), name()); }
    Value rowsBetween(uint32_t width, float low, float high) {
        return builder.embed(between(Shape::of(width, kVocab), low, high), name());
    }
    std::string name() { return fmt::format("v{}", m_numNames++); }

    Builder builder;
    MemorySpec memory;

  private:
    std::mt19937 m_random{7};
    std::deque<std::vector<std::byte>> m_bytes;
    std::deque<tensor::Tensor> m_tensors;
    uint32_t m_numNames = 0;
};

std::vector<TokenId> tokensOf(uint32_t count, uint32_t seed = 0) {
    std::vector<TokenId> tokens;
    for (uint32_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<TokenId>((i * 37 + 11 + seed * 5) % kVocab));
    return tokens;
}

struct How {
    KvType kv = KvType::F32;
    double tolerance = kTolerance;
    uint32_t numTokens = 77;  ///< in steps of 1, of 3 (the last of 2) and of 40; at least 8
};

/// A product of two rows is compiled by itself, like those of one and of four: one format stands for all.
const How kFewWidths{.numTokens = 76};

class OpsTest : public TwoBackends {
  protected:
    /// Runs the plan that `build` makes on both backends.
    template <typename Build>
    void check(std::string_view what, Build build) {
        check(what, How{}, build);
    }
    template <typename Build>
    void check(std::string_view what, const How& how, Build build) {
        SCOPED_TRACE(what);
        Problem problem;
        const Value result = build(problem);
        problem.builder.logits(result);
        const Plan plan = graph::lower(problem.builder.take().value(), {.maxTokens = 40, .maxLogitRows = 40});
        PlanRunner ours(*vulkan, plan, problem.memory, how.kv);
        PlanRunner right(*cpu, plan, problem.memory, how.kv);
        ASSERT_TRUE(ours.program && right.program);
        const std::vector<TokenId> tokens = tokensOf(how.numTokens);
        const auto expected = right.feed(*right.sequence(), tokens, 40);
        for (const size_t chunk : {1u, 3u, 40u}) {
            SCOPED_TRACE(chunk);
            const auto actual = ours.feed(*ours.sequence(), tokens, chunk);
            EXPECT_LT(nmse(actual, expected), how.tolerance);
        }
        // Another token is far outside the tolerance.
        std::vector<TokenId> other = tokens;
        TokenId& changed = other[how.numTokens - 7];
        changed = (changed + 1) % kVocab;
        EXPECT_GT(nmse(ours.feed(*ours.sequence(), other, 40), expected), 10 * how.tolerance);
        checkSeveral(ours, right, how.tolerance);
    }

    /// Three sequences in each step, of different lengths.
    static void checkSeveral(PlanRunner& ours, PlanRunner& right, double tolerance) {
        const auto runAll = [](PlanRunner& runner) {
            std::vector<std::unique_ptr<SequenceMemory>> sequences;
            for (int i = 0; i < 3; ++i) sequences.push_back(runner.sequence());
            std::vector<float> logits;
            for (uint32_t step = 0; step < 3; ++step) {
                std::vector<SequenceRun> runs;
                uint32_t rows = 0;
                for (uint32_t i = 0; i < 3; ++i) {
                    runs.push_back({sequences[i].get(), 1 + (step + i) % 3 * 4});
                    rows += runs.back().numRows;
                }
                const auto part = runner.run(tokensOf(rows, step), runs);
                logits.insert(logits.end(), part.begin(), part.end());
            }
            return logits;
        };
        EXPECT_LT(nmse(runAll(ours), runAll(right)), tolerance);
    }
};

TEST_F(OpsTest, embeddingsOfEveryFormat) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        check(format->name, [&](Problem& p) {
            const uint32_t width = format->blockElems == 1 ? 37 : 2 * format->blockElems;
            return p.builder.embed(p.random(Shape::of(width, kVocab), *format), "y");
        });
    }
}

TEST_F(OpsTest, linearOfEveryFormat) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        check(format->name, kFewWidths, [&](Problem& p) {
            const uint32_t width = format->blockElems == 1 ? 75 : std::max(96u, 2 * format->blockElems);
            return p.builder.linear(p.rows(width), p.random(Shape::of(width, 77), *format), "y");
        });
    }
}

TEST_F(OpsTest, linearWithWhatFollows) {
    const auto& f16 = *quant::findFormat(quant::kF16);
    check("bias", [&](Problem& p) {
        return p.builder.linear(p.rows(70), p.random(Shape::of(70, 33), f16), p.floats(Shape::of(33)), "y");
    });
    check("bias, residual", [&](Problem& p) {
        const Value product = p.builder.linear(p.rows(70), p.random(Shape::of(70, 33), f16),
                                               p.floats(Shape::of(33)), "product");
        return p.builder.add(p.rows(33), product, "y");
    });
    check("activation", [&](Problem& p) {
        const Value product = p.builder.linear(p.rows(70), p.random(Shape::of(70, 33), f16), "product");
        return p.builder.activation(product, ActivationKind::Tanh, "y");
    });
    check("a product that others read too", [&](Problem& p) {
        const Value product = p.builder.linear(p.rows(70), p.random(Shape::of(70, 33), f16), "product");
        return p.builder.multiply(p.builder.activation(product, ActivationKind::Silu, "f"),
                                  p.builder.add(product, p.rows(33), "sum"), "y");
    });
    check("a gated pair", [&](Problem& p) {
        const Value x = p.rows(70);
        const Value gate = p.builder.linear(x, p.random(Shape::of(70, 33), f16), "gate");
        const Value up = p.builder.linear(x, p.random(Shape::of(70, 33), f16), "up");
        return p.builder.multiply(p.builder.activation(gate, ActivationKind::Silu, "f"), up, "y");
    });
    check("two of one shape", [&](Problem& p) {
        const Value x = p.rows(70);
        const Value a = p.builder.linear(x, p.random(Shape::of(70, 33), f16), "a");
        const Value b = p.builder.linear(x, p.random(Shape::of(70, 33), f16), "b");
        return p.builder.multiply(a, b, "y");
    });
    for (const uint32_t third : {31u, 33u}) {
        check("three of one format", [&](Problem& p) {
            const Value x = p.rows(70);
            const Value a =
                p.builder.linear(x, p.random(Shape::of(70, 33), f16), p.floats(Shape::of(33)), "a");
            const Value b = p.builder.linear(x, p.random(Shape::of(70, 33), f16), "b");
            const Value c = p.builder.linear(x, p.random(Shape::of(70, third), f16), "c");
            const Value d = p.builder.linear(c, p.random(Shape::of(third, 33), f16), "d");
            return p.builder.add(p.builder.multiply(a, b, "ab"), d, "y");
        });
    }
    check("two of two formats", [&](Problem& p) {
        const Value x = p.rows(64);
        const Value a = p.builder.linear(x, p.random(Shape::of(64, 33), f16), "a");
        const Value b =
            p.builder.linear(x, p.random(Shape::of(64, 33), *quant::findFormat(quant::kQ8_0)), "b");
        return p.builder.add(a, b, "y");
    });
}

TEST_F(OpsTest, norms) {
    check("rms",
          [](Problem& p) { return p.builder.rmsNorm(p.rows(75), p.floats(Shape::of(75)), 1e-5F, "y"); });
    check("rms of heads",
          [](Problem& p) { return p.builder.rmsNorm(p.rows(72), p.floats(Shape::of(24)), 1e-5F, "y", 3); });
    check("rms of groups, a gain each", [](Problem& p) {
        return p.builder.rmsNorm(p.rows(72), p.floats(Shape::of(24, 3)), 1e-5F, "y", 3);
    });
    check("rms without a gain",
          [](Problem& p) { return p.builder.rmsNorm(p.rows(72), nullptr, 1e-5F, "y", 3); });
    check("layer", [](Problem& p) {
        return p.builder.layerNorm(p.rows(75), p.floats(Shape::of(75)), p.floats(Shape::of(75)), 1e-5F, "y");
    });
    check("group", [](Problem& p) {
        return p.builder.groupNorm(p.rows(75), p.floats(Shape::of(75)), p.floats(Shape::of(75)), 5, 1e-5F,
                                   "y");
    });
    check("group without bias", [](Problem& p) {
        return p.builder.groupNorm(p.rows(75), p.floats(Shape::of(75)), nullptr, 5, 1e-5F, "y");
    });
    check("l2",
          [](Problem& p) { return p.builder.l2Norm(p.rows(75), p.floats(Shape::of(75)), 5, 1e-12F, "y"); });
}

TEST_F(OpsTest, elementwise) {
    check("add", [](Problem& p) { return p.builder.add(p.rows(75), p.rows(75), "y"); });
    check("multiply", [](Problem& p) { return p.builder.multiply(p.rows(75), p.rows(75), "y"); });
    check("scale", [](Problem& p) { return p.builder.scale(p.rows(75), 0.37F, "y"); });
#define INGLE_ACTIVATION(number, Kind, function) ActivationKind::Kind,
    constexpr ActivationKind kKinds[] = {
#include "engine/kernels/activation_kinds.inc"
    };
#undef INGLE_ACTIVATION
    for (const ActivationKind kind : kKinds) {
        check("activation",
              [&](Problem& p) { return p.builder.activation(p.rowsBetween(75, -20, 20), kind, "y"); });
        check("gated activation", [&](Problem& p) {
            return p.builder.multiply(p.rows(75), p.builder.activation(p.rows(75), kind, "f"), "y");
        });
    }
    check("lerp by a weight",
          [](Problem& p) { return p.builder.lerp(p.rows(75), p.rows(75), p.floats(Shape::of(75)), "y"); });
    check("lerp by a value",
          [](Problem& p) { return p.builder.lerp(p.rows(75), p.rows(75), p.rows(75), "y"); });
    check("lerp by both", [](Problem& p) {
        return p.builder.lerp(p.rows(75), p.rows(75), p.floats(Shape::of(75)), p.rows(75), "y");
    });
}

TEST_F(OpsTest, partsOfRows) {
    check("slice", [](Problem& p) { return p.builder.slice(p.rows(75), {1, 7, 30}, "y"); });
    check("slice of heads", [](Problem& p) { return p.builder.slice(p.rows(75), {5, 4, 9}, "y"); });
    check("concat", [](Problem& p) { return p.builder.concat(p.rows(31), p.rows(6), 1, "y"); });
    check("concat of heads", [](Problem& p) { return p.builder.concat(p.rows(35), p.rows(15), 5, "y"); });
}

TEST_F(OpsTest, positions) {
    check("embed position", [](Problem& p) {
        return p.builder.add(p.rows(75), p.builder.embedPosition(p.floats(Shape::of(75, 9)), "p"), "y");
    });
    check("position scale", [](Problem& p) {
        return p.builder.positionScale(p.rows(75), {0.1f, 2, 1}, "y");
    });
}

TEST_F(OpsTest, expertScaleAndClampedGlu) {
    check("expert scale", [](Problem& p) {
        const Value routing = p.builder.routeExperts(p.rows(5), {.numUsed = 3}, "routing");
        return p.builder.expertScale(p.rows(75), routing, p.floats(Shape::of(5)), "y");
    });
    check("clamped glu", [](Problem& p) {
        return p.builder.clampedGlu(p.rowsBetween(75, -9, 9), p.rowsBetween(75, -9, 9), 7, "y");
    });
    check("clamp", [](Problem& p) { return p.builder.clamp(p.rowsBetween(75, -9, 9), {-2, 3}, "y"); });
    check("scale parts", [](Problem& p) { return p.builder.scaleParts(p.rows(75), p.rows(5), "y"); });
}

/// Rotated queries and keys, and attention over them.
Value attend(Problem& p, uint32_t numHeads, uint32_t numKvHeads, uint32_t headDim, RopeStyle style,
             uint32_t numPairs) {
    std::vector<double> frequencies;
    for (uint32_t i = 0; i < numPairs; ++i) frequencies.push_back(std::pow(10.0, -0.37 * i));
    p.memory.kv.push_back({numKvHeads * headDim, numKvHeads * headDim});
    const auto rotate = [&](Value x, uint32_t heads) {
        return p.builder.rope(x, {heads, headDim, frequencies, 1.1F, style}, p.name());
    };
    const Value q = rotate(p.rows(numHeads * headDim), numHeads);
    const Value k = rotate(p.rows(numKvHeads * headDim), numKvHeads);
    p.builder.kvAppend(k, p.rows(numKvHeads * headDim), 0);
    return p.builder.attention(q, {0, numHeads, numKvHeads, headDim, headDim, 0.3F}, "y");
}

TEST_F(OpsTest, ropeByItself) {
    for (const RopeStyle style : {RopeStyle::Interleaved, RopeStyle::HalfSplit}) {
        check("rope", [&](Problem& p) {
            p.memory.kv.push_back({4, 4});
            return p.builder.rope(p.rows(60), {3, 20, {1.0, 0.3, 1e-4, 6.0}, 1.2F, style}, "y");
        });
    }
}

TEST_F(OpsTest, attentionOverEveryCache) {
    struct Sizes {
        uint32_t numHeads, numKvHeads, headDim, numPairs;
    };
    for (const Sizes s : {Sizes{4, 2, 16, 8}, Sizes{3, 3, 24, 6}, Sizes{2, 1, 80, 40}, Sizes{16, 1, 8, 4},
                          Sizes{2, 2, 10, 5}, Sizes{2, 1, 256, 128}}) {
        const auto style = s.numHeads % 2 == 0 ? RopeStyle::HalfSplit : RopeStyle::Interleaved;
        const std::string what = fmt::format("{} heads of {}", s.numHeads, s.headDim);
        const auto build = [&](Problem& p) {
            return attend(p, s.numHeads, s.numKvHeads, s.headDim, style, s.numPairs);
        };
        check(what, build);
        // A cache of another type is read in the same way, whatever the size: one in tiles and one by rows
        // stand for all.
        if (s.headDim != 16 && s.headDim != 256 && !test::triesEveryCase()) continue;
        check(what + ", f16", {.kv = KvType::F16, .tolerance = 1e-6}, build);
        check(what + ", q8", {.kv = KvType::Q8, .tolerance = 1e-5}, build);
    }
}

TEST_F(OpsTest, tokenShift) {
    check("token shift", [](Problem& p) {
        p.memory.states.push_back({"shift", 75, 0.5F});
        return p.builder.tokenShift(p.rows(75), 0, "y");
    });
}

TEST_F(OpsTest, recurrences) {
    check("wkv4", [](Problem& p) {
        p.memory.states = {{"n", 75}, {"d", 75}, {"e", 75, -1e30F}};
        return p.builder.wkv4(p.rows(75), p.rows(75), p.between(Shape::of(75), -2, -0.1F),
                              p.floats(Shape::of(75)), {0, 75, 1}, "y");
    });
    for (const uint32_t perHead : {1u, 20u}) {
        check("wkv5", [&](Problem& p) {
            p.memory.states = {{"s", 3 * 20 * 20}};
            return p.builder.wkv5(p.rows(60), p.rows(60), p.rows(60),
                                  p.between(Shape::of(1, perHead, 3), 0.5F, 1),
                                  p.floats(Shape::of(1, perHead, 3)), {0, 3, 20}, "y");
        });
    }
    check("wkv6", [](Problem& p) {
        p.memory.states = {{"s", 3 * 20 * 20}};
        return p.builder.wkv6(p.rows(60), p.rows(60), p.rows(60), p.rowsBetween(60, 0.5F, 1),
                              p.floats(Shape::of(20, 3)), {0, 3, 20}, "y");
    });
    check("wkv7", [](Problem& p) {
        p.memory.states = {{"s", 3 * 20 * 20}};
        const Value removed = p.builder.l2Norm(p.rows(60), p.floats(Shape::of(60)), 3, 1e-12F, "kk");
        return p.builder.wkv7(p.rows(60), p.rowsBetween(60, 0.5F, 1), p.rows(60), p.rows(60), removed,
                              p.rowsBetween(60, 0, 1), {0, 3, 20}, "y");
    });
    check("bonus", [](Problem& p) {
        return p.builder.wkvBonus(p.rows(60), p.rows(60), p.rows(60), p.floats(Shape::of(60)), {0, 3, 20},
                                  "y");
    });
}

TEST_F(OpsTest, mixers) {
    for (const bool hasBias : {false, true}) {
        check("short convolution", [&](Problem& p) {
            p.memory.states = {ringState("rows", {0, 4}, 75)};
            return p.builder.shortConv(p.rows(75), p.floats(Shape::of(4, 75)),
                                       hasBias ? p.floats(Shape::of(75)) : nullptr, {0, 4}, "y");
        });
    }
    for (const HeadPairing pairing : {HeadPairing::Consecutive, HeadPairing::Tiled}) {
        check("gated delta", [&](Problem& p) {
            const GatedDeltaParams params{0, 2, 6, 12, 20, pairing};
            p.memory.states = {chunkedState("s", layoutOf(params))};
            return p.builder.gatedDelta(p.rows(24), p.rowsBetween(24, -0.3F, 0.4F), p.rows(120),
                                        p.rowsBetween(6, -4, 4), p.rowsBetween(6, 0, 1),
                                        p.between(Shape::of(6), -1, -0.05F), p.floats(Shape::of(6)), params,
                                        "y");
        });
    }
    check("mamba scan", [](Problem& p) {
        const MambaScanParams params{0, 4, 20, 2, 16};
        p.memory.states = {chunkedState("s", layoutOf(params))};
        return p.builder.mambaScan(p.rows(80), p.rows(32), p.rows(32), p.rowsBetween(4, -4, 4),
                                   p.between(Shape::of(4), -1, -0.05F), p.floats(Shape::of(4)),
                                   p.floats(Shape::of(4)), params, "y");
    });
}

TEST_F(OpsTest, mixersWithADecayForEachChannel) {
    for (const uint32_t width : {64U, 75U}) {
        check("channel scan", [&](Problem& p) {
            p.memory.states = {{"s", width * 17}};
            return p.builder.channelScan(p.rows(width), p.rows(17), p.rows(17), p.rowsBetween(width, -4, 4),
                                         p.between(Shape::of(17, width), -2, -0.05F),
                                         p.floats(Shape::of(width)), p.floats(Shape::of(width)), {0, 17},
                                         "y");
        });
    }
    for (const float lowest : {0.0F, -5.0F}) {
        check("channel delta", [&](Problem& p) {
            p.memory.states = {{"s", 3 * 12 * 20}};
            const float strongest = lowest == 0 ? -0.05F : 1.0F;
            return p.builder.channelDelta(p.rows(36), p.rowsBetween(36, -0.3F, 0.4F), p.rows(60),
                                          p.rowsBetween(36, -4, 4), p.rowsBetween(3, 0, 1),
                                          p.between(Shape::of(1, 3), strongest - 0.9F, strongest),
                                          p.floats(Shape::of(36)), {0, 3, 12, 20, lowest}, "y");
        });
    }
}

/// A device that binds little at once takes a matrix in pieces.
TEST_F(OpsTest, largeMatricesAreSharded) {
    info.limits.maxStorageRangeBytes = kPieceBytes;
    openVulkan();
    const How kFewTokens{.numTokens = 11};
    const auto& f32 = *quant::findFormat(quant::kF32);
    check("linear", kFewTokens, [&](Problem& p) {
        const Value x = p.rows(1030);
        const Value up = p.builder.linear(x, p.random(Shape::of(1030, 4201), f32), "up");
        return p.builder.linear(up, p.random(Shape::of(4201, 20), f32), "y");
    });
    // Each piece has the grid.
    check("grid", kFewTokens, [&](Problem& p) {
        const quant::QuantFormat& format = *quant::findFormat("IQ2_S");
        return p.builder.linear(p.rows(1024), p.random(Shape::of(1024, 54'001), format), "y");
    });
    check("experts", kFewTokens, [&](Problem& p) {
        const Value routing = p.builder.routeExperts(p.rows(3), {.numUsed = 2}, "routing");
        const Value up =
            p.builder.expertLinear(p.rows(1030), routing, p.random(Shape::of(1030, 1401, 3), f32), "up");
        return p.builder.expertSum(up, routing, "y");
    });
}

TEST_F(OpsTest, valuesThatAreNoNumbersAreAnError) {
    Problem problem;
    const tensor::Tensor* matrix = problem.between(Shape::of(32, 5), NAN, NAN);
    problem.builder.logits(problem.builder.linear(problem.rows(32), matrix, "y"));
    const Plan plan = graph::lower(problem.builder.take().value(), {.maxTokens = 2, .maxLogitRows = 2});
    PlanRunner ours(*vulkan, plan, problem.memory);
    const auto sequence = ours.sequence();
    const SequenceRun run{sequence.get(), 1};
    const TokenId token = 3;
    const uint32_t row = 0;
    ASSERT_TRUE(ours.program->run({{&token, 1}, {&run, 1}, {&row, 1}}));
    const auto logits = ours.program->readOutput(0);
    ASSERT_FALSE(logits);
    EXPECT_EQ(logits.error().code, ErrorCode::Device);
    EXPECT_EQ(ours.program->readOutput(1).error().code, ErrorCode::InvalidArgument);
}

const std::set<std::string_view> kFormatOfEachKind{"F16", "Q4_0", "Q6_K", "IQ2_S"};

TEST_F(OpsTest, aMatrixForEachHead) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (!test::triesEveryCase() && !kFormatOfEachKind.contains(format->name)) continue;
        const uint32_t in = format->blockElems == 1 ? 35 : format->blockElems;
        check(format->name, [&](Problem& p) {
            return p.builder.headLinear(p.rows(3 * in), p.random(Shape::of(in, 7, 3), *format), {3, 2, 5},
                                        "y");
        });
        check(fmt::format("{}, turned", format->name), [&](Problem& p) {
            return p.builder.headLinear(p.rows(3 * 5), p.random(Shape::of(in, 7 * 3), *format),
                                        {3, 2, 5, true}, "y");
        });
    }
}

TEST_F(OpsTest, mixtureOfExperts) {
    for (const auto scores : {kernels::ExpertScores::Softmax, kernels::ExpertScores::Sigmoid,
                              kernels::ExpertScores::SqrtSoftplus, kernels::ExpertScores::SoftmaxOfChosen}) {
        check(fmt::format("routing {}", static_cast<int>(scores)), [&](Problem& p) {
            return p.builder.routeExperts(p.rows(7), {.numUsed = 3, .scores = scores}, "y");
        });
    }
    check("routing in groups", [](Problem& p) {
        const kernels::RouteRule rule{.numUsed = 7,
                                      .scores = kernels::ExpertScores::Sigmoid,
                                      .groups = 5,
                                      .groupsUsed = 3,
                                      .renormalise = true,
                                      .scale = 2.5F};
        const auto& f32 = *quant::findFormat(quant::kF32);
        return p.builder.routeExperts(p.rows(80), rule, p.random(Shape::of(80), f32),
                                      p.random(Shape::of(80), f32), "y");
    });
    check("biases", [](Problem& p) {
        const auto& f32 = *quant::findFormat(quant::kF32);
        const Value routing = p.builder.routeExperts(p.rows(5), {.numUsed = 2}, "routing");
        return p.builder.expertLinear(p.rows(12), routing, p.random(Shape::of(12, 7, 5), f32),
                                      p.random(Shape::of(7, 5), f32), "y");
    });
    // Each format's blocks are decoded as in other products (linearOfEveryFormat): floats, blocks, k-quants
    // and grids stand for all.
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (!test::triesEveryCase() && !kFormatOfEachKind.contains(format->name)) continue;
        check(format->name, [&](Problem& p) {
            const uint32_t in = format->blockElems == 1 ? 35 : format->blockElems;
            const uint32_t middle = format->blockElems == 1 ? 27 : 2 * format->blockElems;
            const Value routing =
                p.builder.routeExperts(p.rows(5), {.numUsed = 2, .renormalise = true}, "routing");
            const Value x = p.rows(in);
            const Value up =
                p.builder.expertLinear(x, routing, p.random(Shape::of(in, middle, 5), *format), "up");
            const Value down =
                p.builder.expertLinear(up, routing, p.random(Shape::of(middle, 19, 5), *format), "down");
            return p.builder.add(p.rows(19), p.builder.expertSum(down, routing, "sum"), "y");
        });
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
