/// ModernBERT, for embeddings of texts and scores of pairs. Source: transformers, modeling_modernbert.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"

namespace ingle::formats::modern_bert_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.embeddings.tok_embeddings.weight", "token_embd.weight"},
    {"model.embeddings.norm.weight", "token_embd_norm.weight"},
    {"embeddings.tok_embeddings.weight", "token_embd.weight"},
    {"embeddings.norm.weight", "token_embd_norm.weight"},
    {"model.final_norm.weight", "output_norm.weight"},
    {"model.layers.#.attn_norm.weight", "blk.#.attn_norm.weight"},
    {"model.layers.#.attn.Wqkv.weight", "blk.#.attn_qkv.weight"},
    {"model.layers.#.attn.Wo.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.mlp_norm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.mlp.Wi.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.mlp.Wo.weight", "blk.#.ffn_down.weight"},
    {"head.dense.weight", "cls.weight"},
    {"head.norm.weight", "cls.norm.weight"},
    {"classifier.weight", "cls.output.weight"},
    {"classifier.bias", "cls.output.bias"},
};

/// Frequencies of one kind of layers, by the new name or the old one.
Result<float> baseOf(const Config& config, std::string_view kind, std::string_view oldKey, float usual) {
    const std::string key = fmt::format("rope_parameters.{}.rope_theta", kind);
    if (config.find(key)) return config.f32(key);
    return config.f32Or(oldKey, usual);
}

Status setEncoder(Translation& t) {
    for (const char* key : {"attention_bias", "mlp_bias", "norm_bias", "classifier_bias"})
        INGLE_TRY(expectFlag(t.config, key, false, false));
    INGLE_TRY(setActivation(t, "hidden_activation"));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.numKvHeads = "",
                                        .headDim = "",
                                        .epsilon = "norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5}));
    t.set("attention.causal", false);
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (!windowed) {
        INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("global_attn_every_n_layers", 3));
        if (period == 0) return fail(ErrorCode::Corrupt, "global_attn_every_n_layers cannot be 0");
        windowed.emplace();
        for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) windowed->push_back(layer % period != 0);
    }
    t.set("attention.sliding_window_pattern", asFlags(*windowed));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("local_attention", 128));
    t.setCount("attention.sliding_window", window);
    INGLE_TRY_ASSIGN(const float whole, baseOf(t.config, "full_attention", "global_rope_theta", 160000));
    INGLE_TRY_ASSIGN(const float local, baseOf(t.config, "sliding_attention", "local_rope_theta", 10000));
    t.set("rope.freq_base", double{whole});
    t.set("rope.freq_base_swa", double{local});
    return {};
}

Status setEmbedder(Translation& t) {
    t.setCount("pooling_type", 1);
    return setEncoder(t);
}

Status setClassifier(Translation& t) {
    t.setCount("pooling_type", 4);
    INGLE_TRY(expectText(t.config, "classifier_pooling", "cls", {"cls", "mean"}));
    INGLE_TRY_ASSIGN(const std::string pooling, t.config.stringOr("classifier_pooling", "cls"));
    t.set("classifier.pooling", pooling);
    INGLE_TRY(expectText(t.config, "classifier_activation", "gelu", {"gelu"}));
    t.set("classifier.activation", std::string("gelu_erf"));
    return setEncoder(t);
}

constexpr Architecture kArchitectures[] = {
    {.name = "ModernBertModel", .family = "modern-bert", .setKeys = setEmbedder, .tensors = kRules},
    {.name = "ModernBertForSequenceClassification",
     .family = "modern-bert",
     .setKeys = setClassifier,
     .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::modern_bert_architectures
