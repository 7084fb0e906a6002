#include "engine/backend/split/split_backend.h"

#include <algorithm>

#include "engine/backend/split/split_program.h"

namespace ingle::backend::split {
namespace {

/// The front, which is the slower part, gains nothing by more, and its buffers grow.
constexpr uint32_t kMostPromptRows = 256;

class SplitBackend final : public Backend {
  public:
    SplitBackend(std::shared_ptr<Backend> front, std::shared_ptr<Backend> back, SplitPoint point)
        : m_front(std::move(front)), m_back(std::move(back)), m_point(std::move(point)) {}

    std::string_view name() const override { return "split"; }
    std::string deviceName() const override {
        return fmt::format("{} ({} of {} layers; the others: {})", m_back->deviceName(),
                           m_point.numLayers - m_point.layers, m_point.numLayers, m_front->deviceName());
    }
    BackendFacts facts() const override {
        return {.takesGuesses = m_front->facts().takesGuesses && m_back->facts().takesGuesses,
                .hasHiddenRows = m_back->facts().hasHiddenRows};
    }
    bool supports(OpCode code) const override { return m_front->supports(code) && m_back->supports(code); }
    bool roundsActivations() const override {
        return m_front->roundsActivations() || m_back->roundsActivations();
    }
    uint32_t promptRows() const override { return std::min(m_back->promptRows(), kMostPromptRows); }
    bool simplify() override { return m_back->simplify(); }
    /// The back is full.
    Backend& forOthers() override { return m_front->forOthers(); }

    Result<std::unique_ptr<MemoryPool>> createMemory(const MemorySpec& spec,
                                                     const MemoryOptions& options) override {
        INGLE_TRY_ASSIGN(auto front, m_front->createMemory(m_point.memory.front.spec, options));
        INGLE_TRY_ASSIGN(auto back, m_back->createMemory(m_point.memory.back.spec, options));
        return std::make_unique<SplitPool>(spec, m_point.memory, options.kv, std::move(front),
                                           std::move(back));
    }

    Status checkRoom(const Plan& plan, const MemorySpec&, const MemoryNeed& need) const override {
        INGLE_TRY_ASSIGN(const PlanCut cut, cutPlan(plan, m_point.memory, m_point.layers));
        INGLE_TRY(m_front->checkRoom(cut.front, m_point.memory.front.spec, need));
        return m_back->checkRoom(cut.back, m_point.memory.back.spec, need);
    }

    Result<std::unique_ptr<Program>> compile(const Plan& plan, MemoryPool& memory) override {
        INGLE_TRY_ASSIGN(SplitPool * pool, ownPool<SplitPool>(memory));
        INGLE_TRY_ASSIGN(const PlanCut cut, cutPlan(plan, m_point.memory, m_point.layers));
        // What may find no memory comes first.
        INGLE_TRY_ASSIGN(auto back, m_back->compile(cut.back, pool->back()));
        INGLE_TRY_ASSIGN(auto front, m_front->compile(cut.front, pool->front()));
        return std::make_unique<SplitProgram>(plan, *pool, std::move(front), std::move(back));
    }

  private:
    std::shared_ptr<Backend> m_front, m_back;
    SplitPoint m_point;
};

}  // namespace

Result<SplitPoint> splitBehind(uint32_t layers, const Plan& plan, const MemorySpec& memory) {
    SplitPoint point{.layers = layers, .numLayers = static_cast<uint32_t>(plan.layerEnds.size())};
    INGLE_TRY_ASSIGN(point.memory, cutMemory(plan, memory, layers));
    INGLE_TRY_ASSIGN(const PlanCut cut, cutPlan(plan, point.memory, layers));
    point.frontBytes = weightBytes(cut.front);
    return point;
}

std::unique_ptr<Backend> createSplitBackend(std::shared_ptr<Backend> front, std::shared_ptr<Backend> back,
                                            SplitPoint point) {
    return std::make_unique<SplitBackend>(std::move(front), std::move(back), std::move(point));
}

}  // namespace ingle::backend::split
