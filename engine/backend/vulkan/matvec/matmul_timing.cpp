#include "engine/backend/vulkan/matvec/matmul_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/backend/vulkan/matvec/kernel_timer.h"
#include "engine/backend/vulkan/matvec/matmul.h"

namespace ingle::backend::vulkan {
namespace {

/// Tilings that are tried: the expected order errs by little.
constexpr size_t kTried = 3;
constexpr uint32_t kLeastTokens = 16;
constexpr uint64_t kHalfBytes = 2;
/// Of a product that is timed, and of the memory for it.
constexpr double kMostSeconds = 0.05;
constexpr uint64_t kMostTrialBytes = uint64_t{256} << 20;

class TilingTrial {
  public:
    TilingTrial(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines)
        : m_matrix(matrix), m_device(device), m_pipelines(pipelines), m_memory(device, MemoryUse::Device) {}

    /// False: there is no memory for it now.
    bool allocate(const TimedSizes& sizes) {
        const uint64_t numTokens = std::bit_ceil(sizes.mostTokens);
        const uint64_t rowBytes = (m_matrix.k + 63) / 64 * 64 * kHalfBytes;
        // Rows of y are those of the whole matrix, whatever a shard computes of them.
        const uint64_t outputBytes = (uint64_t{m_matrix.numRows} + 3) / 4 * 4 * sizeof(float);
        const uint64_t sizesOf[] = {numTokens * rowBytes, numTokens * outputBytes, sizes.scratchBytes,
                                    kRangeAlignment};
        uint64_t all = 0;
        for (const uint64_t bytes : sizesOf) all += bytes;
        if (all > kMostTrialBytes) return false;
        auto ranges = m_memory.allocate(sizesOf);
        if (ranges) m_ranges = std::move(*ranges);
        return ranges.has_value();
    }

    /// Infinite where it does not run. Errors: Device (lost).
    Result<double> seconds(const MatmulSize& size, const MatmulTiling& tiling) {
        const MatmulKernel kernel =
            halvesKernel(m_device.info(), *m_matrix.format, size, tiling, kPlainEpilogue);
        const BufferRange &x = m_ranges[0], &y = m_ranges[1], &scratch = m_ranges[2], &unused = m_ranges[3];
        std::vector<PipelineSpec> specs{kernel.spec};
        if (kernel.parts) specs.push_back(kernel.parts->adding);
        const auto compiled = m_pipelines.compileEach(specs);
        for (const auto& pipeline : compiled) {
            if (!pipeline && m_device.lost()) return tl::unexpected(pipeline.error());
            if (!pipeline) return INFINITY;
        }
        const MatrixShard& shard = m_matrix.shards.front();
        const LinearPush push = linearPush(m_matrix, shard, size.numTokens);
        const auto bindings = [&](const BufferRange& weights, const BufferRange& out) {
            return std::vector<Binding>{reads(weights), reads(x),    reads(unused), reads(unused),
                                        writes(out),    writes(out), writes(out)};
        };
        std::vector<Dispatch> dispatches{
            {*compiled[0], bindings(shard.range, kernel.parts ? scratch : y), push, kernel.groups}};
        if (kernel.parts) {
            dispatches.push_back(
                {*compiled[1], bindings(scratch, y), partsPush(push, kernel), kernel.parts->groups});
        }
        return KernelTimer(m_device, m_pipelines).seconds([&](Recorder& recorder) -> Status {
            for (const Dispatch& dispatch : dispatches) INGLE_TRY(recorder.dispatch(dispatch));
            return {};
        });
    }

    uint32_t numOutputs() const { return m_matrix.shards.front().numRows; }

  private:
    const DeviceMatrix& m_matrix;
    Device& m_device;
    Pipelines& m_pipelines;
    Allocator m_memory;
    std::vector<BufferRange> m_ranges;  // x, y, what parts have, and what is bound where nothing is read
};

}  // namespace

Status timeTilings(const DeviceMatrix& matrix, const TimedSizes& sizes, Device& device, Pipelines& pipelines,
                   TilingTable& tilings) {
    TilingTrial trial(matrix, device, pipelines);
    bool hasMemory = false;
    for (uint32_t numTokens = kLeastTokens; numTokens <= std::bit_ceil(sizes.mostTokens); numTokens *= 2) {
        const MatmulSize size{trial.numOutputs(), matrix.k, numTokens};
        const ProductKind kind = productKind(*matrix.format, size);
        if (tilings.contains(kind)) continue;
        if (!hasMemory && !trial.allocate(sizes)) return {};
        hasMemory = true;
        double least = INFINITY;
        TimedTiling best;
        const auto likely = likelyTilings(device.info(), size, sizes.scratchBytes);
        for (size_t i = 0; i < std::min(kTried, likely.size()) && (i == 0 || least <= kMostSeconds); ++i) {
            INGLE_TRY_ASSIGN(const double seconds, trial.seconds(size, likely[i]));
            if (seconds >= least) continue;
            least = seconds;
            const double products = double{1} * size.numOutputs * size.k * numTokens;
            best = {likely[i], static_cast<uint64_t>(products / seconds)};
        }
        if (!std::isfinite(least)) continue;
        tilings[kind] = best;
        if (least > kMostSeconds) return {};
    }
    return {};
}

}  // namespace ingle::backend::vulkan
