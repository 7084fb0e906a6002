#include "engine/backend/vulkan/matvec/device_peaks.h"

#include <algorithm>

#include "engine/backend/vulkan/matvec/kernel_timer.h"
#include "engine/backend/vulkan/matvec/matmul_tiles.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kCopiedBytes = uint64_t{256} << 20;
/// Of shaders/product_peak.comp.
constexpr uint32_t kPeakSums = 8, kRounds = 4096;
constexpr uint32_t kInvocations = 128;
constexpr uint32_t kGroupsOfMultiprocessor = 8;
struct PeakPush {
    uint32_t rounds;
};

Result<double> copiedBytesPerSecond(Device& device, Pipelines& pipelines) {
    const uint64_t bytes = std::min(kCopiedBytes, maxRangeBytes(device.info().limits));
    Allocator memory(device, MemoryUse::Device);
    const uint64_t sizes[] = {bytes, bytes};
    INGLE_TRY_ASSIGN(const auto ranges, memory.allocate(sizes));
    INGLE_TRY_ASSIGN(const double seconds, KernelTimer(device, pipelines).seconds([&](Recorder& recorder) {
        return recorder.copy(ranges[0], ranges[1]);
    }));
    return static_cast<double>(2 * bytes) / seconds;
}

Result<double> productsPerSecond(Device& device, Pipelines& pipelines) {
    const DeviceInfo& info = device.info();
    const bool hasUnits = info.features.cooperativeMatrices;
    const MatrixUnits& units = info.matrixUnits;
    // Software computes each invocation on its own.
    const bool isSoftware = info.kind == DeviceKind::Cpu;
    const uint32_t groups = isSoftware ? 1 : multiprocessorsOf(info) * kGroupsOfMultiprocessor;
    const uint32_t rounds = isSoftware ? kRounds / 8 : kRounds;
    PipelineSpec spec{hasUnits ? "product_peak_halves" : "product_peak_floats", std::vector<uint32_t>(10)};
    spec.constants[0] = hasUnits ? std::max(kInvocations, units.subgroupSize) : kInvocations;
    double products = 4.0 * spec.constants[0];
    uint64_t results = spec.constants[0] * sizeof(float) * 4;
    if (hasUnits) {
        spec.constants[7] = units.m;
        spec.constants[8] = units.n;
        spec.constants[9] = units.k;
        if (info.features.subgroupSizeControl) spec.subgroupSize = units.subgroupSize;
        const uint32_t numSubgroups = spec.constants[0] / units.subgroupSize;
        products = double{1} * units.m * units.n * units.k * numSubgroups;
        results = uint64_t{units.m} * units.n * sizeof(float);
    }
    INGLE_TRY_ASSIGN(const Pipeline* pipeline, pipelines.compile(spec));
    Allocator memory(device, MemoryUse::Device);
    const uint64_t sizes[] = {uint64_t{std::max(units.m, units.n)} * units.k * 2 + kRangeAlignment,
                              results * kPeakSums};
    INGLE_TRY_ASSIGN(const auto ranges, memory.allocate(sizes));
    const Dispatch dispatch{
        pipeline, {reads(ranges[0]), writes(ranges[1])}, PeakPush{rounds}, {groups, 1, 1}};
    INGLE_TRY_ASSIGN(const double seconds,
                     KernelTimer(device, pipelines).seconds([&](Recorder& recorder) -> Status {
                         INGLE_TRY(recorder.fill(ranges[0], 0));
                         return recorder.dispatch(dispatch);
                     }));
    return products * kPeakSums * rounds * groups / seconds;
}

}  // namespace

Result<BackendPeaks> measureDevicePeaks(Device& device, Pipelines& pipelines) {
    BackendPeaks peaks;
    INGLE_TRY_ASSIGN(peaks.bytesPerSecond, copiedBytesPerSecond(device, pipelines));
    INGLE_TRY_ASSIGN(peaks.productsPerSecond, productsPerSecond(device, pipelines));
    return peaks;
}

}  // namespace ingle::backend::vulkan
