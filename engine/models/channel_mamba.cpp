#include "engine/backend/chunk_state.h"
#include "engine/models/layer_parts.h"
#include "engine/models/limits.h"

namespace ingle::models {

using backend::ActivationKind;
using tensor::Shape;
using Norms = ChannelMambaSpec::Norms;

void listTensors(const ChannelMambaSpec& spec, LayerTensors& tensors) {
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    add("ssm_in", tensors.dim(), uint64_t{2} * spec.inner);
    tensors.vector("ssm_conv1d.weight", Shape::of(spec.kernel, spec.inner));
    tensors.vector("ssm_conv1d.bias", Shape::of(spec.inner));
    add("ssm_x", spec.inner, uint64_t{spec.stepRank} + 2 * uint64_t{spec.stateSize});
    tensors.matrix("ssm_dt.weight", Shape::of(spec.stepRank, spec.inner));
    tensors.vector("ssm_dt.bias", Shape::of(spec.inner));
    tensors.vector("ssm_a", Shape::of(spec.stateSize, spec.inner));
    tensors.vector("ssm_d", Shape::of(spec.inner));
    if (spec.norms == Norms::Gained) {
        tensors.vector("ssm_dt_norm.weight", Shape::of(spec.stepRank));
        tensors.vector("ssm_b_norm.weight", Shape::of(spec.stateSize));
        tensors.vector("ssm_c_norm.weight", Shape::of(spec.stateSize));
    }
    add("ssm_out", spec.inner, tensors.dim());
}

void listMemory(const ChannelMambaSpec& spec, backend::MemorySpec& memory) {
    const size_t number = memory.states.size();
    const auto state = static_cast<uint32_t>(number);
    memory.states.push_back(
        backend::ringState(fmt::format("conv.{}", number), {state, spec.kernel}, spec.inner));
    memory.states.push_back({fmt::format("scan.{}", number), spec.inner * spec.stateSize});
}

graph::Value mix(const ChannelMambaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const uint32_t inner = spec.inner;
    const graph::Value both = layer.linear(x, "ssm_in", "projected");  // [numTokens, u, z]
    graph::Value u = b.slice(both, {1, 0, inner}, "u_raw");
    const graph::Value z = b.slice(both, {1, inner, inner}, "z");
    u = b.shortConv(u, layer.w("ssm_conv1d.weight"), layer.w("ssm_conv1d.bias"),
                    {layer.firstState, spec.kernel}, "conv");
    u = b.activation(u, ActivationKind::Silu, "u");
    const graph::Value made = layer.linear(u, "ssm_x", "made");  // [numTokens, steps, B, C]
    const auto part = [&](uint32_t first, uint32_t count, std::string_view name) {
        const graph::Value value = b.slice(made, {1, first, count}, fmt::format("{}_raw", name));
        if (spec.norms == Norms::None) return value;
        const tensor::Tensor* gain =
            spec.norms == Norms::Gained ? layer.w(fmt::format("ssm_{}_norm.weight", name)) : nullptr;
        return b.rmsNorm(value, gain, spec.normEps != 0 ? spec.normEps : layer.normEps, name);
    };
    const graph::Value low = part(0, spec.stepRank, "dt");
    const graph::Value keys = part(spec.stepRank, spec.stateSize, "b");
    const graph::Value queries = part(spec.stepRank + spec.stateSize, spec.stateSize, "c");
    const graph::Value steps = b.linear(low, layer.w("ssm_dt.weight"), "steps");  // [numTokens, inner]
    const graph::Value y =
        b.channelScan(u, keys, queries, steps, layer.w("ssm_a"), layer.w("ssm_d"), layer.w("ssm_dt.bias"),
                      {layer.firstState + 1, spec.stateSize}, "scan");
    return layer.linear(b.multiply(b.activation(z, ActivationKind::Silu, "z_silu"), y, "scan_gated"),
                        "ssm_out", "mixer_output");
}

Result<ChannelMambaSpec> readChannelMamba(const Keys& keys) {
    ChannelMambaSpec spec;
    INGLE_TRY_ASSIGN(spec.kernel, keys.u32("ssm.conv_kernel"));
    INGLE_TRY_ASSIGN(spec.inner, keys.u32("ssm.inner_size"));
    INGLE_TRY_ASSIGN(spec.stateSize, keys.u32("ssm.state_size"));
    INGLE_TRY_ASSIGN(spec.stepRank, keys.u32("ssm.time_step_rank"));
    if (spec.kernel < kLeastKernel || spec.kernel > kMaxKernel)
        return keys.cannotBe("ssm.conv_kernel", spec.kernel);
    if (spec.inner == 0 || spec.inner > kMaxRowElems) return keys.cannotBe("ssm.inner_size", spec.inner);
    if (spec.stateSize == 0 || uint64_t{spec.stateSize} * spec.inner > INT32_MAX)
        return keys.cannotBe("ssm.state_size", spec.stateSize);
    if (spec.stepRank == 0 || spec.stepRank > kMaxRowElems)
        return keys.cannotBe("ssm.time_step_rank", spec.stepRank);
    return spec;
}

void synthesizeChannelMamba(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    const auto set = [&](std::string_view key, int64_t value) {
        metadata.set(fmt::format("{}.{}", arch, key), value);
    };
    set("ssm.conv_kernel", 4);
    set("ssm.state_size", 16);
    set("ssm.time_step_rank", 32);
    set("ssm.inner_size", int64_t{2} * sizes.dim);
}

}  // namespace ingle::models
