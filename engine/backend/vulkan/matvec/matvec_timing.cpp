#include "engine/backend/vulkan/matvec/matvec_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ingle::backend::vulkan {
namespace {

/// Some drivers compile a kernel when it runs first, on a computer that may be busy.
constexpr std::chrono::seconds kFirstRunLimit{120}, kRunLimit{20};
constexpr double kMeasuredSeconds = 2e-3;  // a run of this length is longer than what surrounds it
constexpr uint32_t kMaxRepeats = 64;
constexpr int kRuns = 3;

/// Seconds of the fastest of a few runs.
Result<double> fastestRun(Commands& commands, const Api& api) {
    double best = INFINITY;
    for (int run = 0; run < kRuns; ++run) {
        const auto begin = api.now();
        INGLE_TRY(commands.run(run == 0 ? kFirstRunLimit : kRunLimit));
        const std::chrono::duration<double> elapsed = api.now() - begin;
        best = std::min(best, elapsed.count());
    }
    return best;
}

}  // namespace

MatvecTrial::MatvecTrial(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines)
    : m_matrix(matrix),
      m_device(device),
      m_pipelines(pipelines),
      m_memory(std::make_unique<Allocator>(device, MemoryUse::Device)) {}

Result<MatvecTrial> MatvecTrial::create(const DeviceMatrix& matrix, Device& device, Pipelines& pipelines) {
    MatvecTrial trial(matrix, device, pipelines);
    // No form of x takes more than floats in whole groups.
    const uint64_t rowBytes = (matrix.k + 63) / 64 * 64 * sizeof(float);
    const uint64_t outputBytes = (matrix.numRows + 3) / 4 * 4 * sizeof(float);
    const uint64_t sizes[] = {kMaxMatvecRows * rowBytes, kMaxMatvecRows * outputBytes, kRangeAlignment};
    INGLE_TRY_ASSIGN(trial.m_ranges, trial.m_memory->allocate(sizes));
    return trial;
}

std::array<uint32_t, 3> MatvecTrial::groupsOf(const MatvecShape& shape) const {
    return matvecGroups(shape, m_matrix.shards.front().numRows);
}

Result<std::optional<MatvecShape>> MatvecTrial::fastest(std::span<const MatvecShape> candidates,
                                                        uint32_t numRows) {
    std::vector<PipelineSpec> specs;
    for (const MatvecShape& shape : candidates)
        specs.push_back(matvecKernel(shape, *m_matrix.format, numRows, kPlainEpilogue));
    const auto pipelines = m_pipelines.compileEach(specs);
    std::optional<MatvecShape> best;
    double least = INFINITY;
    for (size_t i = 0; i < candidates.size(); ++i) {
        INGLE_TRY_ASSIGN(const double time, seconds(pipelines[i], groupsOf(candidates[i]), numRows));
        if (time >= least) continue;
        least = time;
        best = candidates[i];
    }
    return best;
}

Result<bool> MatvecTrial::isFasterThan(const MatmulKernels& products, const MatvecShape& shape,
                                       uint32_t numRows) {
    const MatmulSize size{m_matrix.shards.front().numRows, m_matrix.k, numRows};
    const MatmulKernel product = products.find(*m_matrix.format, size, kPlainEpilogue, 0);
    const PipelineSpec specs[] = {matvecKernel(shape, *m_matrix.format, numRows, kPlainEpilogue),
                                  product.spec};
    const auto pipelines = m_pipelines.compileEach(specs);
    INGLE_TRY_ASSIGN(const double ours, seconds(pipelines[0], groupsOf(shape), numRows));
    INGLE_TRY_ASSIGN(const double theirs, seconds(pipelines[1], product.groups, numRows));
    return ours <= theirs;
}

Result<double> MatvecTrial::seconds(const Result<const Pipeline*>& pipeline, std::array<uint32_t, 3> groups,
                                    uint32_t numRows) {
    const auto inTheMean = [&]() -> Result<double> {
        INGLE_TRY(pipeline);
        INGLE_TRY_ASSIGN(const double once, secondsOf(*pipeline, groups, numRows, 1));
        const double wanted = kMeasuredSeconds / std::max(once, 1e-9);
        const auto repeats = static_cast<uint32_t>(std::clamp(wanted, 1.0, double{kMaxRepeats}));
        INGLE_TRY_ASSIGN(const double all, secondsOf(*pipeline, groups, numRows, repeats));
        return all / repeats;
    };
    const Result<double> seconds = inTheMean();
    if (!seconds && m_device.lost()) return tl::unexpected(seconds.error());
    return seconds.value_or(INFINITY);
}

Result<double> MatvecTrial::secondsOf(const Pipeline* pipeline, std::array<uint32_t, 3> groups,
                                      uint32_t numRows, uint32_t repeats) {
    const MatrixShard& shard = m_matrix.shards.front();
    const BufferRange &x = m_ranges[0], &y = m_ranges[1], &unused = m_ranges[2];
    Recorder recorder(m_device, m_pipelines);
    INGLE_TRY(recorder.fill(x, 0));
    for (uint32_t i = 0; i < repeats; ++i) {
        INGLE_TRY(recorder.dispatch(
            {pipeline,
             {reads(shard.range), reads(x), reads(unused), reads(unused), writes(y), writes(y), writes(y)},
             linearPush(m_matrix, shard, numRows),
             groups}));
    }
    INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
    return fastestRun(*commands, m_device.api());
}

}  // namespace ingle::backend::vulkan
