/// Qwen3-Next and Qwen3.5: gated delta nets and gated attention. Norms multiply by 1 + their weight, but not
/// those of the delta nets. Sources: transformers, modeling_qwen3_next.py, modeling_qwen3_5.py,
/// modeling_qwen3_5_moe.py and their configurations.
#include <algorithm>
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/value_heads.h"

namespace ingle::formats::qwen_hybrid_architectures {
namespace {

Status decay(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(auto numbers, t.numbersOf(stored));
    for (float& number : numbers) number = -std::exp(number);
    return t.make(place.name, tensor::Shape::of(numbers.size()), numbers);
}

/// [channels, 1, taps]. MLX writes [channels, taps, 1], which lies alike, and 1 more in norms.
bool isOfMlx(const tensor::Tensor& convolution) {
    return convolution.shape.dims[0] == 1 && convolution.shape.dims[1] > 1;
}

/// Norms that multiply by 1 + their weight.
bool isNorm(std::string_view name) {
    constexpr std::string_view kNorms[] = {"output_norm.weight", ".attn_norm.weight",
                                           ".post_attention_norm.weight", ".attn_q_norm.weight",
                                           ".attn_k_norm.weight"};
    return std::ranges::any_of(kNorms, [&](std::string_view norm) { return name.ends_with(norm); });
}

Status addOneToNorms(Translation& t) {
    std::vector<std::string> norms;
    for (const auto& [name, tensor] : t.model.tensors)
        if (isNorm(name)) norms.push_back(name);
    for (const std::string& name : norms) {
        const tensor::Tensor norm = t.model.tensors.extract(name).mapped();
        if (norm.shape.numRows() != 1)
            return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} is no vector", name, norm.shape.text());
        std::vector<float> numbers(norm.shape.rowElems());
        norm.decodeRow(0, numbers);
        for (float& number : numbers) number += 1;
        INGLE_TRY(t.make(name, norm.shape, numbers));
    }
    return {};
}

Status finish(Translation& t) {
    bool areMlx = false;
    for (auto& [name, tensor] : t.model.tensors) {
        if (!name.ends_with(".ssm_conv1d.weight")) continue;
        areMlx = areMlx || isOfMlx(tensor);
        const auto dims = tensor.shape.dims;
        if (isOfMlx(tensor))
            tensor.shape = tensor::Shape::of(dims[1], dims[2]);
        else if (dims[1] == 1)
            tensor.shape = tensor::Shape::of(dims[0], dims[2]);
    }
    return areMlx ? Status{} : addOneToNorms(t);
}

constexpr TensorRule kRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.linear_attn.in_proj_qkv.weight", "blk.#.attn_qkv.weight"},
    {"model.layers.#.linear_attn.in_proj_z.weight", "blk.#.attn_gate.weight"},
    {"model.layers.#.linear_attn.in_proj_b.weight", "blk.#.ssm_beta.weight"},
    {"model.layers.#.linear_attn.in_proj_a.weight", "blk.#.ssm_alpha.weight"},
    {"model.layers.#.linear_attn.in_proj_qkvz.weight", "blk.#.ssm_in.weight"},
    {"model.layers.#.linear_attn.in_proj_ba.weight", "blk.#.ssm_ba.weight"},
    {"model.layers.#.linear_attn.conv1d.weight", "blk.#.ssm_conv1d.weight"},
    {"model.layers.#.linear_attn.A_log", "blk.#.ssm_a", decay},
    {"model.layers.#.linear_attn.dt_bias", "blk.#.ssm_dt.bias"},
    {"model.layers.#.linear_attn.norm.weight", "blk.#.ssm_norm.weight"},
    {"model.layers.#.linear_attn.out_proj.weight", "blk.#.ssm_out.weight"},
    {"model.layers.#.mlp.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", splitGateUp},
    {"model.layers.#.mlp.experts.down_proj", "blk.#.ffn_down_exps.weight"},
};

/// Images, and the layers that guess further tokens.
constexpr std::string_view kOtherParts[] = {"model.visual.", "visual.", "vision_tower.", "mtp.",
                                            "model.mtp."};

