/// Reading and writing of a decoder's metadata.
#include <algorithm>
#include <cmath>

#include "engine/models/decoder.h"
#include "engine/models/limits.h"

namespace ingle::models {
namespace {

std::string_view epsilonKey(NormKind norm) {
    const bool isRms = norm == NormKind::Rms || norm == NormKind::RmsBiased || norm == NormKind::RmsBare;
    return isRms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
}

/// Sizes of one layer.
struct LayerSizes {
    uint32_t ffnDim = 0;
    uint32_t numHeads = 0;
    uint32_t numKvHeads = 0;
    uint32_t keyDim = 0;
    uint32_t valueDim = 0;
    DecoderTraits traits;
};

Status checkSizes(const Keys& keys, const LayerSizes& sizes) {
    if ((sizes.ffnDim == 0 && !sizes.traits.mayLackFeedForward) || sizes.ffnDim > kMaxRowElems)
        return keys.cannotBe("feed_forward_length", sizes.ffnDim);
    if (sizes.traits.mayLackHeads && sizes.numKvHeads == 0) return {};
    if (sizes.numHeads == 0 || sizes.numHeads > kMaxRowElems)
        return keys.cannotBe("attention.head_count", sizes.numHeads);
    if (sizes.numKvHeads == 0 || sizes.numHeads % sizes.numKvHeads != 0)
        return keys.cannotBe("attention.head_count_kv", sizes.numKvHeads);
    if (sizes.keyDim == 0 || uint64_t{sizes.keyDim} * sizes.numHeads > kMaxRowElems)
        return keys.cannotBe("attention.key_length", sizes.keyDim);
    if (sizes.valueDim == 0 || uint64_t{sizes.valueDim} * sizes.numHeads > kMaxRowElems)
        return keys.cannotBe("attention.value_length", sizes.valueDim);
    return {};
}

}  // namespace

Result<DecoderSpec> readDecoder(const Keys& keys, const DecoderTraits& traits) {
    DecoderSpec spec{.norm = traits.norm};
    INGLE_TRY_ASSIGN(spec.facts, readFacts(keys));
    INGLE_TRY_ASSIGN(spec.facts.trainedContext, keys.u32("context_length"));
    INGLE_TRY_ASSIGN(spec.normEps, keys.f32(epsilonKey(traits.norm)));
    const uint32_t numLayers = spec.facts.numLayers;
    INGLE_TRY_ASSIGN(const auto ffnDims, keys.perLayer("feed_forward_length", numLayers));
    INGLE_TRY_ASSIGN(const auto heads, keys.perLayer("attention.head_count", numLayers));
    INGLE_TRY_ASSIGN(const auto kvHeads, keys.perLayerOr("attention.head_count_kv", heads));
    const uint32_t someHeads = *std::ranges::max_element(heads);
    const uint32_t evenShare = someHeads ? spec.facts.dim / someHeads : 0;
    INGLE_TRY_ASSIGN(const uint32_t keyDim, keys.u32Or("attention.key_length", evenShare));
    INGLE_TRY_ASSIGN(const uint32_t valueDim, keys.u32Or("attention.value_length", evenShare));
    INGLE_TRY_ASSIGN(const uint32_t ropeDims, keys.u32Or("rope.dimension_count", keyDim));
    if (keyDim > kMaxHeadDim) return keys.cannotBe("attention.key_length", keyDim);
    if (ropeDims % 2 != 0 || ropeDims > keyDim) return keys.cannotBe("rope.dimension_count", ropeDims);
    for (uint32_t layer = 0; layer < numLayers; ++layer)
        INGLE_TRY(checkSizes(keys, {.ffnDim = ffnDims[layer],
                                    .numHeads = heads[layer],
                                    .numKvHeads = kvHeads[layer],
                                    .keyDim = keyDim,
                                    .valueDim = valueDim,
                                    .traits = traits}));
    INGLE_TRY_ASSIGN(const auto frequencies, readRopeFrequencies(keys, ropeDims, spec.facts.trainedContext,
                                                                 {}, traits.hasRopeFactors));
    const bool areHalves = keys.file().rotaryPairs == formats::RotaryPairs::Halves;
    const auto ropeStyle = areHalves ? backend::RopeStyle::HalfSplit : traits.ropeStyle;
    for (uint32_t layer = 0; layer < numLayers; ++layer) {
        spec.layers.push_back(
            {.mixer = AttentionSpec{.numHeads = heads[layer],
                                    .numKvHeads = kvHeads[layer],
                                    .keyDim = keyDim,
                                    .valueDim = valueDim,
                                    .scale = 1.0f / std::sqrt(static_cast<float>(keyDim)),
                                    .rope = RopeSpec{ropeStyle, frequencies}},
             .ffn = FeedForwardSpec{.dim = ffnDims[layer], .hasFactors = traits.hasFfnFactors}});
        if (ffnDims[layer] == 0) spec.layers.back().ffn = Nothing{};
    }
    return spec;
}

Status readLongRope(const Keys& keys, DecoderSpec& spec) {
    const uint32_t trained = spec.facts.trainedContext;
    INGLE_TRY_ASSIGN(const uint32_t original, keys.u32Or("rope.scaling.original_context_length", trained));
    const uint32_t longest = keys.contextTokens() ? keys.contextTokens() : trained;
    spec.facts.forLongContext = longest > original && keys.file().find("rope_factors_long.weight");
    const std::string_view name =
        spec.facts.forLongContext ? "rope_factors_long.weight" : "rope_factors_short.weight";
    for (LayerSpec& layer : spec.layers)
        INGLE_TRY(divideByFactors(attentionOf(layer).rope->frequencies, keys.file(), name));
    return {};
}

Status readExperts(const Keys& keys, DecoderSpec& spec) {
    INGLE_TRY_ASSIGN(const uint32_t numExperts, keys.u32Or("expert_count", 0));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, keys.u32Or("expert_used_count", 0));
    if (numExperts > kMaxExperts) return keys.cannotBe("expert_count", numExperts);
    if (numUsed > numExperts || (numExperts > 0 && numUsed == 0))
        return keys.cannotBe("expert_used_count", numUsed);
    if (numExperts == 0) return {};
    for (LayerSpec& layer : spec.layers) {
        if (std::holds_alternative<Nothing>(layer.ffn)) continue;
        const FeedForwardSpec dense = std::get<FeedForwardSpec>(layer.ffn);
        layer.ffn = ExpertsSpec{.numExperts = numExperts,
                                .dim = dense.dim,
                                .rule = {.numUsed = numUsed, .renormalise = true},
                                .activation = dense.activation,
                                .hasFactors = dense.hasFactors};
    }
    return {};
}

