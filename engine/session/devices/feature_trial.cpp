#include "engine/session/devices/feature_trial.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "engine/backend/vulkan/program/vulkan_backend.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "engine/session/devices/backends.h"

namespace ingle::session {

using backend::vulkan::DeviceFeature;
using backend::vulkan::MatvecInput;

namespace {

constexpr uint32_t kTrialHeadDim = 64, kNumHeads = 4, kNumKvHeads = 2;
constexpr uint32_t kTrialWidth = kNumHeads * kTrialHeadDim, kTrialInner = 640, kTrialVocab = 250;
/// Rows of the steps: with units a prompt that no tile divides, and parts that end inside of tiles; then an
/// answer, and several. Bytes are multiplied in these only.
constexpr uint32_t kUnitsSteps[] = {509, 90, 1, 5};
constexpr uint32_t kBytesSteps[] = {5, 1, 8};
constexpr uint32_t kTrialTokens = 640;  ///< of all steps, at most
/// sum((a-b)^2) / sum(b^2) of logits: as where activations are rounded to bytes, see self_check.cpp.
constexpr double kMaxTrialError = 1e-2;

/// A layer, and the table and the matrix around it, of random weights.
class RandomLayer {
  public:
    /// Outputs are logits of all rows.
    backend::Plan plan(uint32_t mostRows) {
        graph::Builder b;
        const graph::Value x = b.embed(halves(kTrialWidth, kTrialVocab), "x");
        const graph::Value n = b.rmsNorm(x, gains(), kEps, "n");
        const graph::Value q = b.linear(n, nibbles(kTrialWidth, kTrialWidth), "q");
        const graph::Value k = b.linear(n, nibbles(kTrialWidth, kNumKvHeads * kTrialHeadDim), "k");
        const graph::Value v = b.linear(n, nibbles(kTrialWidth, kNumKvHeads * kTrialHeadDim), "v");
        b.kvAppend(k, v, 0);
        const backend::AttentionParams params{0,     kNumHeads, kNumKvHeads, kTrialHeadDim, kTrialHeadDim,
                                              0.125F};
        const graph::Value a = b.attention(q, params, "a");
        const graph::Value h = b.add(x, b.linear(a, nibbles(kTrialWidth, kTrialWidth), "o"), "h");
        const graph::Value m = b.rmsNorm(h, gains(), kEps, "m");
        const graph::Value gate = b.linear(m, nibbles(kTrialWidth, kTrialInner), "gate");
        const graph::Value up = b.linear(m, nibbles(kTrialWidth, kTrialInner), "up");
        const graph::Value inner =
            b.multiply(b.activation(gate, backend::ActivationKind::Silu, "f"), up, "inner");
        const graph::Value y = b.add(h, b.linear(inner, nibbles(kTrialInner, kTrialWidth), "down"), "y");
        b.logits(b.linear(b.rmsNorm(y, gains(), kEps, "last"), nibbles(kTrialWidth, kTrialVocab), "logits"));
        return graph::lower(b.take().value(), {.maxTokens = mostRows, .maxLogitRows = mostRows});
    }

  private:
    static constexpr float kEps = 1e-6F;

    const tensor::Tensor* keep(tensor::Shape shape, std::string_view format, std::vector<uint8_t> bytes) {
        m_bytes.push_back(std::move(bytes));
        return &m_tensors.emplace_back(tensor::Tensor{fmt::format("t{}", m_tensors.size()), shape,
                                                      quant::findFormat(format),
                                                      std::as_bytes(std::span(m_bytes.back()))});
    }
    uint8_t byte() { return static_cast<uint8_t>(m_random()); }

