#include <algorithm>
#include <array>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::kv_append_op {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const uint32_t layer = std::get<CacheParams>(op.params).layer;
    const quant::QuantFormat& format = context.memory.kvFormat();
    const auto toHalves = kernel.toHalves;
    const auto write = [&](Operand x, size_t row, std::byte* out) {
        const float* values = context.rows(x) + row * x.width;
        if (format.id == quant::kF16) {
            toHalves(values, out, x.width);
            return;
        }
        const size_t whole = x.width / format.blockElems * format.blockElems;
        format.encodeRow({values, whole}, {}, out);
        if (whole == x.width) return;
        std::array<float, kLargestBlock> last{};  // filled up with zeros
        std::copy(values + whole, values + x.width, last.begin());
        format.encodeRow({last.data(), format.blockElems}, {},
                         out + whole / format.blockElems * format.blockBytes);
    };
    for (const RunRows& rows : context.runs) {
        context.threads.parallelFor(rows.numRows, 8, [&](size_t begin, size_t end, uint32_t) {
            for (size_t i = begin; i < end; ++i) {
                const uint32_t token = rows.firstPosition + static_cast<uint32_t>(i);
                write(op.inputs[0], rows.firstRow + i, rows.sequence->keyRow(layer, token));
                if (op.inputs.size() > 1)
                    write(op.inputs[1], rows.firstRow + i, rows.sequence->valueRow(layer, token));
            }
        });
    }
}

}  // namespace

extern const CpuOp op{OpCode::KvAppend, withKernel<always<kernels::KernelOp::ToHalves>, run>};

}  // namespace ingle::backend::cpu::kv_append_op