Status readExpertDim(const Keys& keys, DecoderSpec& spec) {
    INGLE_TRY_ASSIGN(const uint32_t dim, keys.u32Or("expert_feed_forward_length", 0));
    if (dim > kMaxRowElems) return keys.cannotBe("expert_feed_forward_length", dim);
    for (LayerSpec& layer : spec.layers) {
        ExpertsSpec* experts = expertsOf(layer);
        if (experts && dim > 0) experts->dim = dim;
    }
    return {};
}

namespace {

Result<kernels::ExpertScores> readScores(const Keys& keys, kernels::ExpertScores otherwise) {
    using enum kernels::ExpertScores;
    INGLE_TRY_ASSIGN(const uint32_t function, keys.u32Or("expert_gating_func", 0));
    switch (function) {
        case 0:
            return otherwise;
        case 1:
            return Softmax;
        case 2:
            return Sigmoid;
        case 3:
            return SoftmaxOfChosen;
        default:
            return fail(ErrorCode::Unsupported, "{}: expert_gating_func {} is not supported",
                        keys.file().path, function);
    }
}

/// Of the expert that every row goes to, where the chosen ones are `dim` wide.
Result<uint32_t> readSharedDim(const Keys& keys, MixtureTraits::Shared shared, uint32_t dim) {
    using enum MixtureTraits::Shared;
    if (shared == Length) return readSharedExpertDim(keys);
    if (shared == Both) {
        INGLE_TRY_ASSIGN(const uint32_t length, readSharedExpertDim(keys));
        if (length > 0) dim = length;
    }
    INGLE_TRY_ASSIGN(const uint32_t count, keys.u32Or("expert_shared_count", 0));
    if (uint64_t{count} * dim > kMaxRowElems) return keys.cannotBe("expert_shared_count", count);
    return count * dim;
}

}  // namespace

