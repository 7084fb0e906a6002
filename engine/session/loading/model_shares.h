/// The ways in which a device and the processor can share a model that is too large for the device.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/split/experts_cut.h"

namespace ingle::session {

/// One of them.
struct ModelShare {
    std::shared_ptr<backend::Backend> backend;  ///< computes the whole with both
    uint64_t processorBytes = 0;                ///< of the weights that stay with the processor
    std::string note;                           ///< says it in one sentence
};

/// Whether there is any.
bool canBeShared(const backend::Plan& plan, const backend::MemorySpec& memory);

/// In order: the processor computes the experts of one layer, of two …, of all that have some; then the whole
/// of the first layer, of the first two …
class ModelShares {
  public:
    /// `plan`: a step on `device`. It and `memory` must outlive this.
    ModelShares(const backend::Plan& plan, const backend::MemorySpec& memory,
                std::shared_ptr<backend::Backend> processor, std::shared_ptr<backend::Backend> device);

    uint32_t count() const { return numMixtures() + std::max(numLayers(), 1U) - 1; }
    /// The first that leaves whole layers to the processor.
    uint32_t firstOfLayers() const { return numMixtures(); }
    /// Nothing where the model cannot be cut there.
    std::optional<ModelShare> at(uint32_t index) const;
    /// Shares to go on by when one did not fit after all: every try uploads weights again.
    uint32_t stepFrom(uint32_t index) const;

  private:
    uint32_t numMixtures() const { return static_cast<uint32_t>(m_mixtures.size()); }
    uint32_t numLayers() const { return static_cast<uint32_t>(m_plan.layerEnds.size()); }
    ModelShare expertsOf(uint32_t layers) const;
    std::optional<ModelShare> layersBehind(uint32_t layers) const;

    const backend::Plan& m_plan;
    const backend::MemorySpec& m_memory;
    std::shared_ptr<backend::Backend> m_processor, m_device;
    std::vector<backend::split::Mixture> m_mixtures;
};

}  // namespace ingle::session
