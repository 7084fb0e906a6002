/// Two backends that share the layers of a model which is too large for one of them.
#pragma once

#include <memory>
#include <string>

#include "engine/backend/backend.h"
#include "engine/backend/split/plan_cut.h"

namespace ingle::backend::split {

/// Where a model is cut: known from any plan of it.
struct SplitPoint {
    uint32_t layers = 0;  ///< those before it
    uint32_t numLayers = 0;
    uint64_t frontBytes = 0;  ///< of the weights before it
    MemoryCut memory;
};
/// Errors: as cutMemory() and cutPlan().
Result<SplitPoint> splitBehind(uint32_t layers, const Plan& plan, const MemorySpec& memory);

/// `front` computes the layers before `point`, `back` those behind it and what is made of them. All memory
/// and plans it is given have to be those of one model. Pools and programs must end before it.
std::unique_ptr<Backend> createSplitBackend(std::shared_ptr<Backend> front, std::shared_ptr<Backend> back,
                                            SplitPoint point);

}  // namespace ingle::backend::split
