#include "engine/formats/rwkv_names.h"

#include <algorithm>
#include <optional>

#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

struct Rename {
    std::string_view from;
    std::string_view to;
};

/// Names outside the layers.
constexpr Rename kGlobalNames[] = {
    {"emb.weight", "token_embd.weight"},           {"blocks.0.ln0.weight", "token_embd_norm.weight"},
    {"blocks.0.ln0.bias", "token_embd_norm.bias"}, {"ln_out.weight", "output_norm.weight"},
    {"ln_out.bias", "output_norm.bias"},           {"head.weight", "output.weight"},
};

/// Names after "blocks.N." → names after "blk.N.". What is not listed keeps its own name.
constexpr Rename kLayerNames[] = {
    {"ln1.weight", "attn_norm.weight"},
    {"ln1.bias", "attn_norm.bias"},
    {"ln2.weight", "attn_norm_2.weight"},
    {"ln2.bias", "attn_norm_2.bias"},
    {"att.time_mix_k", "time_mix_lerp_k.weight"},
    {"att.time_mix_v", "time_mix_lerp_v.weight"},
    {"att.time_mix_r", "time_mix_lerp_r.weight"},
    {"att.time_mix_g", "time_mix_lerp_g.weight"},
    {"att.time_decay", "time_mix_decay.weight"},
    {"att.time_first", "time_mix_first.weight"},
    {"att.time_faaaa", "time_mix_first.weight"},
    {"att.key.weight", "time_mix_key.weight"},
    {"att.value.weight", "time_mix_value.weight"},
    {"att.receptance.weight", "time_mix_receptance.weight"},
    {"att.gate.weight", "time_mix_gate.weight"},
    {"att.output.weight", "time_mix_output.weight"},
    {"att.ln_x.weight", "time_mix_ln.weight"},
    {"att.ln_x.bias", "time_mix_ln.bias"},
    {"att.time_maa_x", "time_mix_lerp_x.weight"},
    {"att.time_maa_w", "time_mix_lerp_w.weight"},
    {"att.time_maa_k", "time_mix_lerp_k.weight"},
    {"att.time_maa_v", "time_mix_lerp_v.weight"},
    {"att.time_maa_r", "time_mix_lerp_r.weight"},
    {"att.time_maa_g", "time_mix_lerp_g.weight"},
    {"att.time_maa_w1", "time_mix_w1.weight"},
    {"att.time_maa_w2", "time_mix_w2.weight"},
    {"att.time_decay_w1", "time_mix_decay_w1.weight"},
    {"att.time_decay_w2", "time_mix_decay_w2.weight"},
    {"att.x_rwkvag", "time_mix_lerp_fused.weight"},
    {"att.w0", "time_mix_w0.weight"},
    {"att.w1", "time_mix_w1.weight"},
    {"att.w2", "time_mix_w2.weight"},
    {"att.a0", "time_mix_a0.weight"},
    {"att.a1", "time_mix_a1.weight"},
    {"att.a2", "time_mix_a2.weight"},
    {"att.v0", "time_mix_v0.weight"},
    {"att.v1", "time_mix_v1.weight"},
    {"att.v2", "time_mix_v2.weight"},
    {"att.g1", "time_mix_g1.weight"},
    {"att.g2", "time_mix_g2.weight"},
    {"att.k_k", "time_mix_k_k.weight"},
    {"att.k_a", "time_mix_k_a.weight"},
    {"att.r_k", "time_mix_r_k.weight"},
    {"ffn.x_k", "channel_mix_lerp_k.weight"},
    {"ffn.time_maa_k", "channel_mix_lerp_k.weight"},
    {"ffn.time_maa_r", "channel_mix_lerp_r.weight"},
    {"ffn.time_mix_k", "channel_mix_lerp_k.weight"},
    {"ffn.time_mix_r", "channel_mix_lerp_r.weight"},
    {"ffn.key.weight", "channel_mix_key.weight"},
    {"ffn.value.weight", "channel_mix_value.weight"},
    {"ffn.receptance.weight", "channel_mix_receptance.weight"},
};

std::optional<std::string_view> lookUp(std::span<const Rename> table, std::string_view name) {
    const auto it = std::ranges::find(table, name, &Rename::from);
    return it == table.end() ? std::nullopt : std::optional(it->to);
}

}  // namespace

std::string rwkvName(std::string_view name) {
    if (const auto global = lookUp(kGlobalNames, name)) return std::string(*global);
    constexpr std::string_view kLayerPrefix = "blocks.";
    const size_t dot = name.find('.', kLayerPrefix.size());
    if (name.starts_with(kLayerPrefix) && dot != std::string_view::npos) {
        const std::string_view layer = name.substr(kLayerPrefix.size(), dot - kLayerPrefix.size());
        if (const auto layerName = lookUp(kLayerNames, name.substr(dot + 1)))
            return fmt::format("blk.{}.{}", layer, *layerName);
    }
    return std::string(name);
}

