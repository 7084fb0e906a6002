/// GLM-4-0414, GLM 4.5 and 4.6, and ChatGLM 2, 3 and GLM-4-9B, whose names are their own; all but GLM 4.5
/// rotate neighbours. Sources: transformers, modeling_glm.py, modeling_glm4.py,
/// modeling_glm4_moe.py, modeling_solar_open.py; THUDM's
/// modeling_chatglm.py of chatglm3-6b and glm-4-9b.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/mixture_config.h"
#include "engine/formats/checkpoint/tokenizer_files.h"

namespace ingle::formats::glm_architectures {
namespace {

constexpr TensorRule kGlm4Rules[] = {
    {"model.layers.#.post_self_attn_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.post_mlp_layernorm.weight", "blk.#.post_ffw_norm.weight"},
    {"model.layers.#.mlp.gate_up_proj.weight", "blk.#.ffn_up.weight"},
};

constexpr TensorRule kGlm4MoeRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
};

constexpr TensorRule kChatGlmRules[] = {
    {"transformer.embedding.word_embeddings.weight", "token_embd.weight"},
    {"transformer.rotary_pos_emb.inv_freq", ""},
    {"transformer.output_layer.weight", "output.weight"},
    {"transformer.encoder.final_layernorm.weight", "output_norm.weight"},
    {"transformer.encoder.layers.#.input_layernorm.weight", "blk.#.attn_norm.weight"},
    {"transformer.encoder.layers.#.post_attention_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"transformer.encoder.layers.#.self_attention.query_key_value.weight", "blk.#.attn_qkv.weight"},
    {"transformer.encoder.layers.#.self_attention.query_key_value.bias", "blk.#.attn_qkv.bias"},
    {"transformer.encoder.layers.#.self_attention.dense.weight", "blk.#.attn_output.weight"},
    {"transformer.encoder.layers.#.mlp.dense_h_to_4h.weight", "blk.#.ffn_up.weight"},
    {"transformer.encoder.layers.#.mlp.dense_4h_to_h.weight", "blk.#.ffn_down.weight"},
};

Status setGlm4(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1.5625e-7, .usualRotated = 0.5}));
    return setRope(t, sizes);
}

Status setGlm4Moe(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualKvHeads = 8, .usualRotated = 0.5}));
    INGLE_TRY(setMixtureKeys(t, {.scores = 2,
                                 .numExperts = 128,
                                 .numUsed = 8,
                                 .numShared = 1,
                                 .dim = 1408,
                                 .numDense = 1,
                                 .renormalises = true}));
    return setRope(t, sizes);
}

/// Solar Open, GLM 4.5's layer with experts in all of them.
Status setSolar(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.ffnDim = "", .usualEpsilon = 1e-5, .usualKvHeads = 8}));
    INGLE_TRY(setMixtureKeys(
        t, {.scores = 2, .numExperts = 128, .numUsed = 8, .numShared = 1, .dim = 1280, .renormalises = true},
        {.numDense = ""}));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.model.metadata.u32("glm4moe.expert_feed_forward_length"));
    t.setCount("feed_forward_length", dim);
    return setRope(t, sizes, 1e6);
}

Status setChatGlm(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "rmsnorm", true, true));
    INGLE_TRY(expectFlag(t.config, "add_bias_linear", false, false));
    INGLE_TRY(expectFlag(t.config, "post_layer_norm", true, true));
    INGLE_TRY(expectFlag(t.config, "apply_residual_connection_post_layernorm", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.numLayers = "num_layers",
                                                                  .ffnDim = "ffn_hidden_size",
                                                                  .numKvHeads = "",
                                                                  .headDim = "kv_channels",
                                                                  .context = "seq_length",
                                                                  .epsilon = "layernorm_epsilon",
                                                                  .usualEpsilon = 1e-5,
                                                                  .usualRotated = 0.5}));
    INGLE_TRY_ASSIGN(const bool areGrouped, t.config.boolOr("multi_query_attention", false));
    INGLE_TRY_ASSIGN(const uint32_t groups, t.config.u32Or("multi_query_group_num", 1));
    t.setCount("attention.head_count_kv", areGrouped ? groups : sizes.numHeads);
    INGLE_TRY_ASSIGN(const float ratio, t.config.f32Or("rope_ratio", 1));
    t.set("rope.freq_base", 10000.0 * ratio);
    return {};
}

/// Special tokens that ChatGLM 2 and 3 have behind the pieces of their tokenizer.model; their code adds them.
/// Source: THUDM's tokenization_chatglm.py of chatglm3-6b.
Status addSpecialTokens(Translation& t) {
    constexpr uint64_t kPieces = 64789;
    constexpr std::string_view kTokens[] = {"[MASK]",   "[gMASK]",       "[sMASK]",
                                            "sop",      "eop",           "<|system|>",
                                            "<|user|>", "<|assistant|>", "<|observation|>"};
    TokenizerData& data = t.model.tokenizer;
    if (data.model != "llama" || data.tokens.size() < kPieces) return {};
    std::vector<AddedToken> added;
    for (const std::string_view token : kTokens)
        added.push_back({kPieces + added.size(), std::string(token), true});
    return addTokens(data, added);
}

/// The name of its pattern with which, as tiktoken has it, a word that is a token is taken without merging.
constexpr WordRules kWords{"llama-bpe"};

constexpr Architecture kArchitectures[] = {
    {.name = "GlmForCausalLM",
     .family = "chatglm",
     .setKeys = setGlm4,
     .tensors = kGlm4Rules,
     .words = kWords},
    {.name = "Glm4ForCausalLM", .family = "glm4", .setKeys = setGlm4, .tensors = kGlm4Rules, .words = kWords},
    {.name = "Glm4MoeForCausalLM",
     .family = "glm4moe",
     .setKeys = setGlm4Moe,
     .tensors = kGlm4MoeRules,
     .words = kWords},
    {.name = "SolarOpenForCausalLM", .family = "glm4moe", .setKeys = setSolar, .tensors = kGlm4MoeRules},
    {.name = "ChatGLMModel",
     .family = "chatglm",
     .setKeys = setChatGlm,
     .tensors = kChatGlmRules,
     .finish = addSpecialTokens,
     .words = kWords},
    {.name = "ChatGLMForConditionalGeneration",
     .family = "chatglm",
     .setKeys = setChatGlm,
     .tensors = kChatGlmRules,
     .finish = addSpecialTokens,
     .words = kWords},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::glm_architectures
