#include "engine/kernels/ref/attention.h"

#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

using kernels::OnlineSoftmax;

/// Decodes one kv head's slice of `count` cache rows that start at `row`.
void decodeHead(const quant::QuantFormat& format, const std::byte* row, size_t rowBytes, size_t head,
                size_t headDim, size_t count, float* out) {
    const size_t offset = head * headDim / format.blockElems * format.blockBytes;
    for (size_t j = 0; j < count; ++j) {
        format.decodeRow(row + j * rowBytes + offset, {out + j * headDim, headDim});
    }
}

/// All queries of one run that read one kv head. Pages are walked in order and each query takes in a page's
/// visible keys at once, so that the order of additions depends on positions only, not on how the prompt was
/// cut into chunks.
void attendHead(const Op& op, const StepContext& context, const RunRows& rows, uint32_t kvHead,
                float* scratch) {
    const auto& params = std::get<AttentionParams>(op.params);
    const size_t headDim = params.headDim;
    const size_t group = params.numHeads / params.numKvHeads;
    const auto& layout = context.memory.layout(params.layer);
    const quant::QuantFormat& format = context.memory.kvFormat();
    float* keys = scratch;
    float* values = keys + kPageTokens * headDim;
    auto* softmax = reinterpret_cast<OnlineSoftmax*>(values + kPageTokens * headDim);
    std::fill_n(softmax, rows.numRows * group, OnlineSoftmax{});

    const size_t width = op.inputs[0].width;
    const float* q = context.rows(op.inputs[0]) + rows.firstRow * width + kvHead * group * headDim;
    float* y = context.rows(op.outputs[0]) + rows.firstRow * width + kvHead * group * headDim;
    for (size_t i = 0; i < rows.numRows; ++i) std::fill_n(y + i * width, group * headDim, 0.0f);

    const uint32_t numKeys = rows.firstPosition + rows.numRows;
    for (uint32_t page = 0; page < numKeys; page += kPageTokens) {
        const uint32_t inPage = std::min(kPageTokens, numKeys - page);
        const std::byte* keyRow = rows.sequence->keyRow(params.layer, page);
        const std::byte* valueRow = rows.sequence->valueRow(params.layer, page);
        decodeHead(format, keyRow, layout.keyRowBytes, kvHead, headDim, inPage, keys);
        decodeHead(format, valueRow, layout.valueRowBytes, kvHead, headDim, inPage, values);
        for (uint32_t i = 0; i < rows.numRows; ++i) {
            const uint32_t position = rows.firstPosition + i;
            if (position < page) continue;
            const uint32_t visible = std::min(inPage, position - page + 1);
            for (size_t head = 0; head < group; ++head) {
                const size_t at = i * width + head * headDim;
                kernels::attendBlockRef(q + at, keys, values, visible, headDim, params.scale,
                                        softmax[i * group + head], y + at);
            }
        }
    }
    for (size_t i = 0; i < rows.numRows; ++i) {
        for (size_t head = 0; head < group; ++head) {
            const float inverse = 1.0f / softmax[i * group + head].sum;
            float* out = y + i * width + head * headDim;
            for (size_t d = 0; d < headDim; ++d) out[d] *= inverse;
        }
    }
}

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<AttentionParams>(op.params);
    const size_t items = context.runs.size() * params.numKvHeads;
    context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
        for (size_t item = begin; item < end; ++item) {
            attendHead(op, context, context.runs[item / params.numKvHeads],
                       static_cast<uint32_t>(item % params.numKvHeads), context.threadFloats(thread));
        }
    });
}

Scratch scratch(const Op& op, const Plan& plan) {
    const auto& params = std::get<AttentionParams>(op.params);
    const size_t page = 2 * kPageTokens * size_t{params.headDim} * sizeof(float);
    const size_t group = params.numHeads / params.numKvHeads;
    return {.sharedBytes = 0, .threadBytes = page + plan.maxTokens * group * sizeof(OnlineSoftmax)};
}

}  // namespace

extern const CpuOp attention_op;
const CpuOp attention_op{OpCode::Attention, run, scratch};

}  // namespace ingle::backend::cpu
