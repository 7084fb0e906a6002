#include "engine/vision/tower.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace ingle::vision {
namespace {

using graph::Value;
using models::Presence;
using models::TensorSpec;
using models::Weights;
using tensor::Shape;
using enum backend::WeightUse;

/// All layers of a tower keep their keys and values in layer 0 of the memory, one after the other.
constexpr uint32_t kResamplerCache = 1;
constexpr std::string_view kLimits[] = {".input_min", ".input_max", ".output_min", ".output_max"};

std::string ofLayer(uint32_t layer, std::string_view name) {
    return fmt::format("v.blk.{}.{}", layer, name);
}

/// Rows of attn_qkv in place of a matrix of their own.
void listProjection(std::vector<TensorSpec>& specs, uint32_t layer, std::string_view name, uint64_t in,
                    uint64_t out, uint64_t allOut, uint64_t firstRow) {
    const std::string own = ofLayer(layer, name);
    const std::string fused = ofLayer(layer, "attn_qkv");
    const auto before = static_cast<long>(specs.size());
    listTowerLinear(specs, own, in, out);
    for (TensorSpec& spec : std::span(specs.begin() + before, specs.end())) {
        const bool isMatrix = spec.name == own + ".weight";
        if (!isMatrix && spec.name != own + ".bias") continue;
        const Shape whole = isMatrix ? Shape::of(in, allOut) : Shape::of(allOut);
        spec.sources = {{spec.name, spec.shape}, {fused + (isMatrix ? ".weight" : ".bias"), whole, firstRow}};
    }
}

void listLayer(const TowerSpec& spec, uint32_t layer, std::vector<TensorSpec>& specs) {
    const auto name = [&](std::string_view part) { return ofLayer(layer, part); };
    const uint64_t queries = uint64_t{spec.numHeads} * spec.headDim;
    const uint64_t keys = uint64_t{spec.numKvHeads} * spec.headDim;
    listTowerNorm(specs, name("ln1"), spec.normsByMean, spec.dim);
    listTowerNorm(specs, name("ln2"), spec.normsByMean, spec.dim);
    listProjection(specs, layer, "attn_q", spec.dim, queries, queries + 2 * keys, 0);
    listProjection(specs, layer, "attn_k", spec.dim, keys, queries + 2 * keys, queries);
    listProjection(specs, layer, "attn_v", spec.dim, keys, queries + 2 * keys, queries + keys);
    listTowerLinear(specs, name("attn_out"), queries, spec.dim);
    if (spec.hasHeadNorms) {
        specs.push_back({name("attn_q_norm.weight"), Shape::of(spec.headDim), Vector});
        specs.push_back({name("attn_k_norm.weight"), Shape::of(spec.headDim), Vector});
    }
    for (const std::string_view scale : {"ls1.weight", "ls2.weight"})  // read as tables of one row
        specs.push_back({name(scale), Shape::of(spec.dim), Matrix, Presence::Optional});
    if (spec.hasBranchNorms) {
        listTowerNorm(specs, name("attn_post_norm"), spec.normsByMean, spec.dim);
        listTowerNorm(specs, name("ffn_post_norm"), spec.normsByMean, spec.dim);
    }
    if (spec.isGated) listTowerLinear(specs, name("ffn_gate"), spec.dim, spec.ffnDim);
    listTowerLinear(specs, name("ffn_up"), spec.dim, spec.ffnDim);
    listTowerLinear(specs, name("ffn_down"), spec.ffnDim, spec.dim);
    if (spec.hasLayerScales)
        specs.push_back({name("out_scale.weight"), Shape::of(1), Vector, Presence::Optional});
}

void listEarlyMerge(const TowerSpec& spec, std::vector<TensorSpec>& specs) {
    const std::string name = "v.vit_merger.";
    listTowerNorm(specs, name + "ln1", true, spec.dim);
    for (const std::string_view part : {"attn_q", "attn_k", "attn_v", "attn_out"})
        listTowerLinear(specs, name + std::string(part), spec.dim, spec.dim);
    listTowerNorm(specs, name + "ds_ln", true, 4 * spec.dim);
    specs.push_back({name + "ds_ffn_up.weight", Shape::of(4 * spec.dim, spec.earlyMerge->ffnDim)});
    specs.push_back(
        {name + "ds_ffn_up.bias", Shape::of(spec.earlyMerge->ffnDim), Vector, Presence::Optional});
    listTowerLinear(specs, name + "ds_ffn_down", spec.earlyMerge->ffnDim, spec.dim);
}

void listResampler(const TowerSpec& spec, std::vector<TensorSpec>& specs) {
    const uint64_t out = spec.outDim;
    specs.push_back({"resampler.query", Shape::of(out, spec.resampler->numQueries), Vector});
    listTowerLinear(specs, "resampler.kv", spec.dim, out);
    for (const std::string_view part : {"q", "k", "v", "out"})
        listTowerLinear(specs, fmt::format("resampler.attn.{}", part), out, out);
    for (const std::string_view part : {"ln_q", "ln_kv", "ln_post"})
        listTowerNorm(specs, fmt::format("resampler.{}", part), true, out);
    specs.push_back({"resampler.proj.weight", Shape::of(out, out)});
}

/// One tower, or a part of it, being written.
struct TowerBuilder {
    graph::Builder& b;
    const TowerSpec& spec;
    const Weights& w;

