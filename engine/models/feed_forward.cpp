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
    tensors.matrix("ffn_gate_inp.weight", Shape::of(dim, spec.numExperts));
    if (spec.hasBiases) tensors.vector("ffn_gate_inp.bias", Shape::of(spec.numExperts));
    const RowsOf gate{"ffn_gate_up_exps", uint64_t{2} * spec.dim};
    const RowsOf up{"ffn_gate_up_exps", uint64_t{2} * spec.dim, spec.dim};
    tensors.experts("ffn_gate_exps", dim, spec.dim, spec, &gate);
    tensors.experts("ffn_up_exps", dim, spec.dim, spec, &up);
    tensors.experts("ffn_down_exps", spec.dim, dim, spec);
    if (spec.hasChoiceBias)
        tensors.vector("exp_probs_b.bias", Shape::of(spec.numExperts), Presence::Optional);
    if (spec.sharedDim == 0) return;
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BeforeFactor);
    };
    add("ffn_gate_shexp", dim, spec.sharedDim);
    add("ffn_up_shexp", dim, spec.sharedDim);
    add("ffn_down_shexp", spec.sharedDim, dim);
    if (spec.sharedIsGated) tensors.matrix("ffn_gate_inp_shexp.weight", Shape::of(dim));
}

namespace {

/// The expert that every row goes to.
graph::Value sharedExpert(const ExpertsSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const graph::Value gate =
        layer.linear(x, "ffn_gate_shexp", "ffn_shared_gate", factorsOf(spec));  // [numTokens, sharedDim]
    const graph::Value up = layer.linear(x, "ffn_up_shexp", "ffn_shared_up", factorsOf(spec));
    const graph::Value activated = b.activation(gate, spec.activation, "ffn_shared_activated");
    const graph::Value y = layer.linear(b.multiply(activated, up, "ffn_shared_gated"), "ffn_down_shexp",
                                        "ffn_shared_down", factorsOf(spec));
    if (!spec.sharedIsGated) return y;
    // An expert among one, whose share is the sigmoid of its score.
    const graph::Value score = b.linear(x, layer.w("ffn_gate_inp_shexp.weight"), "ffn_shared_score");
    const graph::Value r =
        b.routeExperts(score, {.numUsed = 1, .scores = kernels::ExpertScores::Sigmoid}, "ffn_shared_routing");
    return b.expertSum(y, r, "ffn_shared");
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
    // [numTokens, numUsed * dim]: the chosen experts' values side by side.
    const graph::Value gate = layer.experts(x, r, "ffn_gate_exps", "ffn_gate", factorsOf(spec));
    const graph::Value up = layer.experts(x, r, "ffn_up_exps", "ffn_up", factorsOf(spec));
    const graph::Value gated =
        spec.gluLimit > 0 ? b.clampedGlu(gate, up, spec.gluLimit, "ffn_gated")
                          : b.multiply(b.activation(gate, spec.activation, "ffn_activated"), up, "ffn_gated");
    return b.expertSum(layer.experts(gated, r, "ffn_down_exps", "ffn_down", factorsOf(spec)), r,
                       "ffn_experts");
}

}  // namespace

graph::Value feedForward(const ExpertsSpec& spec, const LayerBuilder& layer, graph::Value x) {
    const graph::Value y = routedExperts(spec, layer, x, x);
    return spec.sharedDim ? layer.b.add(y, sharedExpert(spec, layer, x), "ffn_all_experts") : y;
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
