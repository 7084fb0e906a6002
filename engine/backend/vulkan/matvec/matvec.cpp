#include "engine/backend/vulkan/matvec/matvec.h"

#include <algorithm>

#include "engine/backend/vulkan/substrate/recorder.h"
#include "engine/backend/vulkan/substrate/shaders.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kMaxGroupsX = 32768;
constexpr uint32_t kMaxInvocations = 256;  // the sums of more would not find room in shared memory

constexpr uint32_t kMaxSoftwareUnrolled = 2;

struct MatvecLayout {
    uint32_t outputs, subgroups, teams, groups;  ///< of a team; of a team; of a workgroup; at a time
};
// What was fastest for some type and size of matrix on some card. Outputs of a workgroup are even, since
// gates and values come in pairs.
constexpr MatvecLayout kByteLayoutsOfOne[] = {{2, 1, 4, 2}, {2, 2, 2, 1}, {1, 1, 4, 4}, {2, 4, 1, 1}};
constexpr MatvecLayout kByteLayoutsOfSeveral[] = {{2, 1, 4, 1}, {2, 2, 2, 1}, {4, 1, 4, 1}, {2, 4, 1, 1}};
constexpr MatvecLayout kFloatLayouts[] = {{2, 1, 4, 1}, {2, 4, 1, 1}};

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
    PipelineSpec spec{
        shaderOf(shape.input, format), {shape.invocations, numRows, shape.outputs}, shape.subgroupSize};
    spec.constants.insert(spec.constants.end(), epilogue.begin(), epilogue.end());
    spec.constants.insert(spec.constants.end(), {shape.teams, shape.groups});
    return spec;
}

std::array<uint32_t, 3> matvecGroups(const MatvecShape& shape, uint32_t numOutputs) {
    const uint32_t groups = groupsFor(numOutputs, shape.teams * shape.outputs);
    const uint32_t groupsX = std::min(groups, kMaxGroupsX);
    return {groupsX, groupsFor(groups, groupsX), 1};
}

MatvecShape simplestMatvec(const DeviceInfo& device) {
    return {.invocations = std::min(device.limits.subgroupSize, kMaxInvocations), .outputs = 2};
}

std::vector<MatvecShape> matvecCandidates(const DeviceInfo& device, const WeightFormat& format,
                                          ActivationType activations, uint32_t numRows) {
    const uint32_t subgroup = device.limits.subgroupSize;
    const uint32_t most = std::min(kMaxInvocations, device.limits.maxWorkgroupSize);
    const bool bytes = activations == ActivationType::Auto && device.features.integerDot &&
                       findShader(shaderOf(MatvecInput::Bytes, format)) != nullptr;
    std::vector<MatvecShape> candidates{simplestMatvec(device)};
    const auto add = [&](MatvecInput input, const MatvecLayout& layout) {
        // In software, what is unrolled takes seconds to compile.
        if (device.kind == DeviceKind::Cpu && layout.outputs * layout.groups > kMaxSoftwareUnrolled) return;
        MatvecShape shape{.input = input,
                          .invocations = subgroup * layout.teams * layout.subgroups,
                          .teams = layout.teams,
                          .outputs = layout.outputs,
                          .groups = layout.groups};
        if (input == MatvecInput::Bytes && !bytes) return;
        // Teams are told apart by whole subgroups of a known size.
        if (shape.teams > 1) shape.subgroupSize = subgroup;
        if (shape.teams > 1 && !device.features.subgroupSizeControl) return;
        if (shape.invocations <= most) candidates.push_back(shape);
    };
    for (const MatvecLayout& layout :
         numRows == 1 ? std::span(kByteLayoutsOfOne) : std::span(kByteLayoutsOfSeveral))
        add(MatvecInput::Bytes, layout);
    for (const MatvecLayout& layout : kFloatLayouts) add(MatvecInput::Floats, layout);
    return candidates;
}

}  // namespace ingle::backend::vulkan
