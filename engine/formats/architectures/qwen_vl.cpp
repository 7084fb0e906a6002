/// Qwen2-VL, Qwen2.5-VL and Qwen3-VL; their positions have components that are all the same in text. Sources:
/// transformers, modeling_qwen2_vl.py, modeling_qwen2_5_vl.py, modeling_qwen3_vl.py,
/// modeling_qwen3_vl_moe.py.
#include <algorithm>
#include <array>

#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/transposed_experts.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats::qwen_vl_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"visual.", "model.visual."};

/// Numbers of rotated pairs by time, height and width.
void setSections(Translation& t, std::vector<int64_t> usual) {
    for (const char* key : {"rope_parameters.mrope_section", "rope_scaling.mrope_section"}) {
        const MetaValue* stated = t.config.find(key);
        if (const auto* sections = stated ? std::get_if<std::vector<int64_t>>(stated) : nullptr) {
            usual = *sections;
            break;
        }
    }
    usual.push_back(0);
    t.set("rope.dimension_sections", std::move(usual));
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    // Where windows are used, they are of some layers; up to their length there are none.
    INGLE_TRY_ASSIGN(const bool hasWindows, t.config.boolOr("use_sliding_window", false));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    if (hasWindows && window > 0 && window < sizes.context) t.setCount("context_length", window);
    setSections(t, {16, 24, 24});
    return setRope(t, sizes, 1e6);
}

/// Layers of the tower, if there is one, whose rows go to the text model as well.
std::vector<int64_t> deepLayers(const Translation& t) {
    const MetaValue* stated = t.config.find("vision_config.deepstack_visual_indexes");
    if (const auto* layers = stated ? std::get_if<std::vector<int64_t>>(stated) : nullptr) return *layers;
    const auto hasTower = [](const auto& entry) { return entry.first.starts_with("vision_config."); };
    return std::ranges::any_of(t.config.all(), hasTower) ? std::vector<int64_t>{8, 16, 24}
                                                         : std::vector<int64_t>();
}

Status setQwen3(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    setSections(t, {24, 20, 20});
    t.setCount("n_deepstack_layers", deepLayers(t).size());
    return setRope(t, sizes, 5e6);
}

/// As they are published experts are stored transposed; packed ones are not.
bool areTransposed(const Translation& t, const StoredTensor& stored, std::string_view rowsKey,
                   uint32_t times) {
    const uint64_t rows = uint64_t{t.config.u32Or(rowsKey, 0).value_or(0)} * times;
    return !stored.packed && stored.dims.size() == 3 && stored.dims[2] == rows;
}
Status placeGateUp(Translation& t, const StoredTensor& stored, const Place& place) {
    return areTransposed(t, stored, "moe_intermediate_size", 2) ? splitTransposedGateUp(t, stored, place)
                                                                : splitGateUp(t, stored, place);
}
Status placeDown(Translation& t, const StoredTensor& stored, const Place& place) {
    return areTransposed(t, stored, "hidden_size", 1) ? placeTransposed(t, stored, place)
                                                      : t.place(stored, place.name);
}

constexpr TensorRule kExpertRules[] = {
    {"model.layers.#.mlp.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", placeGateUp},
    {"model.layers.#.mlp.experts.down_proj", "blk.#.ffn_down_exps.weight", placeDown},
};

Status setQwen3Experts(Translation& t) {
    INGLE_TRY(setQwen3(t));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", true, true));
    INGLE_TRY_ASSIGN(const uint32_t step, t.config.u32Or("decoder_sparse_step", 1));
    const MetaValue* dense = t.config.find("mlp_only_layers");
    if (step != 1 || dense)
        return fail(ErrorCode::Unsupported, "experts in some layers only are not supported for such models");
    // The key's name depends on the version that wrote it.
    const bool isNewer = t.config.find("num_local_experts") != nullptr;
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32(isNewer ? "num_local_experts" : "num_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("num_experts_per_tok"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("moe_intermediate_size"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    return {};
}

// Their towers.

/// What the towers of all three have in common; the rest is the usual value of each.
struct TowerNames {
    std::string_view dim = "hidden_size", outDim = "out_hidden_size";
    uint32_t depth, usualDim, numHeads, patch, usualOutDim;
};
Status setTower(Translation& t, const TowerNames& names) {
    INGLE_TRY(setVisionSize(t, "block_count", "depth", names.depth));
    INGLE_TRY(setVisionSize(t, "embedding_length", names.dim, names.usualDim));
    INGLE_TRY(setVisionSize(t, "attention.head_count", "num_heads", names.numHeads));
    INGLE_TRY(setVisionSize(t, "patch_size", "patch_size", names.patch));
    INGLE_TRY(setVisionSize(t, "spatial_merge_size", "spatial_merge_size", 2));
    INGLE_TRY(setVisionSize(t, "projection_dim", names.outDim, names.usualOutDim));
    INGLE_TRY_ASSIGN(const uint32_t frames, t.config.u32Or("vision_config.temporal_patch_size", 2));
    if (frames != 2)
        return fail(ErrorCode::Unsupported, "vision_config.temporal_patch_size {} is not supported", frames);
    // Pictures have any size; other engines ask for one.
    t.setCount("vision.image_size", 560);
    t.set("vision.attention.layer_norm_epsilon", 1e-6);
    t.set("vision.projector.use_gelu_erf", true);
    return {};
}

Status setVision2(Translation& t) {
    INGLE_TRY(setTower(t, {.dim = "embed_dim",
                           .outDim = "hidden_size",
                           .depth = 32,
                           .usualDim = 1280,
                           .numHeads = 16,
                           .patch = 14,
                           .usualOutDim = 3584}));
    INGLE_TRY(expectText(t.config, "vision_config.hidden_act", "quick_gelu", {"quick_gelu"}));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32Or("vision_config.embed_dim", 1280));
    INGLE_TRY_ASSIGN(const float ratio, t.config.f32Or("vision_config.mlp_ratio", 4));
    t.setCount("vision.feed_forward_length", static_cast<uint64_t>(static_cast<float>(dim) * ratio));
    return {};
}

