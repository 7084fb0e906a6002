/// Gemma 4. Its norms multiply by their weight. Source: transformers, modeling_gemma4.py,
/// configuration_gemma4.py; modeling_rope_utils.py ("proportional").
#include <algorithm>
#include <optional>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/pixel_rules.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats::gemma4_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.embed_tokens_per_layer.weight", "per_layer_token_embd.weight"},
    {"model.per_layer_model_projection.weight", "per_layer_model_proj.weight"},
    {"model.per_layer_projection_norm.weight", "per_layer_proj_norm.weight"},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.pre_feedforward_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight"},
    {"model.layers.#.layer_scalar", "blk.#.layer_output_scale.weight"},
    {"model.layers.#.per_layer_input_gate.weight", "blk.#.inp_gate.weight"},
    {"model.layers.#.per_layer_projection.weight", "blk.#.proj.weight"},
    {"model.layers.#.post_per_layer_input_norm.weight", "blk.#.post_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm_1.weight", "blk.#.post_ffw_norm_1.weight"},
    {"model.layers.#.pre_feedforward_layernorm_2.weight", "blk.#.pre_ffw_norm_2.weight"},
    {"model.layers.#.post_feedforward_layernorm_2.weight", "blk.#.post_ffw_norm_2.weight"},
    {"model.layers.#.router.proj.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.router.scale", "blk.#.ffn_gate_inp.scale"},
    {"model.layers.#.router.per_expert_scale", "blk.#.ffn_down_exps.scale"},
    {"model.layers.#.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", splitGateUp},
    {"model.layers.#.experts.down_proj", "blk.#.ffn_down_exps.weight"},
};

/// Of images and sounds.
constexpr std::string_view kOtherParts[] = {"model.vision_tower.", "model.audio_tower.",
                                            "model.embed_vision.", "model.embed_audio."};

Result<std::vector<bool>> windowedLayers(const Translation& t, uint32_t numLayers) {
    constexpr uint32_t kUsualPeriod = 6;
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", numLayers));
    if (windowed) return *std::move(windowed);
    std::vector<bool> usual;
    for (uint32_t layer = 0; layer < numLayers; ++layer)
        usual.push_back((layer + 1) % kUsualPeriod != 0 && layer + 1 != numLayers);
    return usual;
}

/// Positions, by the kind of layer. In full layers a part of each head's pairs is rotated, and the others are
/// not: those of the slowest frequencies, in each half of the head.
Status setPositions(Translation& t, uint32_t headDim, uint32_t fullHeadDim) {
    constexpr std::string_view kFull = "rope_parameters.full_attention.",
                               kWindowed = "rope_parameters.sliding_attention.";
    const auto key = [](std::string_view kind, std::string_view name) { return std::string(kind) += name; };
    const auto number = [&](std::string_view kind, std::string_view name, float usual) {
        return t.config.f32Or(key(kind, name), usual);
    };
    INGLE_TRY(expectText(t.config, key(kWindowed, "rope_type"), "default", {"default"}));
    INGLE_TRY(expectText(t.config, key(kFull, "rope_type"), "proportional", {"proportional"}));
    INGLE_TRY_ASSIGN(const float base, number(kFull, "rope_theta", 1e6F));
    INGLE_TRY_ASSIGN(const float windowedBase, number(kWindowed, "rope_theta", 1e4F));
    INGLE_TRY_ASSIGN(const float part, number(kFull, "partial_rotary_factor", 0.25F));
    INGLE_TRY_ASSIGN(const float factor, number(kFull, "factor", 1));
    if (!(part > 0) || part > 1 || !(factor > 0))
        return fail(ErrorCode::Corrupt, "{} cannot be {} with the factor {}",
                    key(kFull, "partial_rotary_factor"), part, factor);
    t.set("rope.freq_base", double{base});
    t.set("rope.freq_base_swa", double{windowedBase});
    t.setCount("rope.dimension_count", fullHeadDim);
    t.setCount("rope.dimension_count_swa", headDim);
    constexpr float kNever = 1e30F;
    std::vector<float> divisors(fullHeadDim / 2, kNever);
    const auto rotated = static_cast<size_t>(part * static_cast<float>(fullHeadDim) / 2);
    std::fill_n(divisors.begin(), rotated, factor);
    return t.make("rope_freqs.weight", tensor::Shape::of(divisors.size()), divisors);
}

