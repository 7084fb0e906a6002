/// Jina Embeddings 3, as transformers has them: of one task, or none. Source: transformers,
/// modeling_jina_embeddings_v3.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::jina_bert_v3_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"embeddings.word_embeddings.weight", "token_embd.weight"},
    {"embeddings.token_type_embeddings.weight", "token_types.weight"},
    {"emb_ln.weight", "token_embd_norm.weight"},
    {"emb_ln.bias", "token_embd_norm.bias"},
    {"encoder.layers.#.mixer.Wqkv.weight", "blk.#.attn_qkv.weight"},
    {"encoder.layers.#.mixer.Wqkv.bias", "blk.#.attn_qkv.bias"},
    {"encoder.layers.#.mixer.out_proj.weight", "blk.#.attn_output.weight"},
    {"encoder.layers.#.mixer.out_proj.bias", "blk.#.attn_output.bias"},
    {"encoder.layers.#.norm1.weight", "blk.#.attn_output_norm.weight"},
    {"encoder.layers.#.norm1.bias", "blk.#.attn_output_norm.bias"},
    {"encoder.layers.#.mlp.fc1.weight", "blk.#.ffn_up.weight"},
    {"encoder.layers.#.mlp.fc1.bias", "blk.#.ffn_up.bias"},
    {"encoder.layers.#.mlp.fc2.weight", "blk.#.ffn_down.weight"},
    {"encoder.layers.#.mlp.fc2.bias", "blk.#.ffn_down.bias"},
    {"encoder.layers.#.norm2.weight", "blk.#.layer_output_norm.weight"},
    {"encoder.layers.#.norm2.bias", "blk.#.layer_output_norm.bias"},
    {"pooler.dense.weight", ""},
    {"pooler.dense.bias", ""},
};

Status setKeys(Translation& t) {
    INGLE_TRY(setActivation(t, "hidden_act"));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.numKvHeads = "",
                                        .headDim = "",
                                        .epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5}));
    t.set("attention.causal", false);
    t.setCount("pooling_type", 1);
    INGLE_TRY_ASSIGN(const uint32_t numTypes, t.config.u32Or("type_vocab_size", 1));
    t.model.metadata.set("tokenizer.ggml.token_type_count", int64_t{numTypes});
    return setRope(t, sizes, 20000);
}

constexpr Architecture kArchitectures[] = {
    {.name = "JinaEmbeddingsV3Model", .family = "jina-bert-v3", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::jina_bert_v3_architectures