Status setVision25(Translation& t) {
    INGLE_TRY(setTower(t, {.depth = 32, .usualDim = 3584, .numHeads = 16, .patch = 14, .usualOutDim = 3584}));
    INGLE_TRY(expectText(t.config, "vision_config.hidden_act", "silu", {"silu"}));
    t.set("use_silu", true);
    INGLE_TRY(setVisionSize(t, "feed_forward_length", "intermediate_size", 3420));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("vision_config.window_size", 112));
    if (window != 112)
        return fail(ErrorCode::Unsupported, "vision_config.window_size {} is not supported", window);
    // Every n-th layer sees all.
    const MetaValue* stated = t.config.find("vision_config.fullatt_block_indexes");
    const auto* layers = stated ? std::get_if<std::vector<int64_t>>(stated) : nullptr;
    const std::vector<int64_t> whole = layers ? *layers : std::vector<int64_t>{7, 15, 23, 31};
    INGLE_TRY_ASSIGN(const uint32_t depth, t.config.u32Or("vision_config.depth", 32));
    const int64_t period = whole.empty() ? 0 : whole.front() + 1;
    std::vector<int64_t> expected;
    for (int64_t layer = period - 1; period > 0 && layer < depth; layer += period) expected.push_back(layer);
    if (period <= 0 || whole != expected)
        return fail(ErrorCode::Unsupported, "vision_config.fullatt_block_indexes are not every n-th layer");
    t.setCount("vision.n_wa_pattern", static_cast<uint64_t>(period));
    return {};
}