Status readMixture(const Keys& keys, DecoderSpec& spec, const MixtureTraits& traits) {
    const std::vector<LayerSpec> dense = spec.layers;
    uint32_t numDense = 0;
    if (traits.hasDenseLayers) {
        INGLE_TRY_ASSIGN(numDense, keys.u32Or("leading_dense_block_count", 0));
    }
    INGLE_TRY_ASSIGN(const kernels::ExpertScores scores, readScores(keys, traits.scores));
    INGLE_TRY_ASSIGN(const bool renormalise, keys.boolOr("expert_weights_norm", traits.renormalises));
    INGLE_TRY_ASSIGN(const float scale, keys.f32Or("expert_weights_scale", 0));
    INGLE_TRY_ASSIGN(const uint32_t groups, keys.u32Or("expert_group_count", 0));
    INGLE_TRY_ASSIGN(const uint32_t groupsUsed, keys.u32Or("expert_group_used_count", 0));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) continue;
        if (i < numDense) {
            spec.layers[i].ffn = dense[i].ffn;
            continue;
        }
        INGLE_TRY_ASSIGN(experts->sharedDim, readSharedDim(keys, traits.shared, experts->dim));
        experts->hasChoiceBias = true;
        experts->rule.scores = scores;
        experts->rule.renormalise = renormalise;
        experts->rule.scale = scale != 0 ? scale : 1;
        if (groups <= 1) continue;
        if (experts->numExperts % groups != 0) return keys.cannotBe("expert_group_count", groups);
        if (groupsUsed == 0 || groupsUsed > groups)
            return keys.cannotBe("expert_group_used_count", groupsUsed);
        experts->rule.groups = groups;
        experts->rule.groupsUsed = groupsUsed;
    }
    return {};
}

Result<uint32_t> readSharedExpertDim(const Keys& keys) {
    constexpr std::string_view kKey = "expert_shared_feed_forward_length";
    INGLE_TRY_ASSIGN(const uint32_t dim, keys.u32Or(kKey, 0));
    if (dim > kMaxRowElems) return keys.cannotBe(kKey, dim);
    return dim;
}

Status checkSharedExperts(const Keys& keys, const DecoderSpec& spec) {
    for (uint32_t layer = 0; layer < spec.facts.numLayers; ++layer) {
        const auto* experts = std::get_if<ExpertsSpec>(&spec.layers[layer].ffn);
        const std::string name = layerWeight(layer, "ffn_up_shexp.weight");
        if (experts && experts->sharedDim == 0 && keys.file().find(name))
            return fail(ErrorCode::Corrupt, "{}: no key tells how wide the expert of {} is", keys.file().path,
                        name);
    }
    return {};
}

Result<std::vector<bool>> readWindowed(const Keys& keys, uint32_t numLayers, uint32_t period) {
    constexpr std::string_view kKey = "attention.sliding_window_pattern";
    std::vector<bool> windowed;
    if (keys.isArray(kKey)) {
        INGLE_TRY_ASSIGN(const auto flags, keys.perLayer(kKey, numLayers));
        for (const uint32_t flag : flags) windowed.push_back(flag != 0);
        return windowed;
    }
    INGLE_TRY_ASSIGN(period, keys.u32Or(kKey, period));
    for (uint32_t layer = 0; layer < numLayers; ++layer)
        windowed.push_back(period == 0 || layer % period < period - 1);
    return windowed;
}

Status readWindows(const Keys& keys, DecoderSpec& spec, const std::vector<bool>& windowed) {
    INGLE_TRY_ASSIGN(const uint32_t window, keys.u32Or("attention.sliding_window", 0));
    for (size_t layer = 0; layer < spec.layers.size(); ++layer)
        if (windowed[layer]) attentionOf(spec.layers[layer]).window = window;
    return {};
}

Status readWindowedHeads(const Keys& keys, DecoderSpec& spec, const std::vector<bool>& windowed) {
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    for (size_t i = 0; i < spec.layers.size(); ++i) {
        if (!windowed[i]) continue;
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        INGLE_TRY_ASSIGN(attention.keyDim, keys.u32Or("attention.key_length_swa", attention.keyDim));
        INGLE_TRY_ASSIGN(attention.valueDim, keys.u32Or("attention.value_length_swa", attention.valueDim));
        INGLE_TRY_ASSIGN(const uint32_t dims, keys.u32Or("rope.dimension_count_swa", attention.keyDim));
        if (attention.keyDim == 0 || attention.keyDim > kMaxHeadDim ||
            uint64_t{attention.keyDim} * attention.numHeads > kMaxRowElems)
            return keys.cannotBe("attention.key_length_swa", attention.keyDim);
        if (attention.valueDim == 0 || uint64_t{attention.valueDim} * attention.numHeads > kMaxRowElems)
            return keys.cannotBe("attention.value_length_swa", attention.valueDim);
        if (dims % 2 != 0 || dims > attention.keyDim) return keys.cannotBe("rope.dimension_count_swa", dims);
        attention.rope->frequencies = unscaledRope(base, dims);
    }
    return {};
}

