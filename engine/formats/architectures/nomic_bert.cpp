/// Nomic Embed, as transformers names its parts and as the model's own code does. Sources: transformers,
/// modeling_nomic_bert.py; nomic-ai/nomic-bert-2048, modeling_hf_nomic_bert.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::nomic_bert_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"embeddings.word_embeddings.weight", "token_embd.weight"},
    {"embeddings.token_type_embeddings.weight", "token_types.weight"},
    {"embeddings.LayerNorm.weight", "token_embd_norm.weight"},
    {"embeddings.LayerNorm.bias", "token_embd_norm.bias"},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.attn_output_norm.weight"},
    {"model.layers.#.post_attention_layernorm.bias", "blk.#.attn_output_norm.bias"},
    {"model.layers.#.post_mlp_layernorm.weight", "blk.#.layer_output_norm.weight"},
    {"model.layers.#.post_mlp_layernorm.bias", "blk.#.layer_output_norm.bias"},
    // By the model's own code.
    {"emb_ln.weight", "token_embd_norm.weight"},
    {"emb_ln.bias", "token_embd_norm.bias"},
    {"encoder.layers.#.attn.Wqkv.weight", "blk.#.attn_qkv.weight"},
    {"encoder.layers.#.attn.out_proj.weight", "blk.#.attn_output.weight"},
    {"encoder.layers.#.norm1.weight", "blk.#.attn_output_norm.weight"},
    {"encoder.layers.#.norm1.bias", "blk.#.attn_output_norm.bias"},
    {"encoder.layers.#.mlp.fc11.weight", "blk.#.ffn_up.weight"},
    {"encoder.layers.#.mlp.fc12.weight", "blk.#.ffn_gate.weight"},
    {"encoder.layers.#.mlp.fc2.weight", "blk.#.ffn_down.weight"},
    {"encoder.layers.#.norm2.weight", "blk.#.layer_output_norm.weight"},
    {"encoder.layers.#.norm2.bias", "blk.#.layer_output_norm.bias"},
};

bool isOfItsOwnCode(const Config& config) {
    return config.find("n_embd") != nullptr;
}

Status setUsual(Translation& t) {
    t.setCount("pooling_type", 1);
    t.set("attention.causal", false);
    INGLE_TRY_ASSIGN(const uint32_t numTypes, t.config.u32Or("type_vocab_size", 2));
    t.model.metadata.set("tokenizer.ggml.token_type_count", int64_t{numTypes});
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.numKvHeads = "",
                                        .epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-12}));
    INGLE_TRY(setUsual(t));
    return setRope(t, sizes, 1000);
}

Status setOwnKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "activation_function", "swiglu", {"swiglu"}));
    for (const char* key :
         {"prenorm", "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "rotary_emb_interleaved"})
        INGLE_TRY(expectFlag(t.config, key, false, false));
    INGLE_TRY_ASSIGN(const float rotated, t.config.f32Or("rotary_emb_fraction", 1));
    INGLE_TRY_ASSIGN(const uint32_t experts, t.config.u32Or("num_experts", 0, 0));
    if (rotated != 1 || experts > 0)
        return fail(ErrorCode::Unsupported, "{} experts with {} of a head rotated are not supported", experts,
                    rotated);
    INGLE_TRY_ASSIGN([[maybe_unused]] const DecoderSizes sizes,
                     setDecoderKeys(t, {.numLayers = "n_layer",
                                        .dim = "n_embd",
                                        .ffnDim = "n_inner",
                                        .numHeads = "n_head",
                                        .numKvHeads = "",
                                        .headDim = "",
                                        .context = "n_positions",
                                        .epsilon = "layer_norm_epsilon",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-12}));
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or("rotary_emb_base", 10000));
    t.set("rope.freq_base", double{base});
    return setUsual(t);
}

constexpr Architecture kArchitectures[] = {
    {.name = "NomicBertModel", .family = "nomic-bert", .setKeys = setKeys, .tensors = kRules},
    {.name = "NomicBertModel",
     .family = "nomic-bert",
     .setKeys = setOwnKeys,
     .tensors = kRules,
     .suits = isOfItsOwnCode},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::nomic_bert_architectures
