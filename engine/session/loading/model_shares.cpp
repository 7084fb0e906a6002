#include "engine/session/loading/model_shares.h"

#include "engine/backend/split/experts_backend.h"
#include "engine/backend/split/split_backend.h"

namespace ingle::session {

using namespace backend::split;

bool canBeShared(const backend::Plan& plan, const backend::MemorySpec& memory) {
    if (!mixturesOf(plan).empty()) return true;
    for (uint32_t layers = 1; layers < plan.layerEnds.size(); ++layers)
        if (splitBehind(layers, plan, memory)) return true;
    return false;
}

ModelShares::ModelShares(const backend::Plan& plan, const backend::MemorySpec& memory,
                         std::shared_ptr<backend::Backend> processor,
                         std::shared_ptr<backend::Backend> device)
    : m_plan(plan),
      m_memory(memory),
      m_processor(std::move(processor)),
      m_device(std::move(device)),
      m_mixtures(mixturesOf(plan)) {}

std::optional<ModelShare> ModelShares::at(uint32_t index) const {
    if (index < firstOfLayers()) return expertsOf(index + 1);
    return layersBehind(index - firstOfLayers() + 1);
}

uint32_t ModelShares::stepFrom(uint32_t index) const {
    return (index < firstOfLayers() ? numMixtures() : numLayers()) / 16 + 1;
}

ModelShare ModelShares::expertsOf(uint32_t layers) const {
    const ExpertsCut cut = cutExperts(m_plan, std::span(m_mixtures).first(layers));
    return {createExpertsBackend(m_processor, m_device, layers, numLayers()), weightBytes(cut.experts),
            fmt::format("The processor computes the experts of {} of {} layers, for which the graphics "
                        "device has no memory; everything else is computed there.",
                        layers, numLayers())};
}

std::optional<ModelShare> ModelShares::layersBehind(uint32_t layers) const {
    auto point = splitBehind(layers, m_plan, m_memory);
    if (!point) return std::nullopt;
    const uint64_t processorBytes = point->frontBytes;
    return ModelShare{createSplitBackend(m_processor, m_device, *std::move(point)), processorBytes,
                      fmt::format("{} of {} layers are on the graphics device, whose memory holds no more; "
                                  "the processor computes the others.",
                                  numLayers() - layers, numLayers())};
}

}  // namespace ingle::session
