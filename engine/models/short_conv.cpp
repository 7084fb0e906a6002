#include "engine/backend/chunk_state.h"
#include "engine/models/layer_parts.h"

namespace ingle::models {

void listTensors(const ShortConvSpec& spec, LayerTensors& tensors) {
    const uint64_t width = spec.width;
    tensors.linear("shortconv.in_proj", tensors.dim(), 3 * width, Presence::Optional,
                   BiasOrder::BehindFactor);
    tensors.vector("shortconv.conv.weight", tensor::Shape::of(spec.kernel, width));
    tensors.linear("shortconv.out_proj", width, tensors.dim(), Presence::Optional, BiasOrder::BehindFactor);
}

void listMemory(const ShortConvSpec& spec, backend::MemorySpec& memory) {
    const size_t number = memory.states.size();
    memory.states.push_back(backend::ringState(fmt::format("conv.{}", number),
                                               {static_cast<uint32_t>(number), spec.kernel}, spec.width));
}

graph::Value mix(const ShortConvSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const uint32_t width = spec.width;
    const graph::Value all = layer.linear(x, "shortconv.in_proj", "projected");  // [numTokens, B, C, u]
    const graph::Value u =
        b.multiply(b.slice(all, {1, 0, width}, "B"), b.slice(all, {1, 2 * width, width}, "u"), "u_gated");
    const graph::Value y =
        b.shortConv(u, layer.w("shortconv.conv.weight"), nullptr, {layer.firstState, spec.kernel}, "conv");
    return layer.linear(b.multiply(b.slice(all, {1, width, width}, "C"), y, "conv_gated"),
                        "shortconv.out_proj", "mixer_output");
}

}  // namespace ingle::models
