#include "engine/backend/chunk_state.h"
#include "engine/models/layer_parts.h"
#include "engine/models/state_space_keys.h"

namespace ingle::models {
namespace {

using backend::ActivationKind;
using tensor::Shape;

/// MambaWidths of rows.
struct MambaWidths {
    uint32_t inner;   ///< of all heads
    uint32_t states;  ///< of B, and of C
    uint32_t mixed() const { return inner + 2 * states; }
};

MambaWidths widthsOf(const MambaSpec& spec) {
    return {spec.numHeads * spec.headSize, spec.groups * spec.stateSize};
}

backend::ShortConvParams convParams(const MambaSpec& spec, uint32_t state) {
    return {state, spec.kernel};
}

backend::MambaScanParams scanParams(const MambaSpec& spec, uint32_t state) {
    return {.state = state,
            .numHeads = spec.numHeads,
            .headSize = spec.headSize,
            .groups = spec.groups,
            .stateSize = spec.stateSize};
}

}  // namespace

void listTensors(const MambaSpec& spec, LayerTensors& tensors) {
    const MambaWidths widths = widthsOf(spec);
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    add("ssm_in", tensors.dim(), uint64_t{widths.inner} + widths.mixed() + spec.numHeads);
    tensors.vector("ssm_conv1d.weight", Shape::of(spec.kernel, widths.mixed()));
    tensors.vector("ssm_conv1d.bias", Shape::of(widths.mixed()));
    tensors.vector("ssm_a", Shape::of(1, spec.numHeads));
    tensors.vector("ssm_d", Shape::of(1, spec.numHeads));
    tensors.vector("ssm_dt.bias", Shape::of(spec.numHeads));
    tensors.vector("ssm_norm.weight", Shape::of(widths.inner / spec.groups, spec.groups), spec.norm);
    add("ssm_out", widths.inner, tensors.dim());
}

void listMemory(const MambaSpec& spec, backend::MemorySpec& memory) {
    const size_t number = memory.states.size();
    const auto state = static_cast<uint32_t>(number);
    memory.states.push_back(
        backend::ringState(fmt::format("conv.{}", number), convParams(spec, state), widthsOf(spec).mixed()));
    memory.states.push_back(backend::chunkedState(fmt::format("scan.{}", number),
                                                  backend::layoutOf(scanParams(spec, state + 1))));
}

graph::Value mix(const MambaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const MambaWidths widths = widthsOf(spec);
    const graph::Value all = layer.linear(x, "ssm_in", "projected");  // z, x, B, C, steps
    const graph::Value z = b.slice(all, {1, 0, widths.inner}, "z");   // [numTokens, inner]
    graph::Value mixed = b.slice(all, {1, widths.inner, widths.mixed()}, "mixed");
    const graph::Value steps =
        b.slice(all, {1, widths.inner + widths.mixed(), spec.numHeads}, "steps");  // [numTokens, numHeads]
    mixed = b.shortConv(mixed, layer.w("ssm_conv1d.weight"), layer.w("ssm_conv1d.bias"),
                        convParams(spec, layer.firstState), "conv");
    mixed = b.activation(mixed, ActivationKind::Silu, "conv_silu");
    const graph::Value u = b.slice(mixed, {1, 0, widths.inner}, "u");                 // [numTokens, inner]
    const graph::Value keys = b.slice(mixed, {1, widths.inner, widths.states}, "B");  // [numTokens, states]
    const graph::Value queries = b.slice(mixed, {1, widths.inner + widths.states, widths.states}, "C");
    graph::Value y =
        b.mambaScan(u, keys, queries, steps, layer.w("ssm_a"), layer.w("ssm_d"), layer.w("ssm_dt.bias"),
                    scanParams(spec, layer.firstState + 1), "scan");  // [numTokens, inner]
    y = b.multiply(b.activation(z, ActivationKind::Silu, "z_silu"), y, "scan_gated");
    if (const tensor::Tensor* gain = layer.w("ssm_norm.weight"))
        y = b.rmsNorm(y, gain, layer.normEps, "scan_norm", spec.groups);
    return layer.linear(y, "ssm_out", "mixer_output");
}

void listTensors(const AttentionAndMambaSpec& spec, LayerTensors& tensors) {
    listTensors(spec.attention, tensors);
    listTensors(spec.mamba, tensors);
}

void listMemory(const AttentionAndMambaSpec& spec, backend::MemorySpec& memory) {
    listMemory(spec.attention, memory);
    listMemory(spec.mamba, memory);
}

graph::Value mix(const AttentionAndMambaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    const graph::Value attended = mix(spec.attention, layer, x);
    return layer.b.add(attended, mix(spec.mamba, layer, x), "mixed_both");
}

Result<MambaSpec> readMamba(const Keys& keys) {
    INGLE_TRY_ASSIGN(const StateSpaceSizes sizes, readStateSpaceSizes(keys));
    return MambaSpec{.numHeads = sizes.heads,
                     .headSize = sizes.inner / sizes.heads,
                     .groups = sizes.groups,
                     .stateSize = sizes.stateSize,
                     .kernel = sizes.kernel};
}

}  // namespace ingle::models
