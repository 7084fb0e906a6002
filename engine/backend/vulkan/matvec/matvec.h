/// The kernels that multiply few rows by a matrix: shaders/matvec.comp and matvec_int.comp, in workgroups of
/// several sizes.
#pragma once

#include <array>
#include <compare>
#include <vector>

#include "engine/backend/vulkan/substrate/pipelines.h"
#include "engine/backend/vulkan/weights/matrix_push.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// Push constants of matvec.comp and, with numTokens, of matmul.comp.
struct LinearPush {
    MatrixPush matrix;
    uint32_t numOut, split1, split2;
    uint32_t numTokens;
};
/// Of a matrix that is not stacked.
LinearPush linearPush(const DeviceMatrix& matrix, const MatrixShard& shard, uint32_t numTokens);

/// How activations enter a product. Bytes: in blocks of 32, an approximation (shaders/matvec_int.comp).
enum class MatvecInput : uint8_t { Floats, Bytes };

/// Of one workgroup.
struct MatvecShape {
    uint32_t invocations = 0;
    MatvecInput input = MatvecInput::Floats;

    auto operator<=>(const MatvecShape&) const = default;
};

/// The kernel of a shape for `numRows` rows of x. `epilogue`: the constants of shaders/epilogue.glsl.
PipelineSpec matvecKernel(const MatvecShape& shape, const WeightFormat& format, uint32_t numRows,
                          std::span<const uint32_t> epilogue);

/// Workgroups that cover `numOutputs`.
std::array<uint32_t, 3> matvecGroups(uint32_t numOutputs);

/// One subgroup, and floats: what works everywhere.
MatvecShape simplestMatvec(const DeviceInfo& device);

/// The shapes worth trying for a type on a device: one to four subgroups of invocations, and bytes where
/// `activations` allows it and the device multiplies them.
std::vector<MatvecShape> matvecCandidates(const DeviceInfo& device, const WeightFormat& format,
                                          ActivationType activations);

}  // namespace ingle::backend::vulkan
