#include "engine/backend/vulkan/matvec/matvec_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ingle::backend::vulkan {
namespace {

constexpr std::chrono::seconds kRunLimit{20};
constexpr double kMeasuredSeconds = 2e-3;  // a run of this length is longer than what surrounds it
constexpr uint32_t kMaxRepeats = 64;
constexpr int kRuns = 3;

/// Seconds of the fastest of a few runs.
Result<double> fastestRun(Commands& commands, const Api& api) {
    double best = INFINITY;
    for (int run = 0; run < kRuns; ++run) {
        const auto begin = api.now();
        INGLE_TRY(commands.run(kRunLimit));
        const std::chrono::duration<double> elapsed = api.now() - begin;
        best = std::min(best, elapsed.count());
    }
    return best;
}

/// Multiplies a row by the first shard of a matrix.
class MatvecTrial {
  public:
    static Result<MatvecTrial> create(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines) {
        MatvecTrial trial(matrix, device, pipelines);
        const uint64_t rowBytes = (matrix.k + 3) / 4 * 4 * sizeof(float);
        const uint64_t outputBytes = (matrix.numRows + 3) / 4 * 4 * sizeof(float);
        const uint64_t sizes[] = {rowBytes, outputBytes, kRangeAlignment};
        INGLE_TRY_ASSIGN(trial.m_ranges, trial.m_memory->allocate(sizes));
        return trial;
    }

    /// Of one product, in the mean. Errors: as Pipelines::compile() and Commands::run().
    Result<double> seconds(const MatvecShape& shape) {
        INGLE_TRY_ASSIGN(const double once, secondsOf(shape, 1));
        const double wanted = kMeasuredSeconds / std::max(once, 1e-9);
        const auto repeats = static_cast<uint32_t>(std::clamp(wanted, 1.0, double{kMaxRepeats}));
        INGLE_TRY_ASSIGN(const double all, secondsOf(shape, repeats));
        return all / repeats;
    }

  private:
    MatvecTrial(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines)
        : m_matrix(matrix),
          m_device(device),
          m_pipelines(pipelines),
          m_memory(std::make_unique<Allocator>(device, MemoryUse::Device)) {}

    Result<double> secondsOf(const MatvecShape& shape, uint32_t repeats) {
        const MatrixShard& shard = m_matrix.shards.front();
        const BufferRange &x = m_ranges[0], &y = m_ranges[1], &unused = m_ranges[2];
        INGLE_TRY_ASSIGN(const Pipeline* pipeline,
                         m_pipelines.compile(matvecKernel(shape, *m_matrix.format, 1, {})));
        Recorder recorder(m_device, m_pipelines);
        INGLE_TRY(recorder.fill(x, 0));
        for (uint32_t i = 0; i < repeats; ++i) {
            INGLE_TRY(recorder.dispatch({pipeline,
                                         {reads(shard.range), reads(x), reads(unused), reads(unused),
                                          writes(y), writes(y), writes(y)},
                                         linearPush(m_matrix, shard, 1),
                                         matvecGroups(shard.numRows)}));
        }
        INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
        return fastestRun(*commands, m_device.api());
    }

    const DeviceMatrix& m_matrix;
    Device& m_device;
    Pipelines& m_pipelines;
    std::unique_ptr<Allocator> m_memory;
    std::vector<BufferRange> m_ranges;  // x, y, and what is bound where nothing is read
};

}  // namespace

Result<std::optional<MatvecShape>> fastestMatvec(const DeviceMatrix& matrix,
                                                 std::span<const MatvecShape> candidates, Device& device,
                                                 Pipelines& pipelines) {
    INGLE_TRY_ASSIGN(auto trial, MatvecTrial::create(matrix, device, pipelines));
    std::optional<MatvecShape> best;
    double least = INFINITY;
    for (const MatvecShape& shape : candidates) {
        const Result<double> seconds = trial.seconds(shape);
        if (!seconds && device.lost()) return tl::unexpected(seconds.error());
        if (!seconds || *seconds >= least) continue;
        least = *seconds;
        best = shape;
    }
    return best;
}

}  // namespace ingle::backend::vulkan
