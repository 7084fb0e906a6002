/// Gemma 3n: Gemma 3's layers over four streams, of which each layer computes one and corrects the others
/// (AltUp), beside a shortcut of low rank (Laurel); sparse gates in the first layers, embeddings of each
/// layer's own, and late layers that read the keys and values of others. Sources: Baykal et al., "Alternating
/// Updates for Efficient Transformers" (2023), section 3; Menghani et al., "LAuReL: Learned Augmented
/// Residual Layer" (2024), section 2; the model as published with transformers,
/// src/transformers/models/gemma3n/modeling_gemma3n.py.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/models/layer_parts.h"

namespace ingle::models::gemma3n_family {
namespace {

using tensor::Shape;
using enum backend::WeightUse;

// Constants of all its models, which no key tells.
constexpr uint32_t kNumStreams = 4;
constexpr uint32_t kLaurelRank = 64;
constexpr uint32_t kOwnWidth = 256;
constexpr uint32_t kSparseLayers = 10;
constexpr uint32_t kLayersWithCache = 20;  ///< the last of which has no window, the one before has
constexpr float kDeviations = 1.6448534F;  ///< behind the mean, up to which gates are closed
constexpr float kLogitCap = 30;
constexpr float kTiny = 1e-12F;  ///< keeps zeros from being divided by zero

struct Gemma3nConfig : DecoderSpec {
    std::vector<bool> isSparse;
    /// Gates' deviation is that of a sample, of one less than all, as llama.cpp has it, else that of all.
    bool isOfSample = true;

