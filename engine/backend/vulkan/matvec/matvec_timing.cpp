#include "engine/backend/vulkan/matvec/matvec_timing.h"

#include <cmath>

namespace ingle::backend::vulkan {
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

Result<std::vector<TimedShape>> MatvecTrial::timed(std::span<const MatvecShape> candidates,
                                                   uint32_t numRows) {
    std::vector<PipelineSpec> specs;
    for (const MatvecShape& shape : candidates)
        specs.push_back(matvecKernel(shape, *m_matrix.format, numRows, kPlainEpilogue));
    const auto pipelines = m_pipelines.compileEach(specs);
    std::vector<TimedShape> timed;
    const auto numBytes = static_cast<double>(m_matrix.shards.front().range.bytes);
    for (size_t i = 0; i < candidates.size(); ++i) {
        INGLE_TRY_ASSIGN(const double time, seconds(pipelines[i], groupsOf(candidates[i]), numRows));
        timed.push_back({candidates[i], static_cast<uint64_t>(numBytes / time)});
    }
    return timed;
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
    if (!pipeline) return m_device.lost() ? Result<double>(tl::unexpected(pipeline.error())) : INFINITY;
    const MatrixShard& shard = m_matrix.shards.front();
    const BufferRange &x = m_ranges[0], &y = m_ranges[1], &unused = m_ranges[2];
    const Dispatch dispatch{
        *pipeline,
        {reads(shard.range), reads(x), reads(unused), reads(unused), writes(y), writes(y), writes(y)},
        linearPush(m_matrix, shard, numRows),
        groups};
    return KernelTimer(m_device, m_pipelines).seconds([&](Recorder& recorder) {
        return recorder.dispatch(dispatch);
    });
}

}  // namespace ingle::backend::vulkan