void synthesizeDecoder(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata,
                       NormKind norm) {
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    const int64_t headDim = sizes.dim / sizes.numHeads;
    set("block_count", int64_t{sizes.numLayers});
    set("embedding_length", int64_t{sizes.dim});
    set("feed_forward_length", int64_t{sizes.ffnDim});
    set("context_length", int64_t{sizes.context});
    set("vocab_size", int64_t{sizes.vocabSize});
    set(epsilonKey(norm), 1e-5);
    set("attention.head_count", int64_t{sizes.numHeads});
    set("attention.head_count_kv", int64_t{sizes.numKvHeads});
    set("attention.key_length", headDim);
    set("attention.value_length", headDim);
    set("rope.dimension_count", headDim);
    set("rope.freq_base", 10000.0);
    set("rope.scaling.type", std::string("none"));
    set("rope.scaling.factor", 0.0);
    set("rope.scaling.attn_factor", 1.0);
    set("rope.scaling.original_context_length", int64_t{sizes.context});
    set("pooling_type", int64_t{0});
}

void synthesizeExperts(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata,
                       uint32_t leastExperts) {
    const bool isStated = sizes.numExperts > 0;
    const uint32_t numUsed = isStated ? sizes.numExpertsUsed : (leastExperts + 1) / 2;
    metadata.set(fmt::format("{}.expert_count", arch), int64_t{isStated ? sizes.numExperts : leastExperts});
    metadata.set(fmt::format("{}.expert_used_count", arch), int64_t{numUsed});
}

void synthesizeMixture(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeExperts(arch, sizes, metadata, 4);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    set("leading_dense_block_count", int64_t{1});
    set("expert_feed_forward_length", int64_t{sizes.ffnDim});
    set("expert_shared_feed_forward_length", int64_t{sizes.ffnDim});
    set("expert_shared_count", int64_t{1});
    set("expert_gating_func", int64_t{2});
    set("expert_weights_norm", true);
    set("expert_weights_scale", 2.5);
    set("expert_group_count", int64_t{2});
    set("expert_group_used_count", int64_t{1});
}

Status readRopeSections(const Keys& keys, RopeSections sections, DecoderSpec& spec) {
    constexpr std::string_view kKey = "rope.dimension_sections";
    if (!keys.isArray(kKey)) return {};
    INGLE_TRY_ASSIGN(const std::vector<uint32_t> counts, keys.numbers(kKey));
    constexpr size_t kNumAxes = std::tuple_size_v<backend::Coordinates>;
    if (counts.size() < 3 || counts.size() > kNumAxes) return keys.cannotBe(kKey, counts.size());
    const auto axisOf = [&](uint32_t pair) {
        const uint32_t turn = pair % 3;
        if (sections == RopeSections::Interleaved) return pair / 3 < counts[turn] ? turn : kNumAxes - 1;
        uint64_t end = 0;
        size_t axis = 0;
        for (; axis < counts.size(); ++axis)
            if (pair < (end += counts[axis])) break;
        return std::min(axis, kNumAxes - 1);
    };
    for (LayerSpec& layer : spec.layers) {
        if (!hasAttention(layer)) continue;
        RopeSpec* rope = attentionOf(layer).rope ? &*attentionOf(layer).rope : nullptr;
        if (!rope) continue;
        rope->axes.clear();
        for (uint32_t pair = 0; pair < rope->frequencies.perPair.size(); ++pair)
            rope->axes.push_back(static_cast<uint8_t>(axisOf(pair)));
    }
    spec.facts.hasCoordinates = true;
    return {};
}

Status readPictureLayers(const Keys& keys, DecoderSpec& spec) {
    constexpr std::string_view kKey = "n_deepstack_layers";
    INGLE_TRY(readRopeSections(keys, RopeSections::Interleaved, spec));
    INGLE_TRY_ASSIGN(spec.numPictureLayers, keys.u32Or(kKey, 0));
    if (spec.numPictureLayers > spec.facts.numLayers) return keys.cannotBe(kKey, spec.numPictureLayers);
    return {};
}

}  // namespace ingle::models