    bool areAlike(uint32_t layer, uint32_t other) const {
        return DecoderSpec::areAlike(layer, other) && isSparse[layer] == isSparse[other];
    }
    void keepLayers(std::span<const uint32_t> kept) {
        DecoderSpec::keepLayers(kept);
        std::vector<bool> few;
        for (const uint32_t layer : kept) few.push_back(isSparse[layer]);
        isSparse = std::move(few);
    }
};

Result<Gemma3nConfig> readConfig(const Keys& keys) {
    Gemma3nConfig config;
    INGLE_TRY_ASSIGN(static_cast<DecoderSpec&>(config), readDecoder(keys, {}));
    const uint32_t numLayers = config.facts.numLayers;
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, numLayers, 5));
    INGLE_TRY(readWindows(keys, config, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    if (numLayers > kLayersWithCache && (windowed[kLayersWithCache - 1] || !windowed[kLayersWithCache - 2]))
        return keys.cannotBe("attention.sliding_window_pattern", "of other layers");
    config.embeddingScale = std::sqrt(static_cast<float>(config.facts.dim));
    config.logitCap = kLogitCap;
    INGLE_TRY_ASSIGN(config.isOfSample, keys.boolOr("activation_sparsity_of_sample", true));
    for (uint32_t i = 0; i < numLayers; ++i) {
        LayerSpec& layer = config.layers[i];
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        layer.ownEmbedding = kOwnWidth;
        std::get<FeedForwardSpec>(layer.ffn).activation = backend::ActivationKind::Gelu;
        AttentionSpec& attention = attentionOf(layer);
        attention.scale = 1;
        attention.headNorm = HeadNormSpec{};
        attention.normsValues = true;
        RopeFrequencies& frequencies = attention.rope->frequencies;
        if (windowed[i])
            frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
        if (i >= kLayersWithCache) attention.cacheOf = kLayersWithCache - (windowed[i] ? 2 : 1);
        config.isSparse.push_back(i < kSparseLayers);
    }
    return config;
}

std::vector<TensorSpec> listAll(const Gemma3nConfig& config) {
    std::vector<TensorSpec> specs = decoderTensors(config);
    const uint64_t dim = config.facts.dim;
    const auto add = [&](std::string name, const Shape& shape, uint32_t numParts = 1) {
        specs.push_back({.name = std::move(name), .shape = shape, .numParts = numParts});
    };
    const auto mean = [&](std::string name, uint64_t width) {
        specs.push_back({.name = std::move(name),
                         .shape = Shape::of(width, 1),
                         .filledWith = 1 / static_cast<float>(width)});
    };
    add("altup_proj.weight", Shape::of(dim, dim, kNumStreams - 1), kNumStreams - 1);
    add("altup_unembd_proj.weight", Shape::of(dim, dim, kNumStreams - 1), kNumStreams - 1);
    mean("mean", dim);
    for (uint32_t i = 0; i < config.layers.size(); ++i) {
        const auto named = [&](std::string_view name) { return layerWeight(i, name); };
        add(named("altup_correct_coef.weight"), Shape::of(kNumStreams, kNumStreams));
        add(named("altup_correct_scale.weight"), Shape::of(dim));  // read as a table of one row
        add(named("altup_predict_coef.weight"), Shape::of(kNumStreams, kNumStreams * kNumStreams));
        add(named("altup_router.weight"), Shape::of(dim, kNumStreams));
        add(named("laurel_l.weight"), Shape::of(dim, kLaurelRank));
        add(named("laurel_r.weight"), Shape::of(kLaurelRank, dim));
        for (const std::string_view norm : {"altup_router_norm", "laurel_post_norm"})
            listNorm(specs, named(norm), NormKind::Rms, dim);
        if (!config.isSparse[i]) continue;
        const uint64_t width = std::get<FeedForwardSpec>(config.layers[i].ffn).dim;
        const float count = static_cast<float>(width);
        mean(named("gate_mean"), width);
        specs.push_back(
            {.name = named("gate_gain"), .shape = Shape::of(width), .use = Vector, .filledWith = 1});
        const float deviations =
            config.isOfSample ? kDeviations * std::sqrt(count / (count - 1)) : kDeviations;
        specs.push_back({.name = named("gate_threshold"),
                         .shape = Shape::of(width),
                         .use = Vector,
                         .filledWith = -deviations});
    }
    return specs;
}

backend::MemorySpec memoryOf(const Gemma3nConfig& config) {
    return decoderMemory(config);
}

/// The forward pass, layer by layer.
class Streams {
  public:
    Streams(graph::Builder& builder, const Gemma3nConfig& config, const Weights& weights)
        : b(builder), m_config(config), m_weights(weights) {}

    void build() {
        graph::Value h = b.embed(m_weights["token_embd.weight"], "embed");  // [numTokens, dim]
        h = b.scale(h, m_config.embeddingScale, "embed_scaled");
        const graph::Value own = ownEmbeddings(b, m_config, m_weights, kOwnWidth, h);
        std::vector<graph::Value> streams{h};
        for (uint32_t s = 1; s < kNumStreams; ++s)
            streams.push_back(asLongAs(h, "altup_proj.weight", h, s - 1));
        backend::MemorySpec memory;  // of the layers before
        std::vector<uint32_t> caches;
        for (uint32_t i = 0; i < m_config.layers.size(); ++i) {
            const auto& attention = std::get<AttentionSpec>(m_config.layers[i].mixer);
            caches.push_back(attention.cacheOf ? caches[*attention.cacheOf]
                                               : static_cast<uint32_t>(memory.kv.size()));
            b.setScope(fmt::format("blk.{}", i));
            layer(i, caches[i], own, streams);
            b.endLayer(streams.back());
            listMemory(attention, memory);
        }
        b.setScope("");
        graph::Value sum = streams[0];
        for (uint32_t s = 1; s < kNumStreams; ++s)
            sum = b.add(sum, asLongAs(streams[0], "altup_unembd_proj.weight", streams[s], s - 1),
                        fmt::format("sum_{}", s));
        sum = b.scale(sum, 1.0F / kNumStreams, "mean_of_streams");
        const graph::Value n =
            b.rmsNorm(sum, m_weights["output_norm.weight"], m_config.normEps, "output_norm");
        const tensor::Tensor* table =
            m_config.facts.tiedOutput ? m_weights["token_embd.weight"] : m_weights["output.weight"];
        graph::Value logits = b.scale(b.linear(n, table, "output"), 1 / kLogitCap, "logits_in_caps");
        logits = b.activation(logits, backend::ActivationKind::Tanh, "logits_tanh");
        b.logits(b.scale(logits, kLogitCap, "logits"));
    }

  private:
    /// The root of the mean of squares: x is this times what the norm makes of it.
    graph::Value length(graph::Value x, std::string_view name) {
        const graph::Value unit = b.rmsNorm(x, nullptr, kTiny, fmt::format("{}_unit", name));
        return b.linear(b.multiply(x, unit, fmt::format("{}_squares", name)), m_weights["mean"],
                        fmt::format("{}_length", name));
    }
    /// W x, made as long as `like`.
    graph::Value asLongAs(graph::Value like, std::string_view matrices, graph::Value x, uint32_t part) {
        const std::string name = fmt::format("{}_{}", matrices.substr(0, matrices.find('.')), part);
        const graph::Value made = b.linear(x, m_weights.part(matrices, part), name);
        const graph::Value unit = b.rmsNorm(made, nullptr, m_config.normEps, fmt::format("{}_norm", name));
        return b.scaleParts(unit, length(like, fmt::format("{}_like", name)), fmt::format("{}_scaled", name));
    }
    /// tanh( router(norm(x) / dim) ): [numTokens, kNumStreams]
    graph::Value modes(const LayerBuilder& at, graph::Value x, std::string_view name) {
        const graph::Value n =
            b.rmsNorm(x, at.w("altup_router_norm.weight"), m_config.normEps, fmt::format("{}_norm", name));
        const graph::Value routed =
            b.linear(b.scale(n, 1 / static_cast<float>(x.width), fmt::format("{}_scaled", name)),
                     at.w("altup_router.weight"), fmt::format("{}_routed", name));
        return b.activation(routed, backend::ActivationKind::Tanh, name);
    }
    graph::Value times(graph::Value x, graph::Value factors, uint32_t index, const std::string& name) {
        return b.scaleParts(x, b.slice(factors, {1, index, 1}, name + "_factor"), name);
    }
    std::vector<graph::Value> predicted(const LayerBuilder& at, const std::vector<graph::Value>& streams) {
        const graph::Value coefficients = b.linear(modes(at, streams[0], "predict_modes"),
                                                   at.w("altup_predict_coef.weight"), "predict_coef");
        std::vector<graph::Value> predictions;
        for (uint32_t o = 0; o < kNumStreams; ++o) {
            graph::Value sum = streams[o];
            for (uint32_t j = 0; j < kNumStreams; ++j) {
                const std::string name = fmt::format("predicted_{}_{}", o, j);
                sum = b.add(sum, times(streams[j], coefficients, o * kNumStreams + j, name), name + "_sum");
            }
            predictions.push_back(sum);
        }
        return predictions;
    }
    graph::Value fed(const LayerBuilder& at, graph::Value x) {
        const auto& spec = std::get<FeedForwardSpec>(m_config.layers[at.layer].ffn);
        if (!m_config.isSparse[at.layer]) return feedForward(spec, at, x);
        const graph::Value gate = at.linear(x, "ffn_gate", "ffn_gate");  // [numTokens, ffnDim]
        const graph::Value up = at.linear(x, "ffn_up", "ffn_up");
        // gate = mean + deviation * unit; what is left of it is deviation * relu(unit - threshold).
        const graph::Value unit = b.groupNorm(gate, at.w("gate_gain"), nullptr, 1, kTiny, "gate_unit");
        const graph::Value deviation =
            b.linear(b.multiply(gate, unit, "gate_squares"), at.w("gate_mean"), "gate_deviation");
        graph::Value kept =
            b.groupNorm(gate, at.w("gate_gain"), at.w("gate_threshold"), 1, kTiny, "gate_above");
        kept = b.activation(kept, backend::ActivationKind::Relu, "gate_open");
        kept = b.activation(b.scaleParts(kept, deviation, "gate_sparse"), spec.activation, "ffn_activated");
        return at.linear(b.multiply(kept, up, "ffn_gated"), "ffn_down", "ffn_down");
    }
    /// What the layer makes of its stream.
    graph::Value computed(const LayerBuilder& at, graph::Value x) {
        const LayerSpec& spec = m_config.layers[at.layer];
        const auto normed = [&](graph::Value value, std::string_view name) {
            return b.rmsNorm(value, at.w(fmt::format("{}.weight", name)), m_config.normEps, name);
        };
        const graph::Value n = normed(x, "attn_norm");
        graph::Value laurel = b.linear(n, at.w("laurel_l.weight"), "laurel_low");
        laurel = b.linear(laurel, at.w("laurel_r.weight"), "laurel_made");
        laurel = b.add(normed(laurel, "laurel_post_norm"), n, "laurel");
        const graph::Value attended = mix(std::get<AttentionSpec>(spec.mixer), at, n);
        graph::Value h = b.add(normed(attended, "post_attention_norm"), x, "attn_residual");
        h = b.scale(b.add(h, laurel, "attn_laurel"), 1 / std::numbers::sqrt2_v<float>, "attn_scaled");
        return b.add(h, normed(fed(at, normed(h, "ffn_norm")), "post_ffw_norm"), "ffn_residual");
    }
    void layer(uint32_t i, uint32_t cache, graph::Value own, std::vector<graph::Value>& streams) {
        const LayerBuilder at{
            .b = b, .weights = m_weights, .layer = i, .normEps = m_config.normEps, .cacheLayer = cache};
        std::vector<graph::Value> predictions = predicted(at, streams);
        const graph::Value y = computed(at, predictions[0]);
        const graph::Value coefficients =
            b.linear(modes(at, y, "correct_modes"), at.w("altup_correct_coef.weight"), "correct_coef");
        const graph::Value change = b.add(y, b.scale(predictions[0], -1, "predicted_negated"), "innovation");
        for (uint32_t s = 0; s < kNumStreams; ++s) {
            const std::string name = fmt::format("corrected_{}", s);
            streams[s] = b.add(b.add(predictions[s], change, name + "_plain"),
                               times(change, coefficients, s, name + "_more"), name);
        }
        graph::Value made =
            b.multiply(streams[0], b.embedPosition(at.w("altup_correct_scale.weight"), "correct_scale"),
                       "stream_scaled");
        made = b.activation(b.linear(made, at.w("inp_gate.weight"), "own_gate"),
                            backend::ActivationKind::Gelu, "own_activated");
        made = b.multiply(made, b.slice(own, {1, i * kOwnWidth, kOwnWidth}, "own_embedding"), "own_gated");
        made = b.rmsNorm(b.linear(made, at.w("proj.weight"), "own_made"), at.w("post_norm.weight"),
                         m_config.normEps, "own_norm");
        for (uint32_t s = 1; s < kNumStreams; ++s)
            streams[s] = b.add(streams[s], made, fmt::format("stream_{}", s));
    }

    graph::Builder& b;
    const Gemma3nConfig& m_config;
    const Weights& m_weights;
};

void build(graph::Builder& builder, const Gemma3nConfig& config, const Weights& weights) {
    Streams(builder, config, weights).build();
}

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(Gemma3nConfig config, readConfig(keys));
    return std::make_shared<const Definition<Gemma3nConfig, listAll, memoryOf, build>>(std::move(config));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gemma3n", sizes, metadata);
    metadata.set("gemma3n.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("gemma3n.attention.sliding_window_pattern", int64_t{5});
    metadata.set("gemma3n.rope.freq_base_swa", 10000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "gemma3n", .open = open, .synthesize = synthesize};

}  // namespace ingle::models::gemma3n_family
