#include <cmath>

#include "engine/backend/chunk_state.h"
#include "engine/models/layer_parts.h"
#include "engine/models/limits.h"

namespace ingle::models {

using backend::ActivationKind;
using tensor::Shape;

namespace {

constexpr std::string_view kInputs[] = {"q", "k", "v"};

}  // namespace

void listTensors(const ChannelDeltaSpec& spec, LayerTensors& tensors) {
    const uint64_t width = uint64_t{spec.numHeads} * spec.headDim;
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    for (const std::string_view input : kInputs) {
        add(fmt::format("attn_{}", input), tensors.dim(), width);
        tensors.convolution(fmt::format("ssm_conv1d_{}", input), spec.kernel, width);
    }
    for (const std::string_view made : {"ssm_f", "ssm_g"}) {
        add(fmt::format("{}_a", made), tensors.dim(), spec.isDirect ? width : spec.headDim);
        if (!spec.isDirect) add(fmt::format("{}_b", made), spec.headDim, width);
    }
    add("ssm_beta", tensors.dim(), spec.numHeads);
    tensors.vector("ssm_a", Shape::of(1, spec.numHeads));
    tensors.vector("ssm_dt.bias", Shape::of(width));
    tensors.vector("ssm_norm.weight", Shape::of(spec.headDim));
    add("attn_output", width, tensors.dim());
}

void listMemory(const ChannelDeltaSpec& spec, backend::MemorySpec& memory) {
    const uint32_t width = spec.numHeads * spec.headDim;
    for (const std::string_view input : kInputs) {
        const auto number = static_cast<uint32_t>(memory.states.size());
        memory.states.push_back(
            backend::ringState(fmt::format("conv_{}.{}", input, number), {number, spec.kernel}, width));
    }
    memory.states.push_back({fmt::format("delta.{}", memory.states.size()), width * spec.headDim});
}

graph::Value mix(const ChannelDeltaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    graph::Value inputs[3];
    for (uint32_t i = 0; i < 3; ++i) {
        const std::string_view name = kInputs[i];
        const graph::Value raw =
            b.linear(x, layer.w(fmt::format("attn_{}.weight", name)), fmt::format("{}_raw", name));
        const graph::Value mixed =
            b.shortConv(raw, layer.w(fmt::format("ssm_conv1d_{}.weight", name)), nullptr,
                        {layer.firstState + i, spec.kernel}, fmt::format("{}_conv", name));
        inputs[i] = b.activation(mixed, ActivationKind::Silu, fmt::format("{}_silu", name));
    }
    // Queries and keys of length 1, see gated_delta.cpp; queries are divided by the root of their size, too.
    const auto size = static_cast<float>(spec.headDim);
    const auto unit = [&](graph::Value heads, float factor, std::string_view name) {
        heads = b.rmsNorm(heads, nullptr, layer.normEps / size, fmt::format("{}_norm", name), spec.numHeads);
        return b.scale(heads, factor, name);
    };
    const graph::Value q = unit(inputs[0], 1 / size, "q");
    const graph::Value k = unit(inputs[1], 1 / std::sqrt(size), "k");
    const auto made = [&](std::string_view name, std::string_view trace) {
        const std::string low = fmt::format("{}_a", name);
        if (spec.isDirect) return layer.linear(x, low, trace);
        return layer.linear(layer.linear(x, low, fmt::format("{}_low", trace)), fmt::format("{}_b", name),
                            trace);
    };
    const graph::Value rate = b.activation(layer.linear(x, "ssm_beta", "beta", Factors::LeftAlone),
                                           ActivationKind::Sigmoid, "beta_sigmoid");
    graph::Value y = b.channelDelta(
        q, k, inputs[2], made("ssm_f", "steps"), rate, layer.w("ssm_a"), layer.w("ssm_dt.bias"),
        {layer.firstState + 3, spec.numHeads, spec.headDim, spec.headDim, spec.lowest}, "delta");
    y = b.rmsNorm(y, layer.w("ssm_norm.weight"), layer.normEps, "delta_norm", spec.numHeads);
    const graph::Value gate = b.activation(made("ssm_g", "gate"), ActivationKind::Sigmoid, "gate_sigmoid");
    return layer.linear(b.multiply(gate, y, "delta_gated"), "attn_output", "mixer_output",
                        Factors::LeftAlone);
}

Result<ChannelDeltaSpec> readChannelDelta(const Keys& keys, uint32_t numHeads) {
    ChannelDeltaSpec spec{.numHeads = numHeads};
    INGLE_TRY_ASSIGN(spec.kernel, keys.u32("ssm.conv_kernel"));
    INGLE_TRY_ASSIGN(spec.headDim, keys.u32("kda.head_dim"));
    if (spec.kernel < kLeastKernel || spec.kernel > kMaxKernel)
        return keys.cannotBe("ssm.conv_kernel", spec.kernel);
    if (spec.headDim == 0 || spec.headDim > kMaxHeadDim || uint64_t{numHeads} * spec.headDim > kMaxRowElems ||
        uint64_t{numHeads} * spec.headDim * spec.headDim > INT32_MAX)
        return keys.cannotBe("kda.head_dim", spec.headDim);
    return spec;
}

}  // namespace ingle::models