    Value norm(Value x, const std::string& name) const {
        return towerNorm(b, w, spec.normsByMean, spec.eps, x, name);
    }
    Value linear(Value x, const std::string& name) const { return towerLinear(b, w, x, name); }

    /// Each number of x times its own, where the file has them.
    Value scaled(Value x, const std::string& name) const {
        const tensor::Tensor* factors = w[name + ".weight"];
        return factors ? b.multiply(x, b.embedPosition(factors, name), name + "_scaled") : x;
    }

    Value rotated(Value x, uint32_t numHeads, const std::string& name) const {
        if (!spec.rope) return x;
        const TowerRope& rope = *spec.rope;
        if (!rope.isOfHalves)
            return b.rope(x,
                          {.numHeads = numHeads,
                           .headDim = spec.headDim,
                           .frequencies = rope.frequencies,
                           .style = rope.style,
                           .axes = rope.axes},
                          name);
        const uint32_t half = spec.headDim / 2;
        const auto rotatedHalf = [&](uint32_t first, uint8_t axis, std::string_view where) {
            const Value part = b.slice(x, {numHeads, first, half}, fmt::format("{}_{}", name, where));
            return b.rope(part,
                          {.numHeads = numHeads,
                           .headDim = half,
                           .frequencies = rope.frequencies,
                           .style = rope.style,
                           .axes = std::vector<uint8_t>(rope.frequencies.size(), axis)},
                          fmt::format("{}_{}_rope", name, where));
        };
        return b.concat(rotatedHalf(0, kColumnAxis, "columns"), rotatedHalf(half, kLineAxis, "lines"),
                        numHeads, name);
    }

    Value attended(Value q, uint32_t chunk, const std::string& name) const {
        const float scale = spec.attentionScale.value_or(1.0F / std::sqrt(static_cast<float>(spec.headDim)));
        return b.attention(q,
                           {.numHeads = spec.numHeads,
                            .numKvHeads = spec.numKvHeads,
                            .keyDim = spec.headDim,
                            .valueDim = spec.headDim,
                            .scale = scale,
                            .chunk = chunk,
                            .mask = backend::Mask::Full},
                           name);
    }

    Value attention(uint32_t layer, Value x) const {
        const auto name = [&](std::string_view part) { return ofLayer(layer, part); };
        Value q = linear(x, name("attn_q"));
        Value k = linear(x, name("attn_k"));
        Value v = linear(x, name("attn_v"));
        if (spec.hasHeadNorms) {
            q = b.rmsNorm(q, w[name("attn_q_norm.weight")], spec.eps, name("q_norm"), spec.numHeads);
            k = b.rmsNorm(k, w[name("attn_k_norm.weight")], spec.eps, name("k_norm"), spec.numKvHeads);
            v = b.rmsNorm(v, nullptr, spec.eps, name("v_norm"), spec.numKvHeads);
        }
        q = rotated(q, spec.numHeads, name("q_rope"));
        b.kvAppend(rotated(k, spec.numKvHeads, name("k_rope")), v, 0);
        return linear(attended(q, 0, name("attention")), name("attn_out"));
    }

