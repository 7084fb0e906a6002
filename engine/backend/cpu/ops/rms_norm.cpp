#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::rms_norm_op {
namespace {

class RmsNorm final : public PreparedOp {
  public:
    RmsNorm(const Op& op, const Preparation& preparation)
        : m_op(op),
          m_params(std::get<NormParams>(op.params)),
          m_partWidth(op.inputs[0].width / m_params.groups),
          m_normalise(kernels::selectKernel(kernels::KernelOp::RmsNorm, preparation.isa).rmsNorm) {
        if (op.weights.empty())
            m_ones.assign(m_partWidth, 1.0F);
        else
            m_gainOfEachPart = preparation.matrix(op, 0).shape.numElems() > m_partWidth;
    }

    void run(const StepContext& context) override {
        const size_t width = m_op.inputs[0].width;
        const float* x = context.rows(m_op.inputs[0]);
        const float* gain = m_ones.empty() ? context.vector(m_op, 0) : m_ones.data();
        float* y = context.rows(m_op.outputs[0]);
        context.threads.parallelFor(
            context.numRows(m_op.outputs[0]), 1, [&](size_t begin, size_t end, uint32_t) {
                if (m_gainOfEachPart) {
                    for (size_t at = begin * width; at < end * width; at += m_partWidth)
                        m_normalise(x + at, gain + at % width, y + at, 1, m_partWidth, m_params.eps);
                    return;
                }
                m_normalise(x + begin * width, gain, y + begin * width, (end - begin) * m_params.groups,
                            m_partWidth, m_params.eps);
            });
    }

  private:
    const Op& m_op;
    const NormParams& m_params;
    size_t m_partWidth;
    kernels::RmsNormFn m_normalise;
    bool m_gainOfEachPart = false;
    std::vector<float> m_ones;  ///< the gain of those without one
};

}  // namespace

extern const CpuOp op{OpCode::RmsNorm, prepared<RmsNorm>};

}  // namespace ingle::backend::cpu::rms_norm_op
