#include "engine/backend/vulkan/matvec/kernel_timer.h"

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

Result<double> KernelTimer::seconds(const RecordKernels& record) {
    const auto inTheMean = [&]() -> Result<double> {
        INGLE_TRY_ASSIGN(const double once, secondsOf(record, 1));
        const double wanted = kMeasuredSeconds / std::max(once, 1e-9);
        const auto repeats = static_cast<uint32_t>(std::clamp(wanted, 1.0, double{kMaxRepeats}));
        if (repeats == 1) return once;
        INGLE_TRY_ASSIGN(const double all, secondsOf(record, repeats));
        return all / repeats;
    };
    const Result<double> seconds = inTheMean();
    if (!seconds && m_device.lost()) return tl::unexpected(seconds.error());
    return seconds.value_or(INFINITY);
}

Result<double> KernelTimer::secondsOf(const RecordKernels& record, uint32_t repeats) {
    Recorder recorder(m_device, m_pipelines);
    for (uint32_t i = 0; i < repeats; ++i) INGLE_TRY(record(recorder));
    INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
    return fastestRun(*commands, m_device.api());
}

}  // namespace ingle::backend::vulkan
