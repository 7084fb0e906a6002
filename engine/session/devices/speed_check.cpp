#include "engine/session/devices/speed_check.h"

#include <algorithm>

#include "engine/session/devices/backends.h"
#include "engine/session/devices/check_run.h"
#include "engine/session/devices/passed_trials.h"

namespace ingle::session {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// A question of a few sentences, and an answer of one paragraph.
constexpr double kPromptTokens = 256, kAnswerTokens = 128;
constexpr double kTooSlow = 1.2;
/// As long as a device that idled may need to clock up.
constexpr Seconds kTrial{0.1};

/// The shortest of several runs: everything else that goes on in the computer only makes them longer.
Result<Seconds> timeOf(CheckRun& run, const CheckStep& step) {
    constexpr int kLeastRuns = 3;
    Seconds best = Seconds::max();
    const auto begin = Clock::now();
    for (int i = 0; i < kLeastRuns || Clock::now() - begin < kTrial; ++i) {
        INGLE_TRY(run.restart());
        const auto start = Clock::now();
        INGLE_TRY(run.logits(step));
        best = std::min<Seconds>(best, Clock::now() - start);
    }
    return best;
}

Result<TrialTimes> measure(backend::Backend& backend, const models::BoundModel& model,
                           const LoadOptions& options) {
    INGLE_TRY_ASSIGN(CheckRun run, CheckRun::create(backend, model, 0, options));
    TrialTimes times;
    INGLE_TRY_ASSIGN(times.reading, timeOf(run, {{CheckRun::kMaxRows, 0}, 1}));
    INGLE_TRY_ASSIGN(times.answering, timeOf(run, {{1, 0}, 1}));
    return times;
}

}  // namespace

Seconds TrialTimes::ofAnExchange() const {
    return reading * (kPromptTokens / CheckRun::kMaxRows) + answering * kAnswerTokens;
}

bool isTooSlow(const TrialTimes& device, const TrialTimes& processor, DeviceShare share) {
    return device.ofAnExchange() > (share == DeviceShare::All ? kTooSlow : 1) * processor.ofAnExchange();
}

Status checkSpeed(backend::Backend& device, const models::BoundModel& model, std::string_view file,
                  const LoadOptions& options, DeviceShare share) {
    PassedTrials known(options.trials.folder, "faster.txt");
    const std::string trial = fmt::format("{}\n{}\n{} {} {}{}", device.deviceName(), file, options.threads,
                                          static_cast<int>(options.kv), static_cast<int>(options.activations),
                                          share == DeviceShare::All ? "" : " part");
    if (known.has(trial)) return {};
    const models::BoundModel small = models::withOneLayerOfEachKind(model);
    INGLE_TRY_ASSIGN(const auto processor, createProcessor(options));
    INGLE_TRY_ASSIGN(const TrialTimes theirs, measure(*processor, small, options));
    INGLE_TRY_ASSIGN(const TrialTimes ours, measure(device, small, options));
    if (!isTooSlow(ours, theirs, share)) {
        known.add(trial);
        return {};
    }
    return fail(ErrorCode::Unsupported,
                "{} is slower than the processor with this model ({:.1f} times in a trial)",
                device.deviceName(), ours.ofAnExchange() / theirs.ofAnExchange());
}

}  // namespace ingle::session
