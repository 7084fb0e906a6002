/// The kernels of attention, and how many heads, rows and keys their workgroups take: those of
/// shaders/attention_*.comp that need units for matrices where a device has them.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/backend/vulkan/substrate/matrix_layout.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// What is to be attended to.
struct AttentionSize {
    uint32_t keyDim = 0, valueDim = 0;
    uint32_t numHeads = 0, headsPerKv = 0;
    uint32_t numTokens = 0;
    uint32_t features = 0;  ///< see shaders/attention.glsl
    KvType cache = KvType::F16;
    uint32_t form = 0;  ///< that rows one by one are written in, too, see shaders/row_form_store.glsl
};

/// What to dispatch.
struct AttentionKernel {
    PipelineSpec spec;
    std::array<uint32_t, 3> groups{};
    uint32_t splits = 1;  ///< more: workgroups share out the keys of a row, see shaders/attention_splits.glsl
};

/// Floats of a split of a head.
constexpr uint32_t splitFloats(uint32_t valueDim) {
    return (valueDim + 3) / 4 * 4 + 4;
}

class AttentionKernels {
  public:
    /// Without units: what needs none.
    explicit AttentionKernels(const DeviceInfo& device) : m_device(device) {}
    /// Finds out how the device's units can be used, if `activations` may be rounded. Errors: Device,
    /// OutOfMemory.
    static Result<AttentionKernels> create(Device& device, Pipelines& pipelines, ActivationType activations);

    /// For many rows. Nothing where heads are too large for tiles.
    std::optional<AttentionKernel> tiles(const AttentionSize& size) const;
    /// For rows one by one, each shared out into so many splits at most: as many as for one row alone, so
    /// that what a row gives does not depend on those beside it.
    AttentionKernel rows(const AttentionSize& size, uint32_t mostSplits) const;
    /// Splits of rows() that find room in so much scratch memory.
    static uint32_t splitsIn(uint64_t scratchBytes, const AttentionSize& size);
    /// Scratch memory for as many as keep a large device busy.
    static uint64_t scratchFor(const AttentionSize& size);

    /// Whether queries, keys, values and weights are rounded to halves.
    bool haveHalves() const { return m_halves; }
    /// Never again on this device: it gets them wrong. False: there were none.
    bool dropHalves() { return std::exchange(m_halves, false); }
    /// No more scores in registers on this device: they pass through shared memory. False: they did before.
    bool stageScores() { return m_halves && std::exchange(m_layout, std::nullopt).has_value(); }

  private:
    std::optional<AttentionKernel> halvesTiles(const AttentionSize& size) const;
    std::optional<AttentionKernel> halvesRows(const AttentionSize& size, uint32_t mostSplits) const;
    /// Whether heads are whole matrices, of at most `largestDim`.
    bool suitsHalves(const AttentionSize& size, uint32_t largestDim) const;

    DeviceInfo m_device;
    bool m_halves = false;
    std::optional<MatrixLayout> m_layout;  ///< none: scores are staged
};

/// How the names of shaders' variants for a cache end.
std::string_view cacheName(KvType type);

}  // namespace ingle::backend::vulkan