Status setDeltaNets(Translation& t, const DecoderSizes& sizes) {
    constexpr NamedCount kCounts[] = {{"ssm.conv_kernel", "linear_conv_kernel_dim", 4},
                                      {"ssm.state_size", "linear_key_head_dim", 128},
                                      {"ssm.group_count", "linear_num_key_heads", 16},
                                      {"ssm.time_step_rank", "linear_num_value_heads", 32}};
    INGLE_TRY(setCounts(t, kCounts));
    INGLE_TRY_ASSIGN(const uint32_t numValueHeads, t.config.u32Or("linear_num_value_heads", 32));
    INGLE_TRY_ASSIGN(const uint32_t valueDim, t.config.u32Or("linear_value_head_dim", 128));
    t.setCount("ssm.inner_size", uint64_t{numValueHeads} * valueDim);
    INGLE_TRY_ASSIGN(const uint32_t interval, t.config.u32Or("full_attention_interval", 4, 4));
    if (interval == 0) return fail(ErrorCode::Corrupt, "full_attention_interval cannot be 0");
    INGLE_TRY_ASSIGN(auto recurrent, layersOfKind(t.config, "linear_attention", sizes.numLayers));
    if (!recurrent) {
        recurrent.emplace();
        for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
            recurrent->push_back((layer + 1) % interval != 0);
    }
    t.setCount("full_attention_interval", interval);
    t.set("attention.recurrent_layers", asFlags(*recurrent));
    return {};
}

Status setHybrid(Translation& t, std::string_view ffnDim) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY(expectFlag(t.config, "attn_output_gate", true, true));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.ffnDim = ffnDim, .usualRotated = 0.25}));
    INGLE_TRY(setDeltaNets(t, sizes));
    return setRope(t, sizes);
}

Status setExperts(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", true, true));
    INGLE_TRY_ASSIGN(const uint32_t step, t.config.u32Or("decoder_sparse_step", 1));
    if (step != 1 || t.config.find("mlp_only_layers"))
        return fail(ErrorCode::Unsupported, "experts in some layers only are not supported for such models");
    constexpr std::pair<std::string_view, std::string_view> kCounts[] = {
        {"expert_count", "num_experts"},
        {"expert_used_count", "num_experts_per_tok"},
        {"expert_feed_forward_length", "moe_intermediate_size"},
        {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"}};
    for (const auto& [key, from] : kCounts) {
        INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32(from));
        t.setCount(key, value);
    }
    return setHybrid(t, "moe_intermediate_size");
}

/// Three sections of rotated pairs, by time, height and width: alike in texts, but other engines ask for
/// them. Value heads lie by their key heads, where GGUF files of this family have them by turns.
Status setQwen35(Translation& t) {
    const MetaValue* stated = t.config.find("rope_parameters.mrope_section");
    const auto* sections = stated ? std::get_if<std::vector<int64_t>>(stated) : nullptr;
    std::vector<int64_t> all = sections ? *sections : std::vector<int64_t>{11, 11, 10};
    all.push_back(0);
    t.set("rope.dimension_sections", std::move(all));
    t.set(kConsecutiveValueHeads, true);
    return {};
}

Status setQwen35Dense(Translation& t) {
    INGLE_TRY(setQwen35(t));
    return setHybrid(t, "intermediate_size");
}

Status setQwen35Moe(Translation& t) {
    INGLE_TRY(setQwen35(t));
    return setExperts(t);
}

constexpr TextStep kSteps[] = {TextStep::Nfc};

constexpr Architecture hybrid(std::string_view name, std::string_view family, Status (*setKeys)(Translation&),
                              std::string_view preTokenizer) {
    return {.name = name,
            .family = family,
            .setKeys = setKeys,
            .tensors = kRules,
            .ignored = kOtherParts,
            .finish = finish,
            .words = {preTokenizer, kSteps}};
}

constexpr Architecture kArchitectures[] = {
    hybrid("Qwen3NextForCausalLM", "qwen3next", setExperts, "qwen2"),
    hybrid("Qwen3_5ForCausalLM", "qwen35", setQwen35Dense, "qwen35"),
    hybrid("Qwen3_5ForConditionalGeneration", "qwen35", setQwen35Dense, "qwen35"),
    hybrid("Qwen3_5MoeForCausalLM", "qwen35moe", setQwen35Moe, "qwen35"),
    hybrid("Qwen3_5MoeForConditionalGeneration", "qwen35moe", setQwen35Moe, "qwen35"),
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::qwen_hybrid_architectures
