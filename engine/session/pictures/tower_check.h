/// Whether a device computes a vision tower as it should.
#pragma once

#include "engine/backend/backend.h"
#include "engine/vision/family.h"
#include "ingle/types.h"

namespace ingle::session {

/// Feeds random rows to `device` and to the processor: to the patches' matrix, a layer of each kind, and the
/// projector or resampler. Costs the processor about eighty rows of each. Errors: Device, in one sentence;
/// whatever else stops the device from computing at all.
Status checkTower(backend::Backend& device, const vision::BoundTower& tower, const LoadOptions& options);

}  // namespace ingle::session
