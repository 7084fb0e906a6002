/// Qwen2, Qwen2.5, Qwen3, and those with experts; the first Qwen, whose layers are those of Qwen2. Sources:
/// transformers, modeling_qwen2.py, modeling_qwen3.py, modeling_qwen2_moe.py, modeling_qwen3_moe.py; QwenLM's
/// modeling_qwen.py and tokenization_qwen.py of Qwen-7B-Chat.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/tokenizer_files.h"

namespace ingle::formats::qwen_architectures {
namespace {

Status setQwen(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    // Where windows are used, they are of some layers; up to their length there are none.
    INGLE_TRY_ASSIGN(const bool hasWindows, t.config.boolOr("use_sliding_window", false));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0, 0));
    if (hasWindows && window > 0 && window < sizes.context) t.setCount("context_length", window);
    return setRope(t, sizes);
}

Status setExperts(Translation& t, bool sharesAddUp) {
    INGLE_TRY(setQwen(t));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", sharesAddUp, sharesAddUp));
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

Status setQwen2Moe(Translation& t) {
    INGLE_TRY(setExperts(t, false));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32("shared_expert_intermediate_size"));
    t.setCount("expert_shared_feed_forward_length", shared);
    return {};
}

Status setQwen3Moe(Translation& t) {
    return setExperts(t, true);
}

constexpr TensorRule kFirstRules[] = {
    {"transformer.wte.weight", "token_embd.weight"},
    {"transformer.ln_f.weight", "output_norm.weight"},
    {"transformer.h.#.ln_1.weight", "blk.#.attn_norm.weight"},
    {"transformer.h.#.ln_2.weight", "blk.#.ffn_norm.weight"},
    {"transformer.h.#.attn.c_attn.weight", "blk.#.attn_qkv.weight"},
    {"transformer.h.#.attn.c_attn.bias", "blk.#.attn_qkv.bias"},
    {"transformer.h.#.attn.c_proj.weight", "blk.#.attn_output.weight"},
    {"transformer.h.#.attn.rotary_emb.inv_freq", ""},
    {"transformer.rotary_emb.inv_freq", ""},
    {"transformer.h.#.mlp.w1.weight", "blk.#.ffn_up.weight"},
    {"transformer.h.#.mlp.w2.weight", "blk.#.ffn_gate.weight"},
    {"transformer.h.#.mlp.c_proj.weight", "blk.#.ffn_down.weight"},
};

/// Beyond seq_length its positions are stretched and its scores scaled in ways of their own.
Status setFirst(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "no_bias", true, true));
    INGLE_TRY_ASSIGN(const float rotated, t.config.f32Or("rotary_pct", 1));
    if (rotated != 1) return fail(ErrorCode::Unsupported, "rotary_pct {} is not supported", rotated);
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.ffnDim = "",
                                                                  .numKvHeads = "",
                                                                  .headDim = "kv_channels",
                                                                  .context = "seq_length",
                                                                  .epsilon = "layer_norm_epsilon"}));
    // Both halves of what is multiplied there count.
    INGLE_TRY_ASSIGN(const uint32_t bothDims, t.config.u32("intermediate_size"));
    t.setCount("feed_forward_length", bothDims / 2);
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or("rotary_emb_base", 10000));
    return setRope(t, sizes, base);
}

/// Behind the ranked tokens of its vocabulary; the code that reads it adds them.
Status addFirstTokens(Translation& t) {
    constexpr uint64_t kRanked = 151643;
    constexpr uint32_t kExtra = 205;
    TokenizerData& data = t.model.tokenizer;
    if (data.model != "gpt2" || data.tokens.size() < kRanked) return {};
    std::vector<AddedToken> added;
    const auto add = [&](std::string text) {
        added.push_back({kRanked + added.size(), std::move(text), true});
    };
    for (const char* token : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) add(token);
    for (uint32_t i = 0; i < kExtra; ++i) add(fmt::format("<|extra_{}|>", i));
    INGLE_TRY(addTokens(data, added));
    data.eos = static_cast<TokenId>(kRanked);
    data.eot = static_cast<TokenId>(kRanked + 2);
    return {};
}

/// Shared by all.
constexpr TextStep kSteps[] = {TextStep::Nfc};
constexpr WordRules kWords{"qwen2", kSteps};

/// Embedders, which are saved without an output layer.
Status setEmbedder(Translation& t) {
    t.setCount("pooling_type", 3);
    return setQwen(t);
}

/// Qwen3-Reranker, with an output layer for its answers only.
Status setClassifier(Translation& t) {
    t.setCount("pooling_type", 4);
    return setQwen(t);
}
constexpr TensorRule kClassifierRules[] = {{"score.weight", "cls.output.weight"}};

constexpr Architecture kArchitectures[] = {
    {.name = "QWenLMHeadModel",
     .family = "qwen2",
     .setKeys = setFirst,
     .tensors = kFirstRules,
     .finish = addFirstTokens,
     .words = kWords},
    {.name = "Qwen2ForCausalLM", .family = "qwen2", .setKeys = setQwen, .words = kWords},
    {.name = "Qwen3ForCausalLM", .family = "qwen3", .setKeys = setQwen, .words = kWords},
    {.name = "Qwen2Model", .family = "qwen2", .setKeys = setEmbedder, .words = kWords},
    {.name = "Qwen3Model", .family = "qwen3", .setKeys = setEmbedder, .words = kWords},
    {.name = "Qwen3ForSequenceClassification",
     .family = "qwen3",
     .setKeys = setClassifier,
     .tensors = kClassifierRules,
     .words = kWords},
    {.name = "Qwen2MoeForCausalLM", .family = "qwen2moe", .setKeys = setQwen2Moe, .words = kWords},
    {.name = "Qwen3MoeForCausalLM", .family = "qwen3moe", .setKeys = setQwen3Moe, .words = kWords},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::qwen_architectures