    Value feedForward(uint32_t layer, Value x) const {
        const auto name = [&](std::string_view part) { return ofLayer(layer, part); };
        Value up = linear(x, name("ffn_up"));
        if (spec.isGated)
            up = b.multiply(b.activation(linear(x, name("ffn_gate")), spec.activation, name("ffn_act")), up,
                            name("ffn_gated"));
        else
            up = b.activation(up, spec.activation, name("ffn_act"));
        return linear(up, name("ffn_down"));
    }

    Value layer(uint32_t layer, Value h) const {
        const auto name = [&](std::string_view part) { return ofLayer(layer, part); };
        Value x = scaled(attention(layer, norm(h, name("ln1"))), name("ls1"));
        if (spec.hasBranchNorms) x = norm(x, name("attn_post_norm"));
        h = b.add(h, x, name("attn_residual"));
        x = scaled(feedForward(layer, norm(h, name("ln2"))), name("ls2"));
        if (spec.hasBranchNorms) x = norm(x, name("ffn_post_norm"));
        h = b.add(h, x, name("ffn_residual"));
        if (spec.hasLayerScales && w[name("out_scale.weight")])
            h = b.scale(h, w.factor(name("out_scale.weight")), name("scaled"));
        return h;
    }

    /// Behind the layer after which rows are merged: they see those of their square once more.
    Value beforeMerge(Value h) const {
        const std::string name = "v.vit_merger.";
        const Value x = towerNorm(b, w, true, spec.eps, h, name + "ln1");
        const Value q = linear(x, name + "attn_q");
        b.kvAppend(linear(x, name + "attn_k"), linear(x, name + "attn_v"), 0);
        return b.add(h, linear(attended(q, 4, name + "attention"), name + "attn_out"), name + "residual");
    }

    /// [rows, 4 dim] to [rows, dim].
    Value merged(Value x) const {
        const std::string name = "v.vit_merger.";
        const auto part = [&](uint32_t index) {
            return b.slice(x, {1, index * spec.dim, spec.dim}, fmt::format("{}part_{}", name, index));
        };
        const Value sum = b.add(b.add(part(0), part(1), name + "sum_01"),
                                b.add(part(2), part(3), name + "sum_23"), name + "sum");
        Value made = towerNorm(b, w, true, spec.eps, x, name + "ds_ln");
        made = linear(made, name + "ds_ffn_up");
        made = b.activation(made, backend::ActivationKind::Gelu, name + "ds_act");
        return b.add(linear(made, name + "ds_ffn_down"), b.scale(sum, 0.25F, name + "mean"), name + "merged");
    }
};

/// What a graph writes, with a builder for it.
template <typename Write>
Result<graph::Graph> written(const TowerSpec& spec, const Weights& weights, const Write& write) {
    graph::Builder builder;
    builder.rows(write(TowerBuilder{builder, spec, weights}));
    return builder.take();
}

}  // namespace

void listTowerLinear(std::vector<TensorSpec>& specs, const std::string& name, uint64_t in, uint64_t out,
                     Presence bias) {
    specs.push_back({name + ".weight", Shape::of(in, out)});
    specs.push_back({name + ".bias", Shape::of(out), Vector, bias});
    for (const std::string_view limit : kLimits)
        specs.push_back({name + std::string(limit), Shape::of(1), Vector, Presence::Optional});
}

Value towerLinear(graph::Builder& b, const Weights& w, Value x, const std::string& name) {
    const auto limited = [&](Value value, std::string_view low, std::string_view high,
                             std::string_view what) {
        const std::string least = name + std::string(low);
        const std::string most = name + std::string(high);
        if (!w[least] || !w[most]) return value;
        return b.clamp(value, {w.factor(least), w.factor(most)}, fmt::format("{}_{}", name, what));
    };
    x = limited(x, kLimits[0], kLimits[1], "in");
    return limited(b.linear(x, w[name + ".weight"], w[name + ".bias"], name), kLimits[2], kLimits[3], "out");
}

void listTowerNorm(std::vector<TensorSpec>& specs, const std::string& name, bool byMean, uint64_t dim,
                   Presence presence) {
    specs.push_back({name + ".weight", Shape::of(dim), Vector, presence});
    if (byMean) specs.push_back({name + ".bias", Shape::of(dim), Vector, presence});
}

