/// Which matvec kernel is the fastest on a device: tried, not guessed from the device's name.
#pragma once

#include <optional>

#include "engine/backend/vulkan/matvec/kernel_timer.h"
#include "engine/backend/vulkan/matvec/matmul.h"
#include "engine/backend/vulkan/matvec/shape_cache.h"

namespace ingle::backend::vulkan {

/// Multiplies rows by the first shard of a matrix. Errors: Device (lost), OutOfMemory.
class MatvecTrial {
  public:
    static Result<MatvecTrial> create(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines);

    /// What each of `candidates` reads a second; 0: its kernel does not compile or run. Takes as long as
    /// compiling all of them.
    Result<std::vector<TimedShape>> timed(std::span<const MatvecShape> candidates, uint32_t numRows);
    /// Whether a matvec takes no longer than a product of many rows.
    Result<bool> isFasterThan(const MatmulKernels& products, const MatvecShape& shape, uint32_t numRows);

  private:
    MatvecTrial(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines);
    std::array<uint32_t, 3> groupsOf(const MatvecShape& shape) const;
    /// Of one product; infinite where the pipeline, or its run, has failed.
    Result<double> seconds(const Result<const Pipeline*>& pipeline, std::array<uint32_t, 3> groups,
                           uint32_t numRows);

    const DeviceMatrix& m_matrix;
    Device& m_device;
    Pipelines& m_pipelines;
    std::unique_ptr<Allocator> m_memory;
    std::vector<BufferRange> m_ranges;  // x, y, and what is bound where nothing is read
};

}  // namespace ingle::backend::vulkan
