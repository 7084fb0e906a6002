/// Products of halves that subgroups compute together, where a device does that, against the CPU backend in
/// floats; and how the shaders for it are written down, on every computer.
#include "engine/backend/vulkan/matvec/matmul.h"

#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "engine/backend/vulkan/substrate/cooperative_matrix.h"
#include "engine/backend/vulkan/substrate/shaders.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/random_weights.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

using graph::Value;
using tensor::Shape;

/// More than a tile of shaders/matmul_halves.comp, and no multiple of anything.
constexpr uint32_t kTokens = 150;

/// Normalised squared error of rounding both factors to 11 binary digits: each errs by 2^-11 at most, evenly
/// spread.
constexpr double kHalvesError = 2 * 0x1p-22 / 3;

class MatmulTest : public TwoBackends {
  protected:
    void SetUp() override {
        TwoBackends::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (!MatmulKernels(info, ActivationType::Auto).haveHalves())
            GTEST_SKIP() << "this device multiplies no matrices of halves";
        vulkan.reset();
        openVulkan({}, ActivationType::Auto);
    }

    std::span<std::byte> weights(Shape shape, const quant::QuantFormat& format) {
        m_bytes.push_back(test::makeWeights(format, m_random, shape.numElems()));
        return m_bytes.back();
    }
    const tensor::Tensor* tensor(Shape shape, const quant::QuantFormat& format) {
        const auto bytes = weights(shape, format);
        return &m_tensors.emplace_back(
            tensor::Tensor{fmt::format("t{}", m_tensors.size()), shape, &format, bytes});
    }
    const tensor::Tensor* floats(Shape shape) { return tensor(shape, *quant::findFormat(quant::kF32)); }
    /// A value of random rows, one for each token.
    Value rows(graph::Builder& builder, uint32_t width) {
        return builder.embed(floats(Shape::of(width, kTokens)), fmt::format("x{}", m_tensors.size()));
    }

    /// What `build` makes of a builder is off by the rounding of its factors and by nothing else.
    template <typename Build>
    void check(std::string_view what, Build build, std::vector<size_t> chunks = {kTokens, 64, 10}) {
        SCOPED_TRACE(what);
        graph::Builder builder;
        builder.logits(build(builder));
        const Plan plan =
            graph::lower(builder.take().value(), {.maxTokens = kTokens, .maxLogitRows = kTokens});
        PlanRunner ours(*vulkan, plan, {});
        PlanRunner right(*cpu, plan, {});
        ASSERT_TRUE(ours.program && right.program);
        std::vector<TokenId> tokens(kTokens);
        std::iota(tokens.begin(), tokens.end(), 0);
        const auto expected = right.feed(*right.sequence(), tokens, kTokens);
        for (const size_t chunk : chunks) {
            const double error = nmse(ours.feed(*ours.sequence(), tokens, chunk), expected);
            EXPECT_LT(error, 4 * kHalvesError) << chunk;
            EXPECT_GT(error, kHalvesError / 100) << "not in halves, " << chunk;
        }
        std::swap(tokens[3], tokens[130]);
        EXPECT_GT(nmse(ours.feed(*ours.sequence(), tokens, kTokens), expected), 1000 * kHalvesError);
    }

    /// Of products of `width` columns, of `count` outputs a part.
    void checkEpilogues(uint32_t width, uint32_t count) {
        const auto& f16 = *quant::findFormat(quant::kF16);
        check("bias, residual", [&](graph::Builder& builder) {
            const Value product = builder.linear(rows(builder, width), tensor(Shape::of(width, count), f16),
                                                 floats(Shape::of(count)), "product");
            return builder.add(rows(builder, count), product, "y");
        });
        check("bias, activation", [&](graph::Builder& builder) {
            const Value product = builder.linear(rows(builder, width), tensor(Shape::of(width, count), f16),
                                                 floats(Shape::of(count)), "product");
            return builder.activation(product, ActivationKind::Gelu, "y");
        });
        check("a gated pair", [&](graph::Builder& builder) {
            const Value x = rows(builder, width);
            const Value gate = builder.linear(x, tensor(Shape::of(width, count), f16), "gate");
            const Value up = builder.linear(x, tensor(Shape::of(width, count), f16), "up");
            return builder.multiply(builder.activation(gate, ActivationKind::Silu, "f"), up, "y");
        });
        check("three of one format", [&](graph::Builder& builder) {
            const Value x = rows(builder, width);
            const Value a = builder.linear(x, tensor(Shape::of(width, count), f16), "a");
            const Value b = builder.linear(x, tensor(Shape::of(width, count), f16), "b");
            const Value c = builder.linear(x, tensor(Shape::of(width, count), f16), "c");
            return builder.add(builder.multiply(a, b, "ab"), c, "y");
        });
    }

