/// RWKV-7 as flash-linear-attention names it, in the folders of its models. Its authors' own files are
/// checkpoint/rwkv_weights.h's. Source: fla-org/flash-linear-attention, fla/models/rwkv7/modeling_rwkv7.py,
/// fla/layers/rwkv7.py.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/rwkv_names.h"

namespace ingle::formats::rwkv7_architectures {
namespace {

constexpr std::string_view kMixed = "rwkvag";  ///< x_r, x_w, …: in the order in which GGUF has them

/// One of the six shares of the token before; a layer's become one tensor.
Status stackMixed(Translation& t, const StoredTensor& stored, const Place& place) {
    StoredTensor share = stored;
    std::erase(share.dims, 1U);
    Place of = place;
    of.numbers.push_back(static_cast<uint32_t>(kMixed.find(stored.name.back())));
    return t.addToStack(share, of);
}

/// The matrices of a low-rank projection are number 0 and 2 there (1 is what lies between), 1 and 2 in GGUF.
Status placeLowRank(Translation& t, const StoredTensor& stored, const Place& place) {
    std::string name = place.name;
    std::ranges::replace(name, '?', place.numbers.back() == 0 ? '1' : '2');
    return t.place(stored, std::move(name));
}

constexpr TensorRule kRules[] = {
    {"model.embeddings.weight", "token_embd.weight"},
    {"model.layers.#.pre_norm.weight", "token_embd_norm.weight"},
    {"model.layers.#.pre_norm.bias", "token_embd_norm.bias"},
    {"model.layers.#.attn_norm.weight", "blk.#.attn_norm.weight"},
    {"model.layers.#.attn_norm.bias", "blk.#.attn_norm.bias"},
    {"model.layers.#.ffn_norm.weight", "blk.#.attn_norm_2.weight"},
    {"model.layers.#.ffn_norm.bias", "blk.#.attn_norm_2.bias"},
    {"model.layers.#.attn.x_r", "blk.#.time_mix_lerp_fused.weight", stackMixed},
    {"model.layers.#.attn.x_w", "blk.#.time_mix_lerp_fused.weight", stackMixed},
    {"model.layers.#.attn.x_k", "blk.#.time_mix_lerp_fused.weight", stackMixed},
    {"model.layers.#.attn.x_v", "blk.#.time_mix_lerp_fused.weight", stackMixed},
    {"model.layers.#.attn.x_a", "blk.#.time_mix_lerp_fused.weight", stackMixed},
    {"model.layers.#.attn.x_g", "blk.#.time_mix_lerp_fused.weight", stackMixed},
    {"model.layers.#.attn.k_k", "blk.#.time_mix_k_k.weight"},
    {"model.layers.#.attn.k_a", "blk.#.time_mix_k_a.weight"},
    {"model.layers.#.attn.r_k", "blk.#.time_mix_r_k.weight"},
    {"model.layers.#.attn.r_proj.weight", "blk.#.time_mix_receptance.weight"},
    {"model.layers.#.attn.k_proj.weight", "blk.#.time_mix_key.weight"},
    {"model.layers.#.attn.v_proj.weight", "blk.#.time_mix_value.weight"},
    {"model.layers.#.attn.o_proj.weight", "blk.#.time_mix_output.weight"},
    {"model.layers.#.attn.w_lora.lora.#.weight", "blk.#.time_mix_w?.weight", placeLowRank},
    {"model.layers.#.attn.a_lora.lora.#.weight", "blk.#.time_mix_a?.weight", placeLowRank},
    {"model.layers.#.attn.v_lora.lora.#.weight", "blk.#.time_mix_v?.weight", placeLowRank},
    {"model.layers.#.attn.g_lora.lora.#.weight", "blk.#.time_mix_g?.weight", placeLowRank},
    {"model.layers.#.attn.w_lora.lora.#.bias", "blk.#.time_mix_w0.weight"},
    {"model.layers.#.attn.a_lora.lora.#.bias", "blk.#.time_mix_a0.weight"},
    {"model.layers.#.attn.v_lora.lora.#.bias", "blk.#.time_mix_v0.weight"},
    {"model.layers.#.attn.g_norm.weight", "blk.#.time_mix_ln.weight"},
    {"model.layers.#.attn.g_norm.bias", "blk.#.time_mix_ln.bias"},
    {"model.layers.#.ffn.x_k", "blk.#.channel_mix_lerp_k.weight", squeezed},
    {"model.layers.#.ffn.key.weight", "blk.#.channel_mix_key.weight"},
    {"model.layers.#.ffn.value.weight", "blk.#.channel_mix_value.weight"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "sqrelu", {"sqrelu"}));
    INGLE_TRY(expectFlag(t.config, "norm_first", true, true));
    INGLE_TRY(expectFlag(t.config, "norm_bias", true, true));
    if (t.config.find("attn.layers"))
        return fail(ErrorCode::Unsupported, "attention in some layers is not supported for such models");
    return {};
}

/// The rest follows from shapes.
Status finish(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    const tensor::Tensor* embedding = t.model.find("token_embd.weight");
    const uint64_t numTokens = embedding ? embedding->shape.dims[1] : 0;
    if (numTokens == 0 || numTokens > INT32_MAX) return fail(ErrorCode::Corrupt, "it has no table of tokens");
    // The shares are read one by one, so they have to lie in one piece.
    for (uint32_t layer = 0; layer < numLayers && layer < t.model.tensors.size(); ++layer) {
        auto shares = t.model.tensors.extract(fmt::format("blk.{}.time_mix_lerp_fused.weight", layer));
        if (shares.empty()) continue;
        const tensor::Tensor& stack = shares.mapped();
        std::vector<float> all(stack.shape.numElems());
        const uint64_t width = stack.shape.rowElems();
        for (uint64_t row = 0; row < stack.shape.numRows(); ++row)
            stack.decodeRow(row, std::span(all).subspan(row * width, width));
        INGLE_TRY(t.make(shares.key(), tensor::Shape::of(width, 1, stack.shape.numRows()), all));
    }
    INGLE_TRY(setRwkvKeys(t.model, {static_cast<uint32_t>(numTokens), dim, numLayers}));
    INGLE_TRY_ASSIGN(const float epsilon, t.config.f32Or("norm_eps", 1e-5F));
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.model.metadata.u32("rwkv7.wkv.head_size"));
    t.set("attention.layer_norm_epsilon", double{epsilon});
    t.set("group_norm_epsilon", double{epsilon} * headDim);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "RWKV7ForCausalLM", .family = "rwkv7", .setKeys = setKeys, .tensors = kRules, .finish = finish},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::rwkv7_architectures