namespace {

/// "rwkv4" … "rwkv7", from the tensors that only that version has.
std::string_view architectureOf(const ModelFile& model) {
    if (model.find("blk.0.time_mix_r_k.weight")) return "rwkv7";
    if (model.find("blk.0.time_mix_lerp_x.weight")) return "rwkv6";
    if (model.find("blk.0.time_mix_ln.weight")) return "rwkv5";
    return "rwkv4";
}

/// A dimension of a layer's tensor as a number that the file states in no other way.
struct ShapeKey {
    std::string_view architecture;
    std::string_view key;
    std::string_view tensor;
    size_t dim;
};
constexpr ShapeKey kShapeKeys[] = {
    {"rwkv6", "time_mix_extra_dim", "blk.0.time_mix_w2.weight", 0},
    {"rwkv6", "time_decay_extra_dim", "blk.0.time_mix_decay_w2.weight", 0},
    {"rwkv7", "attention.decay_lora_rank", "blk.0.time_mix_w2.weight", 0},
    {"rwkv7", "attention.iclr_lora_rank", "blk.0.time_mix_a2.weight", 0},
    {"rwkv7", "attention.value_residual_mix_lora_rank", "blk.1.time_mix_v2.weight", 0},
    {"rwkv7", "attention.gate_lora_rank", "blk.0.time_mix_g2.weight", 0},
};

/// The number of heads, which time_decay shows up to RWKV-6 and r_k in RWKV-7; 0 when it is not to be seen.
uint64_t numHeadsOf(const ModelFile& model) {
    if (const auto* headKeys = model.find("blk.0.time_mix_r_k.weight")) return headKeys->shape.dims[1];
    if (const auto* decay = model.find("blk.0.time_mix_decay.weight")) return decay->shape.dims[2];
    return 0;
}

/// What the file says only through its shapes.
Status setShapeKeys(ModelFile& model, const std::string& architecture, const RwkvSizes& sizes) {
    const auto set = [&](std::string_view key, uint64_t value) {
        model.metadata.set(fmt::format("{}.{}", architecture, key), static_cast<int64_t>(value));
    };
    if (const auto* key = model.find("blk.0.channel_mix_key.weight"))
        set("feed_forward_length", key->shape.dims[1]);
    if (architecture == "rwkv4") return {};
    const uint64_t numHeads = numHeadsOf(model);
    if (numHeads == 0 || sizes.numEmbed % numHeads != 0)
        return fail(ErrorCode::Corrupt, "{} heads do not divide the width {}", numHeads, sizes.numEmbed);
    set("wkv.head_size", sizes.numEmbed / numHeads);
    for (const ShapeKey& known : kShapeKeys) {
        const auto* tensor = known.architecture == architecture ? model.find(known.tensor) : nullptr;
        if (tensor) set(known.key, tensor->shape.dims[known.dim]);
    }
    // A model of one layer mixes with no earlier value; GGUF wants the number all the same.
    if (architecture == "rwkv7" && sizes.numLayers == 1) set("attention.value_residual_mix_lora_rank", 1);
    return {};
}

/// In GGUF the first layer of RWKV-7 has a value residual, which nobody uses: a0 to a2 once more.
void addUnusedResidual(ModelFile& model) {
    for (const char digit : {'0', '1', '2'}) {
        const auto* rate = model.find(fmt::format("blk.0.time_mix_a{}.weight", digit));
        std::string name = fmt::format("blk.0.time_mix_v{}.weight", digit);
        if (!rate || model.find(name)) continue;
        tensor::Tensor copy = *rate;
        copy.name = name;
        model.tensors.emplace(std::move(name), std::move(copy));
    }
}

/// Shapes of RWKV-6 and 7 as GGUF has them; the order of the numbers is the same.
void setGgufShapes(ModelFile& model, std::string_view architecture) {
    const bool is7 = architecture == "rwkv7";
    if (!is7 && architecture != "rwkv6") return;
    for (auto& [name, tensor] : model.tensors) {
        tensor::Shape& shape = tensor.shape;
        if (name.ends_with(is7 ? ".time_mix_r_k.weight" : ".time_mix_decay.weight"))
            shape = tensor::Shape::of(shape.numElems());
        else if (name.ends_with(".time_mix_first.weight"))  // {1, head size, heads}
            shape = tensor::Shape::of(shape.dims[0] * shape.dims[1], shape.dims[2]);
        else if (name.ends_with(".time_mix_lerp_fused.weight"))  // {width, 1, 6}
            shape = tensor::Shape::of(shape.dims[0], 1, 1, shape.dims[1] * shape.dims[2]);
    }
}

TokenizerData tokenizerFor(uint32_t numVocab) {
    // The files hold no vocabulary; these two sizes are those of bytes and of the RWKV World vocabulary.
    TokenizerData data;
    data.model = numVocab == 256 ? "bytes" : numVocab == 65536 ? "rwkv" : "none";
    return data;
}

}  // namespace

Status setRwkvKeys(ModelFile& model, const RwkvSizes& sizes) {
    const std::string architecture(architectureOf(model));
    Metadata& metadata = model.metadata;
    metadata.set("general.architecture", architecture);
    metadata.set(architecture + ".embedding_length", int64_t{sizes.numEmbed});
    metadata.set(architecture + ".block_count", int64_t{sizes.numLayers});
    metadata.set(architecture + ".vocab_size", int64_t{sizes.numVocab});
    // Other readers of GGUF want these: a state has no length, and attention no heads.
    metadata.set(architecture + ".context_length", int64_t{1 << 20});
    metadata.set(architecture + ".attention.head_count", int64_t{0});
    if (architecture == "rwkv7") metadata.set(architecture + ".token_shift_count", int64_t{2});
    metadata.set(architecture + ".attention.layer_norm_epsilon", 1e-5);
    // Training divides by 8 before a group norm with 1e-5, which is the same as 8 * 8 * 1e-5 without the
    // division.
    metadata.set(architecture + ".group_norm_epsilon", 64e-5);
    INGLE_TRY(setShapeKeys(model, architecture, sizes));
    setGgufShapes(model, architecture);
    if (architecture == "rwkv7") addUnusedResidual(model);
    if (model.tokenizer.tokens.empty()) model.tokenizer = tokenizerFor(sizes.numVocab);
    return {};
}

}  // namespace ingle::formats