/// A number of the layers without a window, which transformers has kept layer by layer since its version 5.
Result<uint32_t> ofFullLayers(const Translation& t, std::string_view key, uint32_t usual) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    INGLE_TRY_ASSIGN(const auto windowed, windowedLayers(t, numLayers));
    std::optional<uint32_t> common;
    for (uint32_t layer = 0; layer < numLayers; ++layer) {
        INGLE_TRY_ASSIGN(const uint32_t own,
                         t.config.u32Or(fmt::format("per_layer_config.{}.{}", layer, key), usual));
        if (windowed[layer]) continue;
        if (common && own != *common)
            return fail(ErrorCode::Unsupported, "per_layer_config: {} {} beside {} is not supported", key,
                        own, *common);
        common = own;
    }
    return common.value_or(usual);
}

/// What is one number for all layers, or one for each kind of them.
Status setLayers(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY_ASSIGN(const auto windowed, windowedLayers(t, sizes.numLayers));
    INGLE_TRY_ASSIGN(const bool valuesAreKeys, t.config.boolOr("attention_k_eq_v", false));
    INGLE_TRY_ASSIGN(const uint32_t named,
                     t.config.u32Or("num_global_key_value_heads", sizes.numKvHeads, sizes.numKvHeads));
    INGLE_TRY_ASSIGN(const uint32_t stated, ofFullLayers(t, "num_key_value_heads", named));
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.config.u32Or("num_kv_shared_layers", 0));
    INGLE_TRY_ASSIGN(const bool isWide, t.config.boolOr("use_double_wide_mlp", false));
    INGLE_TRY_ASSIGN(const uint32_t ffnDim, t.config.u32("intermediate_size"));
    const uint32_t fullKvHeads = valuesAreKeys ? stated : sizes.numKvHeads;
    std::vector<int64_t> kvHeads, ffnDims;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) {
        kvHeads.push_back(windowed[layer] ? sizes.numKvHeads : fullKvHeads);
        const bool isShared = layer + numShared >= sizes.numLayers && numShared < sizes.numLayers;
        ffnDims.push_back(int64_t{ffnDim} * (isWide && isShared ? 2 : 1));
    }
    t.set("attention.head_count_kv", std::move(kvHeads));
    t.set("feed_forward_length", std::move(ffnDims));
    t.set("attention.sliding_window_pattern", asFlags(windowed));
    t.setCount("attention.shared_kv_layers", numShared);
    return {};
}

Status setExperts(Translation& t) {
    INGLE_TRY_ASSIGN(const bool hasExperts, t.config.boolOr("enable_moe_block", false));
    if (!hasExperts) return {};
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32("num_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("top_k_experts"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("moe_intermediate_size"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_activation", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    constexpr std::string_view kSeesBothWays = "use_bidirectional_attention";
    if (!t.config.isNull(kSeesBothWays)) INGLE_TRY(expectText(t.config, kSeesBothWays, "vision", {"vision"}));
    t.set("attention.pictures_in_order", t.config.find(kSeesBothWays) == nullptr);
    INGLE_TRY_ASSIGN(
        const DecoderSizes sizes,
        setDecoderKeys(
            t, {.ffnDim = "", .headDim = "", .usualHeads = 8, .usualKvHeads = 4, .usualContext = 131072}));
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.config.u32Or("head_dim", 256));
    INGLE_TRY_ASSIGN(const uint32_t globalHeadDim, t.config.u32Or("global_head_dim", 512));
    INGLE_TRY_ASSIGN(const uint32_t fullHeadDim, ofFullLayers(t, "head_dim", globalHeadDim));
    constexpr uint32_t kMaxHeadDim = 1 << 16;
    if (headDim > kMaxHeadDim || fullHeadDim > kMaxHeadDim || fullHeadDim < 2)
        return fail(ErrorCode::Corrupt, "heads cannot have {} and {} numbers", headDim, fullHeadDim);
    for (const std::string_view key : {"attention.key_length", "attention.value_length"}) {
        t.setCount(key, fullHeadDim);
        t.setCount(fmt::format("{}_swa", key), headDim);
    }
    INGLE_TRY(setLayers(t, sizes));
    INGLE_TRY(setExperts(t));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 512, 0));
    INGLE_TRY_ASSIGN(const uint32_t ownDim, t.config.u32Or("hidden_size_per_layer_input", 256, 0));
    INGLE_TRY_ASSIGN(const float cap, t.config.f32Or("final_logit_softcapping", 0, 0));
    t.setCount("attention.sliding_window", window);
    t.setCount("embedding_length_per_layer_input", ownDim);
    t.set("final_logit_softcapping", double{cap});
    return setPositions(t, headDim, fullHeadDim);
}

