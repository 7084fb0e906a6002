/// A plan whose first layers one backend computes, and whose last ones another.
#pragma once

#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/split/split_memory.h"
#include "engine/backend/step_limits.h"

namespace ingle::backend::split {

class SplitProgram final : public Program {
  public:
    /// `plan`: the whole. `memory` must outlive the program.
    SplitProgram(const Plan& plan, SplitPool& memory, std::unique_ptr<Program> front,
                 std::unique_ptr<Program> back)
        : m_limits(plan), m_memory(memory), m_front(std::move(front)), m_back(std::move(back)) {}

    Status run(const Step& step) override;
    Result<std::span<const float>> readOutput(uint32_t index) override { return m_back->readOutput(index); }
    std::span<const float> hiddenRows() const override { return m_back->hiddenRows(); }
    void observe(OpObserver* observer) override;

  private:
    /// Both parts, for sequences that have room. Errors: as run(); sequences may be half a step further.
    Status runParts(const Step& step, std::span<SplitSequence* const> sequences);

    StepLimits m_limits;
    SplitPool& m_memory;
    std::unique_ptr<Program> m_front, m_back;
    std::vector<float> m_rows;  ///< what the front handed over
};

}  // namespace ingle::backend::split
