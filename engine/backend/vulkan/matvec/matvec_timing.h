/// Which matvec kernel is the fastest on a device: tried, not guessed from the device's name.
#pragma once

#include <optional>

#include "engine/backend/vulkan/matvec/matvec.h"
#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {

/// Of `candidates`, by the time each takes to multiply a row by the matrix. Those that do not compile or run
/// are left out; null: all of them. Takes as long as compiling them. Errors: Device (lost), OutOfMemory.
Result<std::optional<MatvecShape>> fastestMatvec(const DeviceMatrix& matrix,
                                                 std::span<const MatvecShape> candidates, Device& device,
                                                 Pipelines& pipelines);

}  // namespace ingle::backend::vulkan