// The tower. Source: transformers, image_processing_gemma4.py, too.

constexpr std::string_view kVisionParts[] = {"model.vision_tower.", "model.embed_vision."};

/// Pixels of a patch come line by line, each with its three channels; here channels come first.
Status placePatches(Translation& t, const StoredTensor& stored, const Place& place) {
    constexpr uint64_t kChannels = 3;
    INGLE_TRY_ASSIGN(const std::vector<float> numbers, t.numbersOf(stored));
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    const uint64_t width = shape.rowElems(), pixels = width / kChannels;
    if (width % kChannels != 0)
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} holds no patches", shown(stored.name),
                    shape.text());
    std::vector<float> turned(numbers.size());
    for (uint64_t row = 0; row < shape.numRows(); ++row)
        for (uint64_t i = 0; i < width; ++i)
            turned[row * width + i % kChannels * pixels + i / kChannels] = numbers[row * width + i];
    return t.make(place.name, shape, turned);
}

constexpr TensorRule kVisionRules[] = {
    {"embed_vision.embedding_projection.weight", "mm.input_projection.weight"},
    {"vision_tower.patch_embedder.input_proj.weight", "v.patch_embd.weight", placePatches},
    {"vision_tower.patch_embedder.position_embedding_table", "v.position_embd.weight"},
    {"vision_tower.std_bias", "v.std_bias"},
    {"vision_tower.std_scale", "v.std_scale"},
    {"vision_tower.encoder.layers.#.input_layernorm.weight", "v.blk.#.ln1.weight"},
    {"vision_tower.encoder.layers.#.post_attention_layernorm.weight", "v.blk.#.attn_post_norm.weight"},
    {"vision_tower.encoder.layers.#.pre_feedforward_layernorm.weight", "v.blk.#.ln2.weight"},
    {"vision_tower.encoder.layers.#.post_feedforward_layernorm.weight", "v.blk.#.ffn_post_norm.weight"},
    {"vision_tower.encoder.layers.#.self_attn.q_norm.weight", "v.blk.#.attn_q_norm.weight"},
    {"vision_tower.encoder.layers.#.self_attn.k_norm.weight", "v.blk.#.attn_k_norm.weight"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.linear.weight", "v.blk.#.attn_q.weight"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.input_min", "v.blk.#.attn_q.input_min"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.input_max", "v.blk.#.attn_q.input_max"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.output_min", "v.blk.#.attn_q.output_min"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.output_max", "v.blk.#.attn_q.output_max"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.linear.weight", "v.blk.#.attn_k.weight"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.input_min", "v.blk.#.attn_k.input_min"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.input_max", "v.blk.#.attn_k.input_max"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.output_min", "v.blk.#.attn_k.output_min"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.output_max", "v.blk.#.attn_k.output_max"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.linear.weight", "v.blk.#.attn_v.weight"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.input_min", "v.blk.#.attn_v.input_min"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.input_max", "v.blk.#.attn_v.input_max"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.output_min", "v.blk.#.attn_v.output_min"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.output_max", "v.blk.#.attn_v.output_max"},
    {"vision_tower.encoder.layers.#.self_attn.o_proj.linear.weight", "v.blk.#.attn_out.weight"},
    {"vision_tower.encoder.layers.#.self_attn.o_proj.input_min", "v.blk.#.attn_out.input_min"},
    {"vision_tower.encoder.layers.#.self_attn.o_proj.input_max", "v.blk.#.attn_out.input_max"},
    {"vision_tower.encoder.layers.#.self_attn.o_proj.output_min", "v.blk.#.attn_out.output_min"},
    {"vision_tower.encoder.layers.#.self_attn.o_proj.output_max", "v.blk.#.attn_out.output_max"},
    {"vision_tower.encoder.layers.#.mlp.gate_proj.linear.weight", "v.blk.#.ffn_gate.weight"},
    {"vision_tower.encoder.layers.#.mlp.gate_proj.input_min", "v.blk.#.ffn_gate.input_min"},
    {"vision_tower.encoder.layers.#.mlp.gate_proj.input_max", "v.blk.#.ffn_gate.input_max"},
    {"vision_tower.encoder.layers.#.mlp.gate_proj.output_min", "v.blk.#.ffn_gate.output_min"},
    {"vision_tower.encoder.layers.#.mlp.gate_proj.output_max", "v.blk.#.ffn_gate.output_max"},
    {"vision_tower.encoder.layers.#.mlp.up_proj.linear.weight", "v.blk.#.ffn_up.weight"},
    {"vision_tower.encoder.layers.#.mlp.up_proj.input_min", "v.blk.#.ffn_up.input_min"},
    {"vision_tower.encoder.layers.#.mlp.up_proj.input_max", "v.blk.#.ffn_up.input_max"},
    {"vision_tower.encoder.layers.#.mlp.up_proj.output_min", "v.blk.#.ffn_up.output_min"},
    {"vision_tower.encoder.layers.#.mlp.up_proj.output_max", "v.blk.#.ffn_up.output_max"},
    {"vision_tower.encoder.layers.#.mlp.down_proj.linear.weight", "v.blk.#.ffn_down.weight"},
    {"vision_tower.encoder.layers.#.mlp.down_proj.input_min", "v.blk.#.ffn_down.input_min"},
    {"vision_tower.encoder.layers.#.mlp.down_proj.input_max", "v.blk.#.ffn_down.input_max"},
    {"vision_tower.encoder.layers.#.mlp.down_proj.output_min", "v.blk.#.ffn_down.output_min"},
    {"vision_tower.encoder.layers.#.mlp.down_proj.output_max", "v.blk.#.ffn_down.output_max"},
};

Status setVision(Translation& t) {
    // Pictures have any size; other engines ask for one.
    t.setCount("vision.image_size", 768);
    INGLE_TRY(setVisionSize(t, "patch_size", "patch_size", 16));
    INGLE_TRY(setVisionSize(t, "embedding_length", "hidden_size", 768));
    INGLE_TRY(setVisionSize(t, "feed_forward_length", "intermediate_size", 3072));
    INGLE_TRY(setVisionSize(t, "block_count", "num_hidden_layers", 16));
    INGLE_TRY(setVisionSize(t, "attention.head_count", "num_attention_heads", 12));
    INGLE_TRY(setVisionSize(t, "attention.head_count_kv", "num_key_value_heads", 12));
    INGLE_TRY(setVisionSize(t, "attention.head_dim", "head_dim", 64));
    INGLE_TRY(setVisionSize(t, "projector.scale_factor", "pooling_kernel_size", 3));
    INGLE_TRY_ASSIGN(const float epsilon, t.config.f32Or("vision_config.rms_norm_eps", 1e-6F));
    t.set("vision.attention.layer_norm_epsilon", double{epsilon});
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or("vision_config.rope_parameters.rope_theta", 100));
    if (base != 100)
        return fail(ErrorCode::Unsupported, "vision_config.rope_parameters.rope_theta {} is not supported",
                    base);
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    t.setCount("vision.projection_dim", dim);
    return setTowerActivation(t, "vision_config.hidden_activation", "gelu_pytorch_tanh");
}

