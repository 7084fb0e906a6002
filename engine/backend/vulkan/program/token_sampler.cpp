#include "engine/backend/vulkan/program/token_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/backend/vulkan/recording/op_recording.h"
#include "engine/sampling/sampler.h"

namespace ingle::backend::vulkan {
namespace {

/// `Choice` of shaders/topk.glsl.
struct alignas(8) Params {
    uint32_t numKept = 0, numIds = 0;
    uint32_t sharpnessHigh = 0, sharpnessLow = 0;
    uint32_t topP = 0;
    float minP = 0;
    uint32_t chance = 0;
};

/// Of `Result` of shaders/sample.comp.
struct Outcome {
    uint32_t id = 0, flags = 0;
};

constexpr uint32_t kMostInvocations = 512;  // each compares two candidates at a time
constexpr uint32_t kSorted = 1024;          // candidates a workgroup sorts
constexpr uint32_t kKeepAll = ~0U;
constexpr uint32_t kNotFinite = 1;
constexpr double kTwo32 = 4294967296.0;

PipelineSpec kernel(const DeviceInfo& device, const char* shader, bool fromLogits) {
    const uint32_t most = std::min(kMostInvocations, device.limits.maxWorkgroupSize);
    return {shader, {std::bit_floor(most), fromLogits}, 0};
}

}  // namespace

Result<std::unique_ptr<TokenSampler>> TokenSampler::create(const DeviceContext& context, uint32_t numTurns,
                                                           uint32_t maxRows) {
    std::unique_ptr<TokenSampler> sampler(new TokenSampler(context, maxRows));
    const auto forTurns = [&](size_t bytesOfRow) {
        return std::vector<uint64_t>(numTurns, maxRows * bytesOfRow);
    };
    INGLE_TRY_ASSIGN(sampler->m_params, sampler->m_paramsMemory.allocate(forTurns(sizeof(Params))));
    INGLE_TRY_ASSIGN(sampler->m_results, sampler->m_resultMemory.allocate(forTurns(sizeof(Outcome))));
    return sampler;
}

Status TokenSampler::record(uint32_t turn, uint32_t numRows, uint32_t numLogits, const Buffers& buffers,
                            Recorder& recorder) const {
    const auto dispatch = [&](const char* shader, bool fromLogits, uint32_t count, const BufferRange& source,
                              const BufferRange& target) -> Status {
        INGLE_TRY_ASSIGN(const Pipeline* pipeline,
                         m_context.pipelines.compile(kernel(m_context.device.info(), shader, fromLogits)));
        const struct {
            uint32_t numSources, sourceStride;
        } push{count, fromLogits ? paddedWidth(count) : count};
        return recorder.dispatch(
            {pipeline,
             {updates(buffers.step), reads(source), reads(m_params[turn]), writes(target)},
             push,
             {groupsFor(count, kSorted), numRows, 1}});
    };
    // Each round leaves a sixteenth; the two halves of the scratch memory take turns.
    BufferRange source = buffers.logits;
    bool fromLogits = true;
    uint32_t count = numLogits;
    const uint64_t half = buffers.scratch.bytes / 2 / kRangeAlignment * kRangeAlignment;
    for (uint32_t round = 0; count > kSorted; ++round) {
        const uint32_t kept = groupsFor(count, kSorted) * kMaxCandidates;
        const BufferRange target = buffers.scratch.part(round % 2 * half, uint64_t{numRows} * kept * 8);
        INGLE_TRY(dispatch("topk", fromLogits, count, source, target));
        source = target;
        fromLogits = false;
        count = kept;
    }
    return dispatch("sample", fromLogits, count, source, m_results[turn]);
}

void TokenSampler::setParams(Place place, const SamplerParams& params, uint64_t position, uint32_t numIds) {
    Params values{
        .numKept = 1, .numIds = numIds, .topP = kKeepAll, .minP = std::numeric_limits<float>::lowest()};
    if (params.temperature > 0) {
        values.numKept = static_cast<uint32_t>(params.topK);
        // Beyond 2^30 only the best has any weight.
        const double sharpness = std::min(std::numbers::log2e / params.temperature, kTwo32 / 4);
        values.sharpnessHigh = static_cast<uint32_t>(sharpness);
        values.sharpnessLow = static_cast<uint32_t>((sharpness - std::floor(sharpness)) * kTwo32);
        if (params.topP < 1) values.topP = static_cast<uint32_t>(std::max(params.topP, 0.0f) * kTwo32);
        if (params.minP > 0) values.minP = std::log(std::min(params.minP, 1.0f));
        values.chance = static_cast<uint32_t>(sampling::uniform(params.seed, position) * kTwo32);
    }
    std::memcpy(m_params[place.turn].host + place.row * sizeof(values), &values, sizeof(values));
    const Outcome none{kKeepAll, 0};
    std::memcpy(m_results[place.turn].host + place.row * sizeof(none), &none, sizeof(none));
}

Result<TokenId> TokenSampler::chosen(Place place, uint32_t numIds) const {
    Outcome outcome;
    std::memcpy(&outcome, m_results[place.turn].host + place.row * sizeof(outcome), sizeof(outcome));
    if ((outcome.flags & kNotFinite) != 0) return fail(ErrorCode::Device, "{}", kNotFiniteMessage);
    if (outcome.id < numIds) return static_cast<TokenId>(outcome.id);
    return fail(ErrorCode::Device, "the graphics device chose token {} of {}", outcome.id, numIds);
}

}  // namespace ingle::backend::vulkan
