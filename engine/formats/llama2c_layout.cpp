#include "engine/formats/llama2c_layout.h"

namespace ingle::formats::llama2c {
namespace {

struct Arrays {
    StackedArray embedding, attentionNorm, query, key, value, attentionOutput, ffnNorm, gate, down, up,
        outputNorm, ropeTables, output;
};

Arrays arraysOf(const Config& c) {
    const tensor::Shape norm{{c.dim, 1, 1, 1}};
    const tensor::Shape square{{c.dim, c.dim, 1, 1}};
    const tensor::Shape keyValue{{c.dim, c.kvDim(), 1, 1}};
    const tensor::Shape widening{{c.dim, c.hiddenDim, 1, 1}};
    const tensor::Shape narrowing{{c.hiddenDim, c.dim, 1, 1}};
    const tensor::Shape vocabulary{{c.dim, c.vocabSize, 1, 1}};
    return {.embedding = {"token_embd", vocabulary, Extent::OnePerModel},
            .attentionNorm = {"attn_norm", norm, Extent::OnePerLayer, Role::Norm},
            .query = {"attn_q", square},
            .key = {"attn_k", keyValue},
            .value = {"attn_v", keyValue},
            .attentionOutput = {"attn_output", square},
            .ffnNorm = {"ffn_norm", norm, Extent::OnePerLayer, Role::Norm},
            .gate = {"ffn_gate", widening},
            .down = {"ffn_down", narrowing},
            .up = {"ffn_up", widening},
            .outputNorm = {"output_norm", norm, Extent::OnePerModel, Role::Norm},
            .ropeTables = {"", {{c.ropeTableElems(), 1, 1, 1}}, Extent::OnePerModel},
            .output = {"output", vocabulary, Extent::OnePerModel}};
}

}  // namespace

std::vector<StackedArray> arraysInOrder(const Config& c, int32_t version) {
    const Arrays a = arraysOf(c);
    std::vector<StackedArray> order;
    if (version == 0)
        order = {a.embedding, a.attentionNorm, a.query, a.key, a.value,      a.attentionOutput,
                 a.ffnNorm,   a.gate,          a.down,  a.up,  a.outputNorm, a.ropeTables};
    else
        order = {a.attentionNorm, a.ffnNorm,         a.outputNorm, a.embedding, a.query, a.key,
                 a.value,         a.attentionOutput, a.gate,       a.down,      a.up};
    if (!c.sharedOutput) order.push_back(a.output);
    return order;
}

}  // namespace ingle::formats::llama2c