Status setPixels(Translation& t, const Config& pixels) {
    setOwnResizing(t);
    INGLE_TRY_ASSIGN(const uint32_t tokens, pixels.u32Or("max_soft_tokens", 280, 280));
    INGLE_TRY_ASSIGN(const uint32_t patch, t.model.metadata.u32("clip.vision.patch_size"));
    INGLE_TRY_ASSIGN(const uint32_t merged, t.model.metadata.u32("clip.vision.projector.scale_factor"));
    const uint64_t unit = uint64_t{patch} * merged;
    constexpr uint32_t kMostTokens = 1 << 14, kMostUnit = 1 << 8;
    if (tokens == 0 || tokens > kMostTokens || unit > kMostUnit)
        return fail(ErrorCode::Corrupt, "preprocessor_config.json: max_soft_tokens cannot be {}", tokens);
    t.setCount("vision.image_max_pixels", tokens * unit * unit);
    INGLE_TRY(expectForms(pixels, "patch_size", kNumberForms, patch));
    return expectForms(pixels, "pooling_kernel_size", kNumberForms, merged);
}

constexpr VisionPart kVision{.projector = "gemma4v",
                             .setKeys = setVision,
                             .tensors = kVisionRules,
                             .mean = {0, 0, 0},
                             .deviation = {1, 1, 1},
                             .normalises = false,
                             .parts = kVisionParts,
                             .setPixels = setPixels};

constexpr Architecture kArchitectures[] = {
    {.name = "Gemma4ForCausalLM",
     .family = "gemma4",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true},
    {.name = "Gemma4ForConditionalGeneration",
     .family = "gemma4",
     .setKeys = setKeys,
     .tensors = kRules,
     .ignored = kOtherParts,
     .sharesEmbedding = true,
     .vision = &kVision},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gemma4_architectures
