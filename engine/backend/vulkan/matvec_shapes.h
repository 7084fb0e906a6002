/// How the workgroups of shaders/matvec.comp divide a matrix: measured on the device, not guessed from its
/// name.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/vulkan/weights/weight_store.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// Push constants of matvec.comp and, with numTokens, of matmul.comp.
struct LinearPush {
    uint32_t rowVectors, plane1, plane2, plane3;
    uint32_t k, numRows, firstRow;
    uint32_t numOut, split1, split2;
    uint32_t numTokens;
};
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

/// The shapes worth trying for a type on a device: one to four subgroups of invocations, and bytes where
/// `activations` allows it and the device multiplies them.
std::vector<MatvecShape> matvecCandidates(const DeviceInfo& device, const WeightFormat& format,
                                          ActivationType activations);

/// The fastest shape for each type and length of row. What was measured is kept in a file, since it takes as
/// long as compiling all the candidates; without a folder for it nothing is measured and one guess serves
/// all.
class MatvecShapes {
  public:
    /// cacheFolder: an existing folder, or empty.
    MatvecShapes(Device& device, Pipelines& pipelines, ActivationType activations,
                 const std::string& cacheFolder);

    MatvecShape find(const WeightFormat& format, uint32_t k) const;
    /// Times every candidate on each kind of matrix that is not known yet, on its own weights. Those that do
    /// not compile or run are left out. Errors: Device (lost), OutOfMemory.
    Status measure(std::span<const DeviceMatrix* const> matrices);

    /// Whether activations are rounded for some matrix.
    bool haveBytes() const;
    /// Never again on this device: it gets them wrong. False: there were none.
    bool dropBytes();

  private:
    /// Type, and values of a row rounded up to a power of two.
    using Kind = std::pair<std::string, uint32_t>;
    static Kind kindOf(const WeightFormat& format, uint32_t k);
    /// Null: none of the candidates works.
    Result<std::optional<MatvecShape>> fastest(const DeviceMatrix& matrix);
    void read();
    Status write() const;

    Device& m_device;
    Pipelines& m_pipelines;
    ActivationType m_activations;
    std::string m_path;
    std::map<Kind, MatvecShape> m_shapes;
};

}  // namespace ingle::backend::vulkan
