#include "engine/backend/vulkan/matvec/matvec.h"

#include <algorithm>

#include "engine/backend/vulkan/substrate/recorder.h"
#include "engine/backend/vulkan/substrate/shaders.h"

namespace ingle::backend::vulkan {
namespace {

/// Of a workgroup. Even, since gates and values come in pairs; a value of x serves them all.
constexpr uint32_t kOutputs = 4;
constexpr uint32_t kMaxGroupsX = 32768;
constexpr uint32_t kMaxInvocations = 256;  // matvec.comp has room for the sums of so many

std::string shaderOf(MatvecInput input, const WeightFormat& format) {
    return fmt::format("{}_{}", input == MatvecInput::Bytes ? "matvec_int" : "matvec", format.name);
}

}  // namespace

LinearPush linearPush(const DeviceMatrix& matrix, const MatrixShard& shard, uint32_t numTokens) {
    return {.matrix = matrixPush(matrix, shard),
            .numOut = matrix.numRows,
            .split1 = matrix.numRows,
            .split2 = matrix.numRows,
            .numTokens = numTokens};
}

PipelineSpec matvecKernel(const MatvecShape& shape, const WeightFormat& format, uint32_t numRows,
                          std::span<const uint32_t> epilogue) {
    PipelineSpec spec{shaderOf(shape.input, format), {shape.invocations, numRows, kOutputs}, 0};
    spec.constants.insert(spec.constants.end(), epilogue.begin(), epilogue.end());
    return spec;
}

std::array<uint32_t, 3> matvecGroups(uint32_t numOutputs) {
    const uint32_t groups = groupsFor(numOutputs, kOutputs);
    const uint32_t groupsX = std::min(groups, kMaxGroupsX);
    return {groupsX, groupsFor(groups, groupsX), 1};
}

MatvecShape simplestMatvec(const DeviceInfo& device) {
    return {std::min(device.limits.subgroupSize, kMaxInvocations), MatvecInput::Floats};
}

std::vector<MatvecShape> matvecCandidates(const DeviceInfo& device, const WeightFormat& format,
                                          ActivationType activations) {
    const uint32_t most = std::min(kMaxInvocations, device.limits.maxWorkgroupSize);
    const bool bytes = activations == ActivationType::Auto && device.features.integerDot &&
                       findShader(shaderOf(MatvecInput::Bytes, format)) != nullptr;
    std::vector<MatvecShape> candidates;
    const auto add = [&](const MatvecShape& shape) {
        if (std::ranges::find(candidates, shape) == candidates.end()) candidates.push_back(shape);
    };
    for (const uint32_t subgroups : {1U, 2U, 4U}) {
        const uint32_t invocations = std::min(subgroups * device.limits.subgroupSize, most);
        add({invocations, MatvecInput::Floats});
        if (bytes) add({invocations, MatvecInput::Bytes});
    }
    return candidates;
}

}  // namespace ingle::backend::vulkan