    std::mt19937 m_random{11};
    std::deque<std::vector<std::byte>> m_bytes;
    std::deque<tensor::Tensor> m_tensors;
};

TEST_F(MatmulTest, everyFormatIsOffByRoundingOnly) {
    info.limits.multiprocessors = 4096;  // small tiles are compiled fast
    openVulkan({}, ActivationType::Auto);
    for (const quant::QuantFormat* format : quant::allFormats()) {
        const WeightFormat* planes = findWeightFormat(format->id);
        if (!planes || !findShader(fmt::format("matmul_halves_{}", planes->name))) continue;
        const uint32_t width = format->blockElems == 1 ? 201 : std::max(96u, 3 * format->blockElems);
        check(format->name, [&](graph::Builder& builder) {
            return builder.linear(rows(builder, width), tensor(Shape::of(width, 301), *format), "y");
        });
    }
}

/// Few rows are multiplied in floats, as ops_test.cpp has it.
TEST_F(MatmulTest, expertsTakeTheirRowsInTiles) {
    const auto& q4 = *quant::findFormat("Q4_0");
    for (const uint32_t numExperts : {3U, 21U}) {
        const auto build = [&](graph::Builder& builder) {
            constexpr uint32_t kWidth = 128, kInner = 192, kOutputs = 140;
            const Value routing = builder.routeExperts(rows(builder, numExperts), {.numUsed = 3}, "routing");
            const Value up = builder.expertLinear(rows(builder, kWidth), routing,
                                                  tensor(Shape::of(kWidth, kInner, numExperts), q4),
                                                  floats(Shape::of(kInner, numExperts)), "up");
            const Value down = builder.expertLinear(
                up, routing, tensor(Shape::of(kInner, kOutputs, numExperts), q4), "down");
            return builder.expertSum(down, routing, "y");
        };
        check(fmt::format("{} experts", numExperts), build, {kTokens, 64, 17});
    }
}

TEST_F(MatmulTest, whatFollowsAProduct) {
    checkEpilogues(70, 133);
    checkEpilogues(130, 144);
}

/// Where multiprocessors are many, workgroups share out the columns.
TEST_F(MatmulTest, whatFollowsTheSumOfParts) {
    info.limits.multiprocessors = 4096;
    openVulkan({}, ActivationType::Auto);
    ASSERT_GT(likelyTilings(info, {133, 1200, 150}, kScratchBytes).at(0).numParts, 2u);
    checkEpilogues(1200, 133);
}

