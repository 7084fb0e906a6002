#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const uint32_t layer = std::get<CacheParams>(op.params).layer;
    const quant::QuantFormat& format = context.memory.kvFormat();
    const Operand k = op.inputs[0];
    const Operand v = op.inputs[1];
    for (const RunRows& rows : context.runs) {
        for (uint32_t i = 0; i < rows.numRows; ++i) {
            const uint32_t token = rows.firstPosition + i;
            const size_t row = rows.firstRow + i;
            format.encodeRow({context.rows(k) + row * k.width, k.width}, rows.sequence->keyRow(layer, token));
            format.encodeRow({context.rows(v) + row * v.width, v.width},
                             rows.sequence->valueRow(layer, token));
        }
    }
}

}  // namespace

extern const CpuOp kv_append_op;
const CpuOp kv_append_op{OpCode::KvAppend, run, nullptr};

}  // namespace ingle::backend::cpu
