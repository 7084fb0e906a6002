#include "engine/backend/vulkan/program/schedule.h"

#include "engine/backend/buffer_plan.h"
#include "engine/backend/op_facts.h"

namespace ingle::backend::vulkan {
namespace {

/// Ops that are left, from the first on, among which the others of its run are looked for: those of half a
/// layer.
constexpr size_t kReach = 16;

class Scheduling {
  public:
    Scheduling(const Plan& plan, Fusion fusion) : m_plan(plan), m_fusion(fusion), m_isDone(plan.ops.size()) {}

    Result<std::vector<ScheduledRun>> schedule() {
        for (m_first = 0; m_first < m_plan.ops.size(); ++m_first) {
            while (!m_isDone[m_first]) {
                findCandidates();
                uint32_t wanted = m_first;
                Best best = longestRun(wanted, Waiting::Possible);
                if (!best.missing.empty()) {
                    wanted = best.missing.front();  // waits for nothing itself
                    best = longestRun(wanted, Waiting::Impossible);
                }
                if (!best.kernel)
                    return fail(ErrorCode::Unsupported, "the Vulkan backend has no op {}",
                                opName(m_plan.ops[wanted].code));
                for (const uint32_t op : best.ops) m_isDone[op] = true;
                m_runs.push_back({best.kernel, OpRun(m_plan, std::move(best.ops))});
            }
        }
        return std::move(m_runs);
    }

  private:
    /// Whether a run may be chosen before all that it reads is there.
    enum class Waiting : uint8_t { Possible, Impossible };

    struct Best {
        const VulkanOp* kernel = nullptr;
        std::vector<uint32_t> ops;
        std::vector<uint32_t> missing;  ///< ops that must be done before, in order
    };

    void findCandidates() {
        m_candidates.clear();
        for (uint32_t op = m_first; op < m_plan.ops.size() && m_candidates.size() < kReach; ++op)
            if (!m_isDone[op]) m_candidates.push_back(op);
    }

    /// Of the runs that have op `wanted`.
    Best longestRun(uint32_t wanted, Waiting waiting) {
        Best best;
        for (const VulkanOpList* list : allVulkanOps()) {
            for (const VulkanOp& kernel : *list) {
                if (m_fusion == Fusion::Off && kernel.codes.size() > 1) continue;
                if (kernel.codes.size() <= best.ops.size()) continue;
                m_chosen.clear();
                if (choose(kernel, wanted, waiting)) best = {&kernel, m_chosen, m_missing};
            }
        }
        return best;
    }

    bool isChosen(uint32_t op) const { return std::ranges::find(m_chosen, op) != m_chosen.end(); }

    /// Completes m_chosen to a run of the kernel's, the earliest ops first; false where there is none.
    bool choose(const VulkanOp& kernel, uint32_t wanted, Waiting waiting) {
        if (m_chosen.size() == kernel.codes.size()) {
            return isChosen(wanted) && findMissing() && (m_missing.empty() || waiting == Waiting::Possible) &&
                   keepsMemoryInOrder() && (!kernel.fits || kernel.fits(OpRun(m_plan, m_chosen), m_plan));
        }
        for (const uint32_t op : m_candidates) {
            if (m_plan.ops[op].code != kernel.codes[m_chosen.size()] || isChosen(op)) continue;
            m_chosen.push_back(op);
            if (choose(kernel, wanted, waiting)) return true;
            m_chosen.pop_back();
        }
        return false;
    }

    /// The ops that the chosen ones wait for. False when one of those waits for a chosen one, or uses memory.
    bool findMissing() {
        m_missing.clear();
        std::vector<uint32_t> readers = m_chosen;
        while (!readers.empty()) {
            const uint32_t reader = readers.back();
            readers.pop_back();
            for (const Operand& input : m_plan.ops[reader].inputs) {
                const uint32_t maker = m_plan.values[input.value].firstOp;
                if (m_isDone[maker] || (isChosen(maker) && isChosen(reader))) continue;
                if (isChosen(maker) || usesMemory(m_plan.ops[maker].code)) return false;
                if (std::ranges::find(m_missing, maker) != m_missing.end()) continue;
                m_missing.push_back(maker);
                readers.push_back(maker);
            }
        }
        std::ranges::sort(m_missing);
        return true;
    }

    /// Whether no chosen op uses memory before one that uses it earlier in the plan.
    bool keepsMemoryInOrder() const {
        bool leavesSome = false;
        for (const uint32_t op : m_candidates) {
            if (!usesMemory(m_plan.ops[op].code)) continue;
            if (isChosen(op) && leavesSome) return false;
            leavesSome = leavesSome || !isChosen(op);
        }
        return true;
    }

    const Plan& m_plan;
    const Fusion m_fusion;
    std::vector<ScheduledRun> m_runs;
    std::vector<bool> m_isDone;
    uint32_t m_first = 0;                ///< all ops before it are done
    std::vector<uint32_t> m_candidates;  ///< the first that are not, in order
    std::vector<uint32_t> m_chosen;      ///< in the order of a kernel's codes
    std::vector<uint32_t> m_missing;     ///< see findMissing()
};

}  // namespace

Result<std::vector<ScheduledRun>> scheduleOps(const Plan& plan, Fusion fusion) {
    return Scheduling(plan, fusion).schedule();
}

ValueBuffers planValues(const Plan& plan, std::span<const ScheduledRun> runs, const RowCounts& rows) {
    std::vector<BufferNeed> needs(plan.values.size());
    std::vector<uint32_t> usesInside(plan.values.size(), 0);
    for (uint32_t at = 0; at < runs.size(); ++at) {
        const OpRun& run = runs[at].run;
        for (size_t i = 0; i < run.size(); ++i) {
            for (const Operand& output : run.outputs(i)) {
                const uint64_t numRows = plan.numRows(output.value, rows.tokens, rows.logits);
                needs[output.value] = {numRows * paddedWidth(output.width) * sizeof(float), at, at};
            }
        }
        for (size_t i = 0; i < run.size(); ++i) {
            for (const Operand& input : run.inputs(i)) {
                if (needs[input.value].first == at) ++usesInside[input.value];
                needs[input.value].last = at;
            }
        }
    }
    needs[plan.output.value].last = static_cast<uint32_t>(runs.size());
    if (plan.hidden) needs[plan.hidden->value].last = static_cast<uint32_t>(runs.size());

    std::vector<ValueId> stored;
    std::vector<BufferNeed> storedNeeds;
    for (ValueId value = 0; value < plan.values.size(); ++value) {
        const uint32_t numUses = plan.values[value].numUses;
        if (numUses > 0 && usesInside[value] == numUses) continue;
        stored.push_back(value);
        storedNeeds.push_back(needs[value]);
    }
    BufferPlan planned = planBuffers(storedNeeds);
    ValueBuffers buffers{.sizes = std::move(planned.sizes), .bufferOf = {}};
    buffers.bufferOf.resize(plan.values.size());
    for (size_t i = 0; i < stored.size(); ++i) buffers.bufferOf[stored[i]] = planned.bufferOf[i];
    return buffers;
}

}  // namespace ingle::backend::vulkan
