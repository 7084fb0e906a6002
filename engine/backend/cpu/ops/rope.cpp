#include "engine/kernels/ref/rope.h"

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::rope_op {
namespace {

class Rope final : public PreparedOp {
  public:
    Rope(const Op& op, const Preparation& preparation)
        : m_op(op),
          m_params(std::get<RopeParams>(op.params)),
          m_tables{preparation.ropeTables.tableOf(m_params, 0), preparation.ropeTables.tableOf(m_params, 1)},
          m_rotate(m_params.style == RopeStyle::Interleaved ? kernels::ropeInterleavedRef
                                                            : kernels::ropeHalfSplitRef) {}

    void run(const StepContext& context) override {
        const size_t width = m_op.inputs[0].width;
        const float* x = context.rows(m_op.inputs[0]);
        float* y = context.rows(m_op.outputs[0]);
        context.threads.parallelFor(context.tokens.size(), 1, [&](size_t begin, size_t end, uint32_t) {
            for (size_t row = begin; row < end; ++row) {
                const std::span<const float> angles[] = {context.ropeTables.angles(m_tables[0], row),
                                                         context.ropeTables.angles(m_tables[1], row)};
                for (size_t head = 0; head < m_params.numHeads; ++head) {
                    const size_t at = row * width + head * m_params.headDim;
                    m_rotate(x + at, angles[head % 2], y + at, m_params.headDim);
                }
            }
        });
    }

  private:
    const Op& m_op;
    const RopeParams& m_params;
    size_t m_tables[2];  ///< of even and odd heads
    decltype(&kernels::ropeInterleavedRef) m_rotate;
};

}  // namespace

extern const CpuOp op{OpCode::Rope, prepared<Rope>};

}  // namespace ingle::backend::cpu::rope_op
