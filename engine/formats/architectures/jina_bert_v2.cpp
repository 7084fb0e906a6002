/// Jina Embeddings 2: in one code halves of a gated feed-forward have the gate first, in the other, which
/// also normalises queries, keys and residuals, last. Sources: Jina AI's modeling_bert.py of
/// jina-bert-implementation and of jina-bert-v2-qk-post-norm.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::jina_bert_v2_architectures {
namespace {

/// place.name holds "*" for "gate" and "up".
Status splitFeedForward(Translation& t, const StoredTensor& stored, const Place& place, bool gateIsFirst) {
    const auto named = [&](std::string_view part) {
        std::string name = place.name;
        return name.replace(name.find('*'), 1, part);
    };
    INGLE_TRY(t.place(stored, place.name));
    const uint64_t rows = t.model.find(place.name)->shape.numRows();
    const Translation::Part parts[] = {{named(gateIsFirst ? "gate" : "up"), rows / 2},
                                       {named(gateIsFirst ? "up" : "gate"), rows / 2}};
    return t.split(place.name, parts);
}
Status splitGateFirst(Translation& t, const StoredTensor& stored, const Place& place) {
    return splitFeedForward(t, stored, place, true);
}
Status splitGateLast(Translation& t, const StoredTensor& stored, const Place& place) {
    return splitFeedForward(t, stored, place, false);
}

constexpr TensorRule kRules[] = {
    {"embeddings.word_embeddings.weight", "token_embd.weight"},
    {"embeddings.token_type_embeddings.weight", "token_types.weight"},
    {"embeddings.LayerNorm.weight", "token_embd_norm.weight"},
    {"embeddings.LayerNorm.bias", "token_embd_norm.bias"},
    {"encoder.layer.#.attention.self.query.weight", "blk.#.attn_q.weight"},
    {"encoder.layer.#.attention.self.query.bias", "blk.#.attn_q.bias"},
    {"encoder.layer.#.attention.self.key.weight", "blk.#.attn_k.weight"},
    {"encoder.layer.#.attention.self.key.bias", "blk.#.attn_k.bias"},
    {"encoder.layer.#.attention.self.value.weight", "blk.#.attn_v.weight"},
    {"encoder.layer.#.attention.self.value.bias", "blk.#.attn_v.bias"},
    {"encoder.layer.#.attention.self.layer_norm_q.weight", "blk.#.attn_q_norm.weight"},
    {"encoder.layer.#.attention.self.layer_norm_q.bias", "blk.#.attn_q_norm.bias"},
    {"encoder.layer.#.attention.self.layer_norm_k.weight", "blk.#.attn_k_norm.weight"},
    {"encoder.layer.#.attention.self.layer_norm_k.bias", "blk.#.attn_k_norm.bias"},
    {"encoder.layer.#.attention.output.dense.weight", "blk.#.attn_output.weight"},
    {"encoder.layer.#.attention.output.dense.bias", "blk.#.attn_output.bias"},
    {"encoder.layer.#.attention.output.LayerNorm.weight", "blk.#.attn_output_norm.weight"},
    {"encoder.layer.#.attention.output.LayerNorm.bias", "blk.#.attn_output_norm.bias"},
    {"encoder.layer.#.layer_norm_1.weight", "blk.#.attn_norm_2.weight"},
    {"encoder.layer.#.layer_norm_1.bias", "blk.#.attn_norm_2.bias"},
    {"encoder.layer.#.mlp.gated_layers.weight", "blk.#.ffn_*.weight", splitGateFirst},
    {"encoder.layer.#.mlp.up_gated_layer.weight", "blk.#.ffn_*.weight", splitGateLast},
    {"encoder.layer.#.mlp.wo.weight", "blk.#.ffn_down.weight"},
    {"encoder.layer.#.mlp.wo.bias", "blk.#.ffn_down.bias"},
    {"encoder.layer.#.mlp.down_layer.weight", "blk.#.ffn_down.weight"},
    {"encoder.layer.#.mlp.down_layer.bias", "blk.#.ffn_down.bias"},
    {"encoder.layer.#.mlp.layernorm.weight", "blk.#.layer_output_norm.weight"},
    {"encoder.layer.#.mlp.layernorm.bias", "blk.#.layer_output_norm.bias"},
    {"encoder.layer.#.layer_norm_2.weight", "blk.#.layer_output_norm.weight"},
    {"encoder.layer.#.layer_norm_2.bias", "blk.#.layer_output_norm.bias"},
    {"pooler.dense.weight", ""},
    {"pooler.dense.bias", ""},
};

/// Of the head that guesses masked words.
constexpr std::string_view kOtherParts[] = {"cls."};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "position_embedding_type", "alibi", {"alibi"}));
    INGLE_TRY(expectText(t.config, "feed_forward_type", "geglu", {"geglu", "reglu"}));
    INGLE_TRY(expectFlag(t.config, "is_decoder", false, false));
    INGLE_TRY_ASSIGN(const std::string form, t.config.stringOr("feed_forward_type", "geglu"));
    t.set("hidden_activation", std::string(form == "reglu" ? "relu" : "gelu_erf"));
    INGLE_TRY_ASSIGN([[maybe_unused]] const DecoderSizes sizes,
                     setDecoderKeys(t, {.numKvHeads = "",
                                        .headDim = "",
                                        .epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-12}));
    t.set("attention.causal", false);
    t.setCount("pooling_type", 1);
    INGLE_TRY_ASSIGN(const uint32_t numTypes, t.config.u32Or("type_vocab_size", 2));
    t.model.metadata.set("tokenizer.ggml.token_type_count", int64_t{numTypes});
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "JinaBertModel", .family = "jina-bert-v2", .setKeys = setKeys, .tensors = kRules},
    {.name = "JinaBertForMaskedLM",
     .family = "jina-bert-v2",
     .setKeys = setKeys,
     .tensors = kRules,
     .ignored = kOtherParts},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::jina_bert_v2_architectures