Value towerNorm(graph::Builder& b, const Weights& w, bool byMean, float eps, Value x,
                const std::string& name) {
    const tensor::Tensor* gain = w[name + ".weight"];
    return byMean ? b.layerNorm(x, gain, w[name + ".bias"], eps, name) : b.rmsNorm(x, gain, eps, name);
}

std::vector<TensorSpec> towerTensors(const TowerSpec& spec) {
    std::vector<TensorSpec> specs;
    const uint64_t pixels = spec.patchPixels();
    specs.push_back({"v.patch_embd.weight", Shape::of(pixels, spec.dim)});
    if (spec.numFrames > 1)
        specs.push_back({"v.patch_embd.weight.1", Shape::of(pixels, spec.dim), Matrix, Presence::Optional});
    specs.push_back({"v.patch_embd.bias", Shape::of(spec.dim), Vector, Presence::Optional});
    if (spec.normsPatches) {
        listTowerNorm(specs, "v.patch_norm.1", true, pixels);
        listTowerNorm(specs, "v.patch_norm.2", true, spec.dim);
    }
    if (spec.classToken != ClassToken::None) specs.push_back({"v.class_embd", Shape::of(spec.dim), Vector});
    if (spec.positions != Positions::None)
        specs.push_back({"v.position_embd.weight", Shape::of(spec.dim, spec.numPositions,
                                                             spec.positions == Positions::ByAxis ? 2 : 1)});
    const bool isOptional = spec.positionNorm.empty();
    listTowerNorm(specs, isOptional ? "v.pre_ln" : spec.positionNorm, spec.normsByMean, spec.dim,
                  isOptional ? Presence::Optional : Presence::Required);
    for (uint32_t layer = 0; layer < spec.numLayers; ++layer) listLayer(spec, layer, specs);
    if (spec.earlyMerge) listEarlyMerge(spec, specs);
    listTowerNorm(specs, std::string(spec.lastNorm), spec.normsByMean, spec.dim,
                  spec.needsLastNorm ? Presence::Required : Presence::Optional);
    if (spec.resampler) listResampler(spec, specs);
    if (!spec.lineEnd.empty()) specs.push_back({spec.lineEnd, Shape::of(spec.outDim), Vector});
    specs.insert(specs.end(), spec.projectorTensors.begin(), spec.projectorTensors.end());
    return specs;
}

Result<graph::Graph> patchGraph(const TowerSpec& spec, const Weights& weights) {
    return written(spec, weights, [&](const TowerBuilder& t) {
        constexpr float kEps = 1e-5F;
        Value x = t.b.inputRows(spec.patchPixels(), "pixels");
        if (spec.normsPatches) x = towerNorm(t.b, t.w, true, kEps, x, "v.patch_norm.1");
        Value h = t.b.linear(x, t.w["v.patch_embd.weight"], t.w["v.patch_embd.bias"], "patches");
        if (const tensor::Tensor* second = t.w["v.patch_embd.weight.1"])
            h = t.b.add(h, t.b.linear(x, second, "patches_1"), "patches_sum");
        if (spec.normsPatches) h = towerNorm(t.b, t.w, true, kEps, h, "v.patch_norm.2");
        return h;
    });
}

std::vector<LayerRange> layerRanges(const TowerSpec& spec) {
    std::vector<LayerRange> ranges;
    const auto isWindowed = [&](uint32_t layer) { return spec.windows && spec.windows->hasWindow[layer]; };
    for (uint32_t layer = 0; layer < spec.numLayers; ++layer) {
        const bool isMerged = spec.earlyMerge && layer == spec.earlyMerge->layer + 1;
        if (ranges.empty() || ranges.back().isWindowed != isWindowed(layer) || isMerged)
            ranges.push_back({layer, layer, isWindowed(layer)});
        ranges.back().end = layer + 1;
    }
    // A merge behind the last layer, or a tower without layers, has a range of none.
    if (ranges.empty() || (spec.earlyMerge && spec.earlyMerge->layer + 1 == spec.numLayers))
        ranges.push_back({spec.numLayers, spec.numLayers, false});
    return ranges;
}

