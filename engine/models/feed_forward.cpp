#include <cmath>

#include "engine/models/layer_parts.h"

namespace ingle::models {

using tensor::Shape;
using Form = FeedForwardSpec::Form;

void listTensors(const FeedForwardSpec& spec, LayerTensors& tensors) {
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out, const RowsOf* rows = nullptr) {
        tensors.linear(name, in, out, spec.bias, BiasOrder::BeforeFactor, rows);
    };
    if (spec.form == Form::GatedFused) {
        const RowsOf gate{"ffn_up", uint64_t{2} * spec.dim, 0, true};
        const RowsOf up{"ffn_up", uint64_t{2} * spec.dim, spec.dim, true};
        add("ffn_gate", tensors.dim(), spec.dim, &gate);
        add("ffn_up", tensors.dim(), spec.dim, &up);
    } else {
        if (spec.form == Form::Gated) add("ffn_gate", tensors.dim(), spec.dim);
        add("ffn_up", tensors.dim(), spec.dim);
    }
    add("ffn_down", spec.dim, tensors.dim());
}

graph::Value feedForward(const FeedForwardSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    if (spec.form == Form::Sequential) {
        const graph::Value up = layer.linear(x, "ffn_up", "ffn_up", factorsOf(spec));  // [numTokens, ffnDim]
        return layer.linear(b.activation(up, spec.activation, "ffn_activated"), "ffn_down", "ffn_down",
                            factorsOf(spec));
    }
    const graph::Value gate =
        layer.linear(x, "ffn_gate", "ffn_gate", factorsOf(spec));                  // [numTokens, ffnDim]
    const graph::Value up = layer.linear(x, "ffn_up", "ffn_up", factorsOf(spec));  // [numTokens, ffnDim]
    const graph::Value activated = b.activation(gate, spec.activation, "ffn_activated");
    return layer.linear(b.multiply(activated, up, "ffn_gated"), "ffn_down", "ffn_down", factorsOf(spec));
}

void listTensors(const ExpertsSpec& spec, LayerTensors& tensors) {
    const uint64_t dim = tensors.dim();
    const uint64_t read = spec.latentDim > 0 ? spec.latentDim : dim;  // by experts
    tensors.matrix("ffn_gate_inp.weight", Shape::of(dim, spec.numExperts));
    if (spec.hasBiases) tensors.vector("ffn_gate_inp.bias", Shape::of(spec.numExperts));
    const RowsOf gate{"ffn_gate_up_exps", uint64_t{2} * spec.dim};
    const RowsOf up{"ffn_gate_up_exps", uint64_t{2} * spec.dim, spec.dim};
    if (spec.isGated) tensors.experts("ffn_gate_exps", read, spec.dim, spec, &gate);
    tensors.experts("ffn_up_exps", read, spec.dim, spec, spec.isGated ? &up : nullptr);
    tensors.experts("ffn_down_exps", spec.dim, read, spec);
    if (spec.hasChoiceBias) tensors.choiceBias(spec.numExperts);
    if (!spec.sumBias.empty()) tensors.made("ffn_exps.bias", spec.sumBias);
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BeforeFactor);
    };
    if (spec.latentDim > 0) {
        add("ffn_latent_down", dim, spec.latentDim);
        add("ffn_latent_up", spec.latentDim, dim);
    }
    if (spec.sharedDim == 0) return;
    if (spec.isGated) add("ffn_gate_shexp", dim, spec.sharedDim);
    add("ffn_up_shexp", dim, spec.sharedDim);
    add("ffn_down_shexp", spec.sharedDim, dim);
    if (spec.sharedIsGated) tensors.matrix("ffn_gate_inp_shexp.weight", Shape::of(dim));
}

