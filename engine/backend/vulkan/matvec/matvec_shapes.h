/// Which matvec kernel each kind of matrix is multiplied with: what was measured on this device.
#pragma once

#include <optional>

#include "engine/backend/vulkan/matvec/matmul.h"
#include "engine/backend/vulkan/matvec/shape_cache.h"

namespace ingle::backend::vulkan {

/// The fastest shape for each type, length of row and number of rows of x. What was measured is kept in a
/// file, since it takes as long as compiling all the candidates; without a folder for it nothing is measured
/// and one guess serves all.
class MatvecShapes {
  public:
    /// cacheFolder: an existing folder, or empty. `untimed`: the input of what was not measured, where the
    /// device has it.
    MatvecShapes(Device& device, Pipelines& pipelines, ActivationType activations,
                 const std::string& cacheFolder, MatvecInput untimed = MatvecInput::Floats);

    /// For `numRows` rows of x: up to kAlikeRows, what they give is added up in the same order. None where a
    /// product of many rows (matmul.h) is the better one.
    std::optional<MatvecShape> find(const WeightFormat& format, uint32_t k, uint32_t numRows) const;
    /// Times every candidate on each kind of matrix that is not known yet, on its own weights. Errors: as
    /// MatvecTrial.
    Status measure(std::span<const DeviceMatrix* const> matrices, const MatmulKernels& matmulKernels);

    /// Whether the device multiplies bytes, and may.
    bool mayHaveBytes() const;
    /// Whether activations are rounded for some matrix.
    bool haveBytes() const;
    /// Never again on this device: it gets them wrong. False: there were none.
    bool dropBytes();

  private:
    /// Where nothing was measured.
    MatvecShape guess(const WeightFormat& format, uint32_t numRows) const;
    Status measureKind(const DeviceMatrix& matrix, const MatmulKernels& matmulKernels);

    Device& m_device;
    Pipelines& m_pipelines;
    ActivationType m_activations;
    std::string m_path;
    MatvecInput m_untimed;
    ShapeTable m_shapes;
};

}  // namespace ingle::backend::vulkan