std::vector<uint32_t> featuresOf(const TowerSpec& spec, const LayerRange& range) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < spec.features.size(); ++i) {
        const uint32_t layers = spec.features[i];
        const bool isInput = layers == 0 && range.first == 0;
        if (isInput || (layers > range.first && layers <= range.end)) found.push_back(i);
    }
    return found;
}

Result<graph::Graph> layersGraph(const TowerSpec& spec, const Weights& weights, const LayerRange& range) {
    return written(spec, weights, [&](const TowerBuilder& t) {
        const bool isMerged = spec.earlyMerge && range.first == spec.earlyMerge->layer + 1;
        Value h = t.b.inputRows(isMerged ? 4 * spec.dim : spec.dim, "rows");
        std::optional<Value> features;
        const auto keep = [&](Value x) { features = features ? t.b.concat(*features, x, 1, "features") : x; };
        if (isMerged) h = t.merged(h);
        if (range.first == 0) {
            const std::string name = spec.positionNorm.empty() ? "v.pre_ln" : spec.positionNorm;
            const float eps = spec.positionNormEps > 0 ? spec.positionNormEps : spec.eps;
            if (t.w[name + ".weight"]) h = towerNorm(t.b, t.w, spec.normsByMean, eps, h, name);
            if (std::ranges::find(spec.features, 0U) != spec.features.end()) keep(h);
        }
        for (uint32_t layer = range.first; layer < range.end; ++layer) {
            h = t.layer(layer, h);
            if (spec.earlyMerge && layer == spec.earlyMerge->layer) h = t.beforeMerge(h);
            if (std::ranges::find(spec.features, layer + 1) != spec.features.end()) keep(h);
        }
        const bool isLast = range.end == spec.numLayers && !(spec.earlyMerge && !isMerged);
        if (isLast && !spec.readsLastLayer) return *features;
        const std::string lastNorm(spec.lastNorm);
        if (isLast && t.w[lastNorm + ".weight"]) h = t.norm(h, lastNorm);
        return features ? t.b.concat(*features, h, 1, "features_and_rows") : h;
    });
}

Result<graph::Graph> projectorGraph(const TowerSpec& spec, const Weights& weights) {
    return written(spec, weights, [&](const TowerBuilder& t) {
        return spec.project(t.b, spec, t.w, t.b.inputRows(spec.joinedWidth(), "joined"));
    });
}

Result<graph::Graph> resamplerKeysGraph(const TowerSpec& spec, const Weights& weights) {
    return written(spec, weights, [&](const TowerBuilder& t) {
        const Value x = t.b.inputRows(spec.dim + spec.outDim, "rows_and_positions");
        const Value rows = t.b.slice(x, {1, 0, spec.dim}, "rows");
        const Value positions = t.b.slice(x, {1, spec.dim, spec.outDim}, "positions");
        const Value kv =
            towerNorm(t.b, t.w, true, spec.eps, t.linear(rows, "resampler.kv"), "resampler.ln_kv");
        const Value k = t.linear(t.b.add(kv, positions, "keys_in"), "resampler.attn.k");
        t.b.kvAppend(k, t.linear(kv, "resampler.attn.v"), kResamplerCache);
        return k;
    });
}

Result<graph::Graph> resamplerGraph(const TowerSpec& spec, const Weights& weights) {
    return written(spec, weights, [&](const TowerBuilder& t) {
        const uint32_t headDim = spec.resampler->headDim;
        Value x = t.b.inputRows(spec.outDim, "queries");
        x = towerNorm(t.b, t.w, true, spec.eps, x, "resampler.ln_q");
        x = t.b.attention(t.linear(x, "resampler.attn.q"),
                          {.layer = kResamplerCache,
                           .numHeads = spec.outDim / headDim,
                           .numKvHeads = spec.outDim / headDim,
                           .keyDim = headDim,
                           .valueDim = headDim,
                           .scale = 1.0F / std::sqrt(static_cast<float>(headDim)),
                           .mask = backend::Mask::Before},
                          "resampler.attention");
        x = towerNorm(t.b, t.w, true, spec.eps, t.linear(x, "resampler.attn.out"), "resampler.ln_post");
        return t.b.linear(x, t.w["resampler.proj.weight"], "resampler.proj");
    });
}

}  // namespace ingle::vision