Status setVision3(Translation& t) {
    INGLE_TRY(setTower(t, {.depth = 27, .usualDim = 1152, .numHeads = 16, .patch = 16, .usualOutDim = 3584}));
    INGLE_TRY(expectText(t.config, "vision_config.hidden_act", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"}));
    t.set("use_gelu", true);
    return setVisionSize(t, "feed_forward_length", "intermediate_size", 4304);
}

/// Its place is behind a layer, and its name has only the number of those before it.
Status placeDeep(Translation& t, const StoredTensor& stored, const Place& place) {
    const std::vector<int64_t> layers = deepLayers(t);
    const uint32_t number = place.numbers.front();
    if (number >= layers.size())
        return fail(ErrorCode::Corrupt, "vision_config.deepstack_visual_indexes has no number {}", number);
    const size_t part = place.name.find('@');
    return t.place(stored, fmt::format("v.deepstack.{}{}", layers[number], place.name.substr(part + 1)));
}

constexpr TensorRule kVision2Rules[] = {
    {"visual.patch_embed.proj.weight", "v.patch_embd.weight", splitFrames},
    {"visual.blocks.#.norm1.weight", "v.blk.#.ln1.weight"},
    {"visual.blocks.#.norm1.bias", "v.blk.#.ln1.bias"},
    {"visual.blocks.#.norm2.weight", "v.blk.#.ln2.weight"},
    {"visual.blocks.#.norm2.bias", "v.blk.#.ln2.bias"},
    {"visual.blocks.#.attn.qkv.weight", "v.blk.#.attn_qkv.weight"},
    {"visual.blocks.#.attn.qkv.bias", "v.blk.#.attn_qkv.bias"},
    {"visual.blocks.#.attn.proj.weight", "v.blk.#.attn_out.weight"},
    {"visual.blocks.#.attn.proj.bias", "v.blk.#.attn_out.bias"},
    {"visual.blocks.#.mlp.fc1.weight", "v.blk.#.ffn_up.weight"},
    {"visual.blocks.#.mlp.fc1.bias", "v.blk.#.ffn_up.bias"},
    {"visual.blocks.#.mlp.fc2.weight", "v.blk.#.ffn_down.weight"},
    {"visual.blocks.#.mlp.fc2.bias", "v.blk.#.ffn_down.bias"},
    {"visual.blocks.#.mlp.gate_proj.weight", "v.blk.#.ffn_gate.weight"},
    {"visual.blocks.#.mlp.gate_proj.bias", "v.blk.#.ffn_gate.bias"},
    {"visual.blocks.#.mlp.up_proj.weight", "v.blk.#.ffn_up.weight"},
    {"visual.blocks.#.mlp.up_proj.bias", "v.blk.#.ffn_up.bias"},
    {"visual.blocks.#.mlp.down_proj.weight", "v.blk.#.ffn_down.weight"},
    {"visual.blocks.#.mlp.down_proj.bias", "v.blk.#.ffn_down.bias"},
    {"visual.merger.ln_q.weight", "v.post_ln.weight"},
    {"visual.merger.ln_q.bias", "v.post_ln.bias"},
    {"visual.merger.mlp.#.weight", "mm.#.weight"},
    {"visual.merger.mlp.#.bias", "mm.#.bias"},
};
constexpr TensorRule kVision3Rules[] = {
    {"visual.patch_embed.proj.weight", "v.patch_embd.weight", splitFrames},
    {"visual.patch_embed.proj.bias", "v.patch_embd.bias"},
    {"visual.pos_embed.weight", "v.position_embd.weight"},
    {"visual.blocks.#.norm1.weight", "v.blk.#.ln1.weight"},
    {"visual.blocks.#.norm1.bias", "v.blk.#.ln1.bias"},
    {"visual.blocks.#.norm2.weight", "v.blk.#.ln2.weight"},
    {"visual.blocks.#.norm2.bias", "v.blk.#.ln2.bias"},
    {"visual.blocks.#.attn.qkv.weight", "v.blk.#.attn_qkv.weight"},
    {"visual.blocks.#.attn.qkv.bias", "v.blk.#.attn_qkv.bias"},
    {"visual.blocks.#.attn.proj.weight", "v.blk.#.attn_out.weight"},
    {"visual.blocks.#.attn.proj.bias", "v.blk.#.attn_out.bias"},
    {"visual.blocks.#.mlp.linear_fc1.weight", "v.blk.#.ffn_up.weight"},
    {"visual.blocks.#.mlp.linear_fc1.bias", "v.blk.#.ffn_up.bias"},
    {"visual.blocks.#.mlp.linear_fc2.weight", "v.blk.#.ffn_down.weight"},
    {"visual.blocks.#.mlp.linear_fc2.bias", "v.blk.#.ffn_down.bias"},
    {"visual.merger.norm.weight", "v.post_ln.weight"},
    {"visual.merger.norm.bias", "v.post_ln.bias"},
    {"visual.merger.linear_fc1.weight", "mm.0.weight"},
    {"visual.merger.linear_fc1.bias", "mm.0.bias"},
    {"visual.merger.linear_fc2.weight", "mm.2.weight"},
    {"visual.merger.linear_fc2.bias", "mm.2.bias"},
    {"visual.deepstack_merger_list.#.norm.weight", "@.norm.weight", placeDeep},
    {"visual.deepstack_merger_list.#.norm.bias", "@.norm.bias", placeDeep},
    {"visual.deepstack_merger_list.#.linear_fc1.weight", "@.fc1.weight", placeDeep},
    {"visual.deepstack_merger_list.#.linear_fc1.bias", "@.fc1.bias", placeDeep},
    {"visual.deepstack_merger_list.#.linear_fc2.weight", "@.fc2.weight", placeDeep},
    {"visual.deepstack_merger_list.#.linear_fc2.bias", "@.fc2.bias", placeDeep},
};

constexpr VisionPart kVision2{.projector = "qwen2vl_merger",
                              .setKeys = setVision2,
                              .tensors = kVision2Rules,
                              .mean = kClipMean,
                              .deviation = kClipDeviation,
                              .setPixels = setPixelLimits};
constexpr VisionPart kVision25{.projector = "qwen2.5vl_merger",
                               .setKeys = setVision25,
                               .tensors = kVision2Rules,
                               .mean = kClipMean,
                               .deviation = kClipDeviation,
                               .setPixels = setPixelLimits};
constexpr VisionPart kVision3{.projector = "qwen3vl_merger",
                              .setKeys = setVision3,
                              .tensors = kVision3Rules,
                              .setPixels = setPixelLimits};

constexpr TextStep kSteps[] = {TextStep::Nfc};
constexpr WordRules kWords{"qwen2", kSteps};

constexpr Architecture kArchitectures[] = {
    {.name = "Qwen2VLForConditionalGeneration",
     .family = "qwen2vl",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .words = kWords,
     .vision = &kVision2},
    {.name = "Qwen2_5_VLForConditionalGeneration",
     .family = "qwen2vl",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .words = kWords,
     .vision = &kVision25},
    {.name = "Qwen3VLForConditionalGeneration",
     .family = "qwen3vl",
     .setKeys = setQwen3,
     .ignored = kImageParts,
     .words = kWords,
     .vision = &kVision3},
    {.name = "Qwen3VLMoeForConditionalGeneration",
     .family = "qwen3vlmoe",
     .setKeys = setQwen3Experts,
     .tensors = kExpertRules,
     .ignored = kImageParts,
     .words = kWords,
     .vision = &kVision3},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::qwen_vl_architectures
