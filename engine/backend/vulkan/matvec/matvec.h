/// The kernels that multiply few rows by a matrix: shaders/matvec.comp and matvec_int.comp, in several
/// shapes.
#pragma once

#include <array>
#include <compare>
#include <vector>

#include "engine/backend/vulkan/matvec/matvec_input.h"
#include "engine/backend/vulkan/substrate/pipelines.h"
#include "engine/backend/vulkan/weights/matrix_push.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// Most rows of x that they multiply.
inline constexpr uint32_t kMaxMatvecRows = 16;

/// Up to so many rows, all kernels compute each row as they compute it alone, bit by bit: guesses may be fed
/// beside what is certain.
inline constexpr uint32_t kAlikeRows = 8;

/// Push constants of matvec.comp and, with numTokens, of matmul.comp.
struct LinearPush {
    MatrixPush matrix;
    uint32_t numOut, split1, split2;
    uint32_t numTokens;
};
/// Of a matrix that is not stacked.
LinearPush linearPush(const DeviceMatrix& matrix, const MatrixShard& shard, uint32_t numTokens);

/// How a workgroup of shaders/matvec.glsl computes.
struct MatvecShape {
    MatvecInput input = MatvecInput::Floats;
    uint32_t invocations = 0;
    uint32_t teams = 1;         ///< of invocations, each with outputs of its own
    uint32_t outputs = 1;       ///< of a team
    uint32_t groups = 1;        ///< of 32 values that an invocation loads of each row before it computes
    uint32_t subgroupSize = 0;  ///< demanded, as several teams need it; 0: as the driver likes

    /// Whether both add up the products of a row in the same order, for any number of rows of x.
    bool addsUpLike(const MatvecShape& other) const {
        return input == other.input && invocations / teams == other.invocations / other.teams &&
               subgroupSize == other.subgroupSize;
    }
    auto operator<=>(const MatvecShape&) const = default;
};

/// The constants of shaders/epilogue.glsl where nothing follows the product.
inline constexpr std::array<uint32_t, 4> kPlainEpilogue{0, 0, 0, ~0U};

/// The kernel of a shape for `numRows` rows of x. `epilogue`: the constants of shaders/epilogue.glsl.
PipelineSpec matvecKernel(const MatvecShape& shape, const WeightFormat& format, uint32_t numRows,
                          std::span<const uint32_t> epilogue);

/// Workgroups that cover `numOutputs`.
std::array<uint32_t, 3> matvecGroups(const MatvecShape& shape, uint32_t numOutputs);

/// One subgroup, and floats: what works everywhere.
MatvecShape simplestMatvec(const DeviceInfo& device);

/// The shapes worth trying for a type on a device, for one row of x or for several: bytes where `activations`
/// allows it and the device multiplies them.
std::vector<MatvecShape> matvecCandidates(const DeviceInfo& device, const WeightFormat& format,
                                          ActivationType activations, uint32_t numRows);

}  // namespace ingle::backend::vulkan
