/// A device that computes a mixture, but for experts that stay with the processor.
#pragma once

#include <memory>

#include "engine/backend/backend.h"

namespace ingle::backend::split {

/// `processor` computes the experts of the first `layers` that have some (all, where there are fewer), out of
/// `numLayers`, and `device` everything else, with all that sequences remember. Pools and programs must end
/// before it.
std::unique_ptr<Backend> createExpertsBackend(std::shared_ptr<Backend> processor,
                                              std::shared_ptr<Backend> device, uint32_t layers,
                                              uint32_t numLayers);

}  // namespace ingle::backend::split
