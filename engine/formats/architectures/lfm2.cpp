/// LFM2: short convolutions and attention, some with experts. Sources: transformers, modeling_lfm2.py,
/// configuration_lfm2.py, modeling_lfm2_moe.py, configuration_lfm2_moe.py.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::lfm2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.embedding_norm.weight", "token_embd_norm.weight"},
    {"model.layers.#.operator_norm.weight", "blk.#.attn_norm.weight"},
    {"model.layers.#.ffn_norm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.feed_forward.w1.weight", "blk.#.ffn_gate.weight"},
    {"model.layers.#.feed_forward.w2.weight", "blk.#.ffn_down.weight"},
    {"model.layers.#.feed_forward.w3.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.feed_forward.gate.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.feed_forward.expert_bias", "blk.#.exp_probs_b.bias"},
    {"model.layers.#.feed_forward.experts.#.w1.weight", "blk.#.ffn_gate_exps.weight", stackExpert},
    {"model.layers.#.feed_forward.experts.#.w2.weight", "blk.#.ffn_down_exps.weight", stackExpert},
    {"model.layers.#.feed_forward.experts.#.w3.weight", "blk.#.ffn_up_exps.weight", stackExpert},
    {"model.layers.#.self_attn.out_proj.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.self_attn.q_layernorm.weight", "blk.#.attn_q_norm.weight"},
    {"model.layers.#.self_attn.k_layernorm.weight", "blk.#.attn_k_norm.weight"},
    {"model.layers.#.conv.conv.weight", "blk.#.shortconv.conv.weight", squeezed},
    {"model.layers.#.conv.in_proj.weight", "blk.#.shortconv.in_proj.weight"},
    {"model.layers.#.conv.out_proj.weight", "blk.#.shortconv.out_proj.weight"},
};

/// Which layers have attention, by their types or by their numbers.
Result<std::vector<int64_t>> kvHeads(const Translation& t, const DecoderSizes& sizes) {
    std::vector<int64_t> heads(sizes.numLayers, 0);
    INGLE_TRY_ASSIGN(const auto attending, layersOfKind(t.config, "full_attention", sizes.numLayers));
    for (size_t i = 0; attending && i < heads.size(); ++i)
        if ((*attending)[i]) heads[i] = sizes.numKvHeads;
    if (attending) return heads;
    const MetaValue* numbers = t.config.find("full_attn_idxs");
    const auto* layers = numbers ? std::get_if<std::vector<int64_t>>(numbers) : nullptr;
    if (!layers)
        return fail(ErrorCode::Corrupt, "neither layer_types nor full_attn_idxs tell which layers attend");
    for (const int64_t layer : *layers) {
        if (layer < 0 || layer >= sizes.numLayers)
            return fail(ErrorCode::Corrupt, "full_attn_idxs names layer {} of {}", layer, heads.size());
        heads[static_cast<size_t>(layer)] = sizes.numKvHeads;
    }
    return heads;
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "conv_bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.ffnDim = "", .epsilon = "norm_eps", .usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(auto heads, kvHeads(t, sizes));
    t.set("attention.head_count_kv", std::move(heads));
    INGLE_TRY_ASSIGN(const uint32_t kernel, t.config.u32Or("conv_L_cache", 3));
    t.setCount("shortconv.l_cache", kernel);
    return setRope(t, sizes, 1e6);
}

Status setMixture(Translation& t) {
    INGLE_TRY(setKeys(t));
    INGLE_TRY(expectFlag(t.config, "tie_embedding", true, true));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", true, true));
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32("intermediate_size"));
    t.setCount("feed_forward_length", width);
    return setMixtureKeys(
        t, {.scores = 2, .numExperts = 32, .numUsed = 4, .dim = 1792, .numDense = 2, .renormalises = true},
        {.numExperts = "num_experts", .numShared = "", .numDense = "num_dense_layers"});
}

/// The width that the configuration states is adjusted by rules of its own; the tensors show it.
Status setWidth(Translation& t) {
    const tensor::Tensor* gate = t.model.find("blk.0.ffn_gate.weight");
    if (gate) t.setCount("feed_forward_length", gate->shape.dims[1]);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "Lfm2ForCausalLM",
     .family = "lfm2",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true,
     .finish = setWidth},
    {.name = "Lfm2MoeForCausalLM",
     .family = "lfm2moe",
     .setKeys = setMixture,
     .tensors = kRules,
     .sharesEmbedding = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::lfm2_architectures
