#include <algorithm>
#include <array>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::kv_append_op {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const uint32_t layer = std::get<CacheParams>(op.params).layer;
    const quant::QuantFormat& format = context.memory.kvFormat();
    const auto toHalves = kernel.toHalves;
    // `count` numbers as they lie in the cache; the last block is filled up with zeros.
    const auto encode = [&](const float* values, size_t count, std::byte* out) {
        if (format.id == quant::kF16) {
            toHalves(values, out, count);
            return;
        }
        const size_t whole = count / format.blockElems * format.blockElems;
        format.encodeRow({values, whole}, {}, out);
        if (whole == count) return;
        std::array<float, kLargestBlock> last{};
        std::copy(values + whole, values + count, last.begin());
        format.encodeRow({last.data(), format.blockElems}, {},
                         out + whole / format.blockElems * format.blockBytes);
    };
    const auto appendKey = [&](const CpuSequence& sequence, uint32_t token, const float* values,
                               size_t width) {
        alignas(float) std::array<std::byte, kLargestBlock * sizeof(float)> encoded;
        for (size_t first = 0; first < width; first += kLargestBlock) {
            const size_t count = std::min(kLargestBlock, width - first);
            encode(values + first, count, encoded.data());
            sequence.writeKey(layer, token, first,
                              {encoded.data(), cacheRowBytes(format, static_cast<uint32_t>(count))});
        }
    };
    // Keys of neighbouring tokens are neighbours in memory: a thread writes whole cache lines of halves.
    constexpr size_t kGrain = kPageTokens / 2;
    for (const RunRows& rows : context.runs) {
        context.threads.parallelFor(rows.numRows, kGrain, [&](size_t begin, size_t end, uint32_t) {
            for (size_t i = begin; i < end; ++i) {
                const uint32_t token = rows.firstPosition + static_cast<uint32_t>(i);
                const auto valuesOf = [&](Operand x) {
                    return context.rows(x) + (rows.firstRow + i) * x.width;
                };
                appendKey(*rows.sequence, token, valuesOf(op.inputs[0]), op.inputs[0].width);
                if (op.inputs.size() > 1)
                    encode(valuesOf(op.inputs[1]), op.inputs[1].width, rows.sequence->valueRow(layer, token));
            }
        });
    }
}

}  // namespace

extern const CpuOp op{OpCode::KvAppend, withKernel<always<kernels::KernelOp::ToHalves>, run>};

}  // namespace ingle::backend::cpu::kv_append_op