    /// F16 of either sign, from 1/128 to 1/16.
    const tensor::Tensor* halves(uint32_t width, uint32_t rows) {
        std::vector<uint8_t> bytes(2 * size_t{width} * rows);
        for (size_t i = 0; i < bytes.size(); i += 2) {
            bytes[i] = byte();
            bytes[i + 1] = static_cast<uint8_t>((byte() & 0x80) | (0x20 + byte() % 12));
        }
        return keep(tensor::Shape::of(width, rows), "F16", std::move(bytes));
    }
    /// Q4_0: blocks of a scale of 1/128, and 32 numbers of four bits.
    const tensor::Tensor* nibbles(uint32_t width, uint32_t rows) {
        constexpr size_t kBlockBytes = 18, kBlockElems = 32;
        std::vector<uint8_t> bytes(size_t{width} * rows / kBlockElems * kBlockBytes);
        for (uint8_t& each : bytes) each = byte();
        for (size_t i = 0; i < bytes.size(); i += kBlockBytes) {
            bytes[i] = 0;
            bytes[i + 1] = 0x20;
        }
        return keep(tensor::Shape::of(width, rows), "Q4_0", std::move(bytes));
    }
    /// F32: ones.
    const tensor::Tensor* gains() {
        std::vector<uint8_t> bytes(sizeof(float) * kTrialWidth);
        const float one = 1;
        for (uint32_t i = 0; i < kTrialWidth; ++i) std::memcpy(&bytes[i * sizeof one], &one, sizeof one);
        return keep(tensor::Shape::of(kTrialWidth), "F32", std::move(bytes));
    }

    std::minstd_rand m_random{5};
    std::deque<std::vector<uint8_t>> m_bytes;
    std::deque<tensor::Tensor> m_tensors;
};

/// The logits of all steps' rows.
Result<std::vector<float>> trialLogits(backend::Backend& backend, const backend::Plan& plan,
                                       std::span<const uint32_t> steps, const std::function<void()>& goesOn) {
    const backend::MemorySpec memory{.kv = {{kNumKvHeads * kTrialHeadDim, kNumKvHeads * kTrialHeadDim}},
                                     .states = {}};
    INGLE_TRY_ASSIGN(const auto pool, backend.createMemory(memory, {KvType::F16, kTrialTokens}));
    INGLE_TRY_ASSIGN(const auto program, backend.compile(plan, *pool));
    INGLE_TRY_ASSIGN(const auto sequence, pool->createSequence());
    std::vector<float> logits;
    TokenId token = 0;
    goesOn();
    for (const uint32_t numRows : steps) {
        std::vector<TokenId> tokens(numRows);
        for (TokenId& each : tokens) each = token = (token + 101) % static_cast<TokenId>(kTrialVocab);
        std::vector<uint32_t> rows(numRows);
        std::iota(rows.begin(), rows.end(), 0);
        const backend::SequenceRun run{sequence.get(), numRows};
        INGLE_TRY(program->run({tokens, {&run, 1}, rows}));
        for (const uint32_t row : rows) {
            INGLE_TRY_ASSIGN(const std::span<const float> some, program->readOutput(row));
            logits.insert(logits.end(), some.begin(), some.end());
        }
        goesOn();
    }
    return logits;
}

}  // namespace

Status tryFeature(const std::string& identity, DeviceFeature feature, const std::function<void()>& goesOn) {
    const bool isOfBytes = feature == DeviceFeature::Bytes;
    const std::span<const uint32_t> steps =
        isOfBytes ? std::span<const uint32_t>(kBytesSteps) : std::span<const uint32_t>(kUnitsSteps);
    RandomLayer layer;
    const backend::Plan plan = layer.plan(std::ranges::max(steps));
    INGLE_TRY_ASSIGN(const auto device,
                     backend::vulkan::createVulkanBackend(
                         {.identity = identity,
                          .withoutUnits = feature != DeviceFeature::Units,
                          .withoutBytes = !isOfBytes,
                          .untimed = isOfBytes ? MatvecInput::Bytes : MatvecInput::Floats}));
    goesOn();
    INGLE_TRY_ASSIGN(const auto processor,
                     createProcessor({.threads = 1, .activations = ActivationType::F32}));
    INGLE_TRY_ASSIGN(const auto logits, trialLogits(*device, plan, steps, goesOn));
    INGLE_TRY_ASSIGN(const auto expected, trialLogits(*processor, plan, steps, goesOn));
    double error = 0, total = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        error += (double{logits[i]} - expected[i]) * (double{logits[i]} - expected[i]);
        total += double{expected[i]} * expected[i];
    }
    if (error <= kMaxTrialError * total) return {};
    return fail(ErrorCode::Device, "they compute wrong values (relative error {:.1e})", error / total);
}

}  // namespace ingle::session
