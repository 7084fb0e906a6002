/// The backends a model may compute on; nothing else in this layer knows them by name.
#pragma once

#include <functional>
#include <memory>

#include "engine/backend/backend.h"
#include "ingle/types.h"

namespace ingle::session {

/// Makes the device that `options.backend` and `options.device` ask for; null when that is the processor.
/// Errors: Unsupported, Device, OutOfMemory.
using DeviceFactory = std::function<Result<std::unique_ptr<backend::Backend>>(const LoadOptions& options)>;

/// The devices of this computer. BackendChoice::Auto is the processor where there is no other.
Result<std::unique_ptr<backend::Backend>> createDevice(const LoadOptions& options);

/// The processor, which is there in any case. Errors: Unsupported (INGLE_ISA).
Result<std::unique_ptr<backend::Backend>> createProcessor(const LoadOptions& options);

}  // namespace ingle::session
