/// Whether a device computes what it should, tried with the model that it is to run.
#pragma once

#include <functional>

#include "engine/backend/backend.h"
#include "engine/models/family.h"
#include "ingle/types.h"

namespace ingle::session {

/// Errors: Device, in one sentence; whatever else stops the device from computing at all.
using DeviceCheck = std::function<Status(backend::Backend& device, const models::BoundModel& model,
                                         uint32_t contextTokens, const LoadOptions& options)>;

/// Feeds a layer of each kind that the model has to `device` and to the processor, in steps of as many rows
/// as reading, answering and several answers at once need, and compares the logits: so every kernel that the
/// model will use runs once, at its real size. Then the device chooses a few tokens by itself, where it can,
/// which have to be the processor's. A device that wants prompts in large steps has to make the same of such
/// a step as of many small ones, which were compared. The weights that `device` holds already are not copied
/// again. Costs the processor about twenty rows of logits, and a hundred rows of each of these layers.
Status checkDevice(backend::Backend& device, const models::BoundModel& model, uint32_t contextTokens,
                   const LoadOptions& options);

}  // namespace ingle::session