namespace {

/// f(gate) * up, both within `limit` where that is not 0.
graph::Value gatedProduct(graph::Builder& b, graph::Value gate, graph::Value up, backend::ActivationKind f,
                          float limit, std::string_view name) {
    graph::Value activated = b.activation(gate, f, fmt::format("{}_activated", name));
    if (limit != 0) {
        activated = b.clamp(activated, {-INFINITY, limit}, fmt::format("{}_gate_clamped", name));
        up = b.clamp(up, {-limit, limit}, fmt::format("{}_up_clamped", name));
    }
    return b.multiply(activated, up, fmt::format("{}_gated", name));
}

/// The expert that every row goes to.
graph::Value sharedExpert(const ExpertsSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const auto linear = [&](graph::Value from, std::string_view name, std::string_view trace) {
        return layer.linear(from, name, trace, factorsOf(spec));
    };
    graph::Value inner;  // [numTokens, sharedDim]
    if (spec.isGated) {
        const graph::Value gate = linear(x, "ffn_gate_shexp", "ffn_shared_gate");
        const graph::Value up = linear(x, "ffn_up_shexp", "ffn_shared_up");
        inner = gatedProduct(b, gate, up, spec.activation, spec.sharedClamp, "ffn_shared");
    } else {
        inner =
            b.activation(linear(x, "ffn_up_shexp", "ffn_shared_up"), spec.activation, "ffn_shared_activated");
    }
    const graph::Value y = linear(inner, "ffn_down_shexp", "ffn_shared_down");
    if (!spec.sharedIsGated) return y;
    // An expert among one, whose share is the sigmoid of its score.
    const graph::Value score = b.linear(x, layer.w("ffn_gate_inp_shexp.weight"), "ffn_shared_score");
    const graph::Value r =
        b.routeExperts(score, {.numUsed = 1, .scores = kernels::ExpertScores::Sigmoid}, "ffn_shared_routing");
    return b.expertSum(y, r, "ffn_shared");
}

/// The sum of so many equal parts.
graph::Value sumOfParts(graph::Builder& b, graph::Value x, uint32_t numParts) {
    const uint32_t part = x.width / numParts;
    graph::Value sum = b.slice(x, {1, 0, part}, "ffn_part_0");
    for (uint32_t i = 1; i < numParts; ++i)
        sum = b.add(sum, b.slice(x, {1, i * part, part}, fmt::format("ffn_part_{}", i)),
                    fmt::format("ffn_sum_{}", i));
    return sum;
}

/// The experts that the router chooses by `routed`.
graph::Value routedExperts(const ExpertsSpec& spec, const LayerBuilder& layer, graph::Value x,
                           graph::Value routed) {
    graph::Builder& b = layer.b;
    const graph::Value scores = b.linear(routed, layer.w("ffn_gate_inp.weight"), layer.w("ffn_gate_inp.bias"),
                                         "ffn_router");  // [numTokens, numExperts]
    const graph::Value r =
        b.routeExperts(scores, spec.rule, spec.hasChoiceBias ? layer.w("exp_probs_b.bias") : nullptr, nullptr,
                       "ffn_routing");
    if (spec.latentDim > 0) x = layer.linear(x, "ffn_latent_down", "ffn_latent", factorsOf(spec));
    // A product's factor is the product of the factor: what is read need not be made for each expert.
    const uint32_t numUsed = spec.rule.numUsed;
    const graph::Value shares =
        spec.isWeighedFirst ? b.slice(r, {1, numUsed, numUsed}, "ffn_shares") : graph::Value{};
    const auto read = [&](std::string_view name, std::string_view trace) {
        const graph::Value y = layer.experts(x, r, name, trace, factorsOf(spec));
        return spec.isWeighedFirst ? b.scaleParts(y, shares, fmt::format("{}_weighed", trace)) : y;
    };
    // [numTokens, numUsed * dim]: the chosen experts' values side by side.
    graph::Value inner;
    if (!spec.isGated) {
        inner = b.activation(read("ffn_up_exps", "ffn_up"), spec.activation, "ffn_activated");
    } else {
        const graph::Value gate = read("ffn_gate_exps", "ffn_gate");
        const graph::Value up = read("ffn_up_exps", "ffn_up");
        inner = spec.gluLimit > 0 ? b.clampedGlu(gate, up, spec.gluLimit, "ffn_gated")
                                  : gatedProduct(b, gate, up, spec.activation, spec.clamp, "ffn");
    }
    const graph::Value down = layer.experts(inner, r, "ffn_down_exps", "ffn_down", factorsOf(spec));
    graph::Value y = spec.isWeighedFirst ? sumOfParts(b, down, numUsed) : b.expertSum(down, r, "ffn_experts");
    if (!spec.sumBias.empty())  // read as a table of one row
        y = b.add(y, b.embedPosition(layer.w("ffn_exps.bias"), "ffn_experts_bias"), "ffn_experts_biased");
    return spec.latentDim > 0 ? layer.linear(y, "ffn_latent_up", "ffn_from_latent", factorsOf(spec)) : y;
}

}  // namespace

