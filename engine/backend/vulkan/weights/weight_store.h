/// The weights of a backend's programs in device memory, each uploaded once.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/backend/plan.h"
#include "engine/backend/vulkan/substrate/arena.h"
#include "engine/backend/vulkan/substrate/transfer.h"
#include "engine/backend/vulkan/weights/weight_format.h"
#include "engine/tensor/tensor.h"

namespace ingle::backend::vulkan {

/// How several matrices over the same input make one. The numbers are known to shaders/epilogue.glsl.
enum class RowOrder : uint32_t {
    Behind = 0,   ///< all rows of one, then all of the next
    InTurns = 1,  ///< two of the same shape: row 0 of each, row 1 of each …
};

/// Rows [firstRow, firstRow + numRows) of a matrix, and behind them the format's grid.
struct MatrixShard {
    BufferRange range;
    uint32_t firstRow = 0;
    uint32_t numRows = 0;
};

struct DeviceMatrix {
    const WeightFormat* format = nullptr;
    uint32_t k = 0;        ///< values a row
    uint32_t numRows = 0;  ///< of all parts
    RowLayout row;
    std::vector<MatrixShard> shards;  ///< each binds as a whole; they begin at even rows
};

/// A piece of an f32 vector. A null tensor: zeros.
struct VectorPart {
    const tensor::Tensor* tensor = nullptr;
    uint32_t numElems = 0;

    auto operator<=>(const VectorPart&) const = default;
};

/// What a weight takes on a device, range by range.
std::vector<uint64_t> storedRanges(const PlanWeight& weight, const DeviceLimits& limits);

/// One thread. Tensors are known by their address: those of live programs must stay where they are.
class WeightStore {
  public:
    WeightStore(Device& device, Transfer& transfer)
        : m_device(device), m_transfer(transfer), m_arena(device) {}

    /// The parts stacked; all have one row length, and one weightFormatOf(). A part's rows are those of all
    /// its dimensions. Valid as long as the store. Errors: OutOfMemory, Device.
    Result<const DeviceMatrix*> matrix(std::span<const tensor::Tensor* const> parts, RowOrder order);
    /// The parts behind each other as floats, filled up to whole vectors of four with zeros. Errors: as
    /// above.
    Result<BufferRange> vector(std::span<const VectorPart> parts);
    /// Whatever a kernel wants to know. Errors: as above.
    Result<BufferRange> constants(std::span<const uint32_t> words);

    /// All that were uploaded.
    std::vector<const DeviceMatrix*> matrices() const;

    uint64_t allocatedBytes() const { return m_arena.allocatedBytes(); }
    /// Whether the range holds weights or constants.
    bool owns(const BufferRange& range) const { return m_arena.owns(range); }

  private:
    struct MatrixKey {
        std::vector<const tensor::Tensor*> parts;
        RowOrder order;
        auto operator<=>(const MatrixKey&) const = default;
    };
    Status upload(DeviceMatrix& matrix, const MatrixKey& key);

    Device& m_device;
    Transfer& m_transfer;
    Arena m_arena;
    std::map<MatrixKey, DeviceMatrix> m_matrices;  // a map: pointers into it stay valid
    std::map<std::vector<VectorPart>, BufferRange> m_vectors;
    std::map<std::vector<uint32_t>, BufferRange> m_constants;
};

}  // namespace ingle::backend::vulkan