/// The row of products of a single output with a weight of 1 for each column, where all x are `value`.
TEST_F(MatmulTest, valuesThatNoHalfHolds) {
    const auto& f16 = *quant::findFormat(quant::kF16);
    constexpr uint32_t kWidth = 32;
    const auto productOf = [&](float value) {
        const Shape shape = Shape::of(kWidth, kTokens);
        const auto x = weights(shape, *quant::findFormat(quant::kF32));
        std::ranges::fill(std::span(reinterpret_cast<float*>(x.data()), shape.numElems()), value);
        const auto ones = weights(Shape::of(kWidth, 1), f16);
        std::ranges::fill(std::span(reinterpret_cast<uint16_t*>(ones.data()), kWidth), uint16_t{0x3C00});
        const tensor::Tensor table{"x", shape, quant::findFormat(quant::kF32), x};
        const tensor::Tensor matrix{"w", Shape::of(kWidth, 1), &f16, ones};
        graph::Builder builder;
        builder.logits(builder.linear(builder.embed(&table, "rows"), &matrix, "y"));
        const Plan plan =
            graph::lower(builder.take().value(), {.maxTokens = kTokens, .maxLogitRows = kTokens});
        PlanRunner runner(*vulkan, plan, {});
        EXPECT_TRUE(runner.program);
        const auto sequence = runner.sequence();
        const std::vector<TokenId> tokens(kTokens, 0);
        const SequenceRun run{sequence.get(), kTokens};
        std::vector<uint32_t> all(kTokens);
        std::iota(all.begin(), all.end(), 0);
        EXPECT_TRUE(runner.program->run({tokens, {&run, 1}, all}));
        const auto output = runner.program->readOutput(kTokens - 1);
        return output ? std::optional((*output)[0]) : std::nullopt;
    };
    EXPECT_EQ(productOf(2), 64);
    EXPECT_EQ(productOf(1e6F), kWidth * 65504);
    EXPECT_EQ(productOf(-1e6F), -(kWidth * 65504.0F));
    EXPECT_EQ(productOf(INFINITY), std::nullopt);  // is an error, as in floats
    EXPECT_EQ(productOf(NAN), std::nullopt);
}

// ---- In floats, on every computer

class FloatMatmulTest : public TwoBackends {};

/// Tiles as cards have them, and as software has.
TEST_F(FloatMatmulTest, tilesOfEverySizeAreExact) {
    constexpr uint32_t kWidth = 96, kOutputs = 200;
    std::mt19937 random{5};
    const auto& f32 = *quant::findFormat(quant::kF32);
    const auto& q8 = *quant::findFormat("Q8_0");
    const auto rows = test::makeWeights(f32, random, kWidth * kTokens);
    const auto gates = test::makeWeights(q8, random, kWidth * kOutputs);
    const auto ups = test::makeWeights(q8, random, kWidth * kOutputs);
    const tensor::Tensor table{"x", Shape::of(kWidth, kTokens), &f32, rows};
    const tensor::Tensor gate{"gate", Shape::of(kWidth, kOutputs), &q8, gates};
    const tensor::Tensor up{"up", Shape::of(kWidth, kOutputs), &q8, ups};
    graph::Builder builder;
    const Value x = builder.embed(&table, "rows");
    const Value activated =
        builder.activation(builder.linear(x, &gate, "gate"), ActivationKind::Silu, "activated");
    builder.logits(builder.multiply(activated, builder.linear(x, &up, "up"), "y"));
    const Plan plan = graph::lower(builder.take().value(), {.maxTokens = kTokens, .maxLogitRows = kTokens});
    std::vector<TokenId> tokens(kTokens);
    std::iota(tokens.begin(), tokens.end(), 0);
    PlanRunner right(*cpu, plan, {});
    const auto expected = right.feed(*right.sequence(), tokens, kTokens);
    std::set<uint32_t> sizes;
    for (const uint32_t multiprocessors : {1U, 4096U}) {
        vulkan.reset();
        info.kind = DeviceKind::Discrete;
        info.limits.multiprocessors = multiprocessors;
        openVulkan();
        ASSERT_TRUE(vulkan);
        const uint32_t epilogue[] = {0, 0, 0, ~0U};
        const MatmulKernels kernels(info, ActivationType::F32);
        sizes.insert(
            kernels.find(*findWeightFormat(q8.id), {kOutputs, kWidth, kTokens}, epilogue, 0).groups[0]);
        PlanRunner ours(*vulkan, plan, {});
        ASSERT_TRUE(ours.program);
        EXPECT_LT(nmse(ours.feed(*ours.sequence(), tokens, kTokens), expected), 1e-9) << multiprocessors;
    }
    EXPECT_EQ(sizes.size(), 2u);
}