graph::Value feedForward(const ExpertsSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Value y = routedExperts(spec, layer, x, spec.routesLayersInput ? layer.input : x);
    if (spec.sharedDim) y = layer.b.add(y, sharedExpert(spec, layer, x), "ffn_all_experts");
    return spec.scale == 1 ? y : layer.b.scale(y, spec.scale, "ffn_experts_scaled");
}

void listTensors(const FeedForwardBesideExpertsSpec& spec, LayerTensors& tensors) {
    listTensors(spec.dense, tensors);
    listTensors(spec.experts, tensors);
    if (!spec.expertsNorm.empty()) tensors.norm(spec.expertsNorm, NormKind::Rms);
}

graph::Value feedForward(const FeedForwardBesideExpertsSpec& spec, const LayerBuilder& layer,
                         graph::Value x) {
    graph::Builder& b = layer.b;
    const graph::Value dense = feedForward(spec.dense, layer, x);
    const graph::Value read = spec.expertsNorm.empty()
                                  ? x
                                  : norm(b, layer.weights, NormKind::Rms, layer.normEps, layer.input,
                                         layerWeight(layer.layer, spec.expertsNorm), spec.expertsNorm);
    b.setScope(fmt::format("blk.{}.experts", layer.layer));  // names that the other half has, too
    const graph::Value experts = feedForward(spec.experts, layer, read);
    b.setScope(fmt::format("blk.{}", layer.layer));
    const graph::Value y = b.add(dense, experts, "ffn_both");
    return spec.scale == 1 ? y : b.scale(y, spec.scale, "ffn_both_scaled");
}

void listTensors(const FeedForwardAndExpertsSpec& spec, LayerTensors& tensors) {
    listTensors(spec.dense, tensors);
    listTensors(spec.experts, tensors);
    tensors.vector("ffn_gate_inp.scale", Shape::of(tensors.dim()));
    for (const std::string_view name : {"post_ffw_norm_1", "pre_ffw_norm_2", "post_ffw_norm_2"})
        tensors.norm(name, NormKind::Rms);
}

graph::Value feedForward(const FeedForwardAndExpertsSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const graph::Value h = layer.residual;
    const auto normed = [&](graph::Value value, std::string_view name) {
        return b.rmsNorm(value, layer.w(fmt::format("{}.weight", name)), layer.normEps, name);
    };
    const graph::Value unit = b.rmsNorm(h, layer.w("ffn_gate_inp.scale"), layer.normEps, "ffn_router_norm");
    const graph::Value routed =
        b.scale(unit, 1 / std::sqrt(static_cast<float>(h.width)), "ffn_router_scaled");
    const graph::Value read = normed(h, "pre_ffw_norm_2");
    b.setScope(fmt::format("blk.{}.experts", layer.layer));  // names that the other half has, too
    const graph::Value experts = routedExperts(spec.experts, layer, read, routed);
    b.setScope(fmt::format("blk.{}", layer.layer));
    return b.add(normed(feedForward(spec.dense, layer, x), "post_ffw_norm_1"),
                 normed(experts, "post_ffw_norm_2"), "ffn_both");
}

}  // namespace ingle::models
