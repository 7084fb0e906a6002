#include "engine/backend/chunk_state.h"
#include "engine/models/layer_parts.h"

namespace ingle::models {
namespace {

using backend::ActivationKind;
using tensor::Shape;

backend::MambaScanParams plamoScan(const PlamoMambaSpec& spec, uint32_t state) {
    return {.state = state,
            .numHeads = spec.numHeads,
            .headSize = spec.headSize,
            .groups = 1,
            .stateSize = spec.stateSize};
}

}  // namespace

void listTensors(const PlamoMambaSpec& spec, LayerTensors& tensors) {
    const uint64_t inner = uint64_t{spec.numHeads} * spec.headSize;
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    add("ssm_in", tensors.dim(), 2 * inner);
    tensors.vector("ssm_conv1d.weight", Shape::of(spec.kernel, inner));
    add("ssm_x", inner, uint64_t{spec.stepRank} + 2 * uint64_t{spec.stateSize});
    tensors.matrix("ssm_dt.weight", Shape::of(spec.stepRank, spec.numHeads));
    tensors.vector("ssm_dt.bias", Shape::of(spec.numHeads));
    tensors.vector("ssm_a", Shape::of(spec.numHeads));
    tensors.vector("ssm_d", Shape::of(spec.numHeads));
    tensors.norm("ssm_dt_norm", NormKind::Rms, spec.stepRank);
    tensors.norm("ssm_b_norm", NormKind::Rms, spec.stateSize);
    tensors.norm("ssm_c_norm", NormKind::Rms, spec.stateSize);
    add("ssm_out", inner, tensors.dim());
}

void listMemory(const PlamoMambaSpec& spec, backend::MemorySpec& memory) {
    const auto state = static_cast<uint32_t>(memory.states.size());
    memory.states.push_back(backend::ringState(fmt::format("conv.{}", state), {state, spec.kernel},
                                               spec.numHeads * spec.headSize));
    memory.states.push_back(
        backend::chunkedState(fmt::format("scan.{}", state), backend::layoutOf(plamoScan(spec, state + 1))));
}

graph::Value mix(const PlamoMambaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const graph::Value both =
        layer.linear(x, "ssm_in", "projected", Factors::LeftAlone);  // of each head z, then u
    const graph::Value z = b.slice(both, {spec.numHeads, 0, spec.headSize}, "z");
    graph::Value u = b.slice(both, {spec.numHeads, spec.headSize, spec.headSize}, "u_raw");
    u = b.shortConv(u, layer.w("ssm_conv1d.weight"), nullptr, {layer.firstState, spec.kernel}, "conv");
    u = b.activation(u, ActivationKind::Silu, "u");
    const graph::Value made =
        layer.linear(u, "ssm_x", "made", Factors::LeftAlone);  // [numTokens, B, C, steps]
    const auto part = [&](uint32_t first, uint32_t count, std::string_view name) {
        return b.rmsNorm(b.slice(made, {1, first, count}, fmt::format("{}_raw", name)),
                         layer.w(fmt::format("ssm_{}_norm.weight", name)), layer.normEps, name);
    };
    const graph::Value keys = part(0, spec.stateSize, "b");
    const graph::Value queries = part(spec.stateSize, spec.stateSize, "c");
    const graph::Value low = part(2 * spec.stateSize, spec.stepRank, "dt");
    const graph::Value steps = b.linear(low, layer.w("ssm_dt.weight"), "steps");  // [numTokens, numHeads]
    const graph::Value y = b.mambaScan(u, keys, queries, steps, layer.w("ssm_a"), layer.w("ssm_d"),
                                       layer.w("ssm_dt.bias"), plamoScan(spec, layer.firstState + 1), "scan");
    return layer.linear(b.multiply(b.activation(z, ActivationKind::Silu, "z_silu"), y, "scan_gated"),
                        "ssm_out", "mixer_output", Factors::LeftAlone);
}

}  // namespace ingle::models