/// Whatever is timed as the fastest computes the same, and is not timed again.
TEST_F(MatmulTest, tilingsAreTimedOnceAndRemembered) {
    const test::TemporaryFolder folder;
    const std::string path = tilingCachePath(folder.path().string(), info);
    vulkan.reset();
    openVulkan(folder.path().string(), ActivationType::Auto);
    const auto& q8 = *quant::findFormat("Q8_0");
    const auto product = [&] {
        check("a matrix",
              [&](graph::Builder& builder) {
                  return builder.linear(rows(builder, 576), tensor(Shape::of(576, 96), q8), "y");
              },
              {kTokens, 64});
    };
    product();
    const auto tilings = readTilingCache(path, info);
    std::set<uint32_t> tokens;
    for (const auto& [kind, timed] : tilings) {
        EXPECT_GT(timed.productsPerSecond, 0u);
        if (std::get<0>(kind) == "q8_0") tokens.insert(std::get<3>(kind));
    }
    EXPECT_TRUE(tokens.contains(16)) << "nothing was timed";

    std::filesystem::last_write_time(path, std::filesystem::file_time_type{});
    vulkan.reset();
    openVulkan(folder.path().string(), ActivationType::Auto);
    product();
    EXPECT_EQ(std::filesystem::last_write_time(path), std::filesystem::file_time_type{}) << "timed again";
}

// ---- How they are written down

/// Operands of each instruction with one of `opcodes`.
std::vector<std::vector<uint32_t>> instructions(std::span<const uint32_t> words, std::set<uint32_t> opcodes) {
    std::vector<std::vector<uint32_t>> found;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        if (words[at] >> 16 == 0) return {};
        if (opcodes.contains(words[at] & 0xFFFF))
            found.emplace_back(&words[at + 1], &words[at] + (words[at] >> 16));
    }
    return found;
}

TEST(CooperativeMatrix, everyShaderIsWrittenInKhrsInstructions) {
    uint32_t count = 0;
    for (const Shader& shader : allShaders()) {
        const auto words = withKhrMatrices(shader.words);
        if (instructions(shader.words, {5358}).empty()) {
            EXPECT_TRUE(std::ranges::equal(words, shader.words)) << shader.name;
            continue;
        }
        SCOPED_TRACE(shader.name);
        EXPECT_THAT(instructions(words, {5358, 5359, 5360, 5361, 5362}), testing::IsEmpty());
        EXPECT_THAT(instructions(words, {17}), testing::Contains(std::vector<uint32_t>{6022}));
        EXPECT_THAT(instructions(words, {17}), testing::Not(testing::Contains(std::vector<uint32_t>{5357})));
        const std::string_view text(reinterpret_cast<const char*>(words.data()), words.size() * 4);
        EXPECT_NE(text.find(std::string_view("SPV_KHR_cooperative_matrix\0", 27)), std::string_view::npos);
        // The three constants that uses and layouts are told with.
        const uint32_t first = shader.words[3];
        EXPECT_EQ(words[3], first + 3);
        std::map<uint32_t, uint32_t> constants;
        for (const auto& constant : instructions(words, {43})) constants[constant[1]] = constant[2];
        for (uint32_t value = 0; value < 3; ++value) EXPECT_EQ(constants.at(first + value), value);
        if (!shader.name.starts_with("matmul_halves_")) continue;
        ++count;
        // Type, result, then the rest: a product of a left and a right factor is added to sums.
        std::map<uint32_t, uint32_t> uses;
        for (const auto& type : instructions(words, {4456})) uses[type[0]] = constants.at(type[5]);
        EXPECT_THAT(uses, testing::SizeIs(3));
        std::map<uint32_t, uint32_t> factors;
        for (const auto& load : instructions(words, {4457})) {
            const uint32_t use = uses.at(load[0]);
            if (use == 2) continue;  // sums are loaded both ways
            ++factors[use];
            EXPECT_EQ(use, constants.at(load[3])) << "left factors lie in rows, right ones in columns";
        }
        EXPECT_THAT(factors, testing::ElementsAre(testing::Pair(0, 1), testing::Pair(1, 1)));
        const auto products = instructions(words, {4459});
        ASSERT_THAT(products, testing::SizeIs(1));
        EXPECT_EQ(uses.at(products[0][0]), 2u);
    }
    EXPECT_GE(count, 25u);
}

}  // namespace
}  // namespace ingle::backend::vulkan
