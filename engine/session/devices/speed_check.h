/// Whether a device answers sooner than the processor would, measured with the model that it is to run.
#pragma once

#include <chrono>

#include "engine/backend/backend.h"
#include "engine/models/family.h"
#include "ingle/types.h"

namespace ingle::session {

/// How long a layer of each kind takes, with the logits.
struct TrialTimes {
    std::chrono::duration<double> reading{};    ///< CheckRun::kMaxRows tokens of a prompt
    std::chrono::duration<double> answering{};  ///< one token

    /// Of a usual question with its answer.
    std::chrono::duration<double> ofAnExchange() const;
};

/// What a device is to compute of a model.
enum class DeviceShare : uint8_t {
    All,   ///< a device that is hardly slower leaves the processor to others, which is worth something
    Part,  ///< the processor has to compute the other layers
};
bool isTooSlow(const TrialTimes& device, const TrialTimes& processor, DeviceShare share = DeviceShare::All);

/// What `file` names is tried once with a device and a driver, where it is found to be faster,
/// and then known. Errors: Unsupported, in one sentence, when the device is too slow; as CheckRun.
Status checkSpeed(backend::Backend& device, const models::BoundModel& model, std::string_view file,
                  const LoadOptions& options, DeviceShare share = DeviceShare::All);

}  // namespace ingle::session
