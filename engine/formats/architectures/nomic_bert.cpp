/// Nomic Embed, as transformers names its parts and as the model's own code does. Sources: transformers,
/// modeling_nomic_bert.py; nomic-ai/nomic-bert-2048, modeling_hf_nomic_bert.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/transposed_experts.h"

namespace ingle::formats::nomic_bert_architectures {
namespace {

/// All experts' matrices, one below the other, as [experts, n_inner, n_embd].
Result<StoredTensor> byExpert(const Translation& t, StoredTensor stored) {
    INGLE_TRY_ASSIGN(const uint32_t experts, t.config.u32Or("num_experts", 0, 0));
    if (stored.packed || stored.dims.size() != 2 || experts == 0 || stored.dims[0] % experts != 0)
        return fail(ErrorCode::Corrupt, "tensor '{}' does not hold the matrices of {} experts",
                    shown(stored.name), experts);
    stored.dims = {experts, stored.dims[0] / experts, stored.dims[1]};
    return stored;
}
Status placeUp(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const StoredTensor matrices, byExpert(t, stored));
    return t.place(matrices, place.name);
}
/// They are multiplied from the left.
Status placeDown(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const StoredTensor matrices, byExpert(t, stored));
    return placeTransposed(t, matrices, place);
}

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
    {"encoder.layers.#.attn.Wqkv.bias", "blk.#.attn_qkv.bias"},
    {"encoder.layers.#.attn.out_proj.bias", "blk.#.attn_output.bias"},
    {"encoder.layers.#.mlp.fc1.weight", "blk.#.ffn_up.weight"},
    {"encoder.layers.#.mlp.fc1.bias", "blk.#.ffn_up.bias"},
    {"encoder.layers.#.mlp.fc2.bias", "blk.#.ffn_down.bias"},
    {"encoder.layers.#.mlp.router.layer.weight", "blk.#.ffn_gate_inp.weight"},
    {"encoder.layers.#.mlp.experts.mlp.w1", "blk.#.ffn_up_exps.weight", placeUp},
    {"encoder.layers.#.mlp.experts.mlp.w2", "blk.#.ffn_down_exps.weight", placeDown},
    {"encoder.layers.#.mlp.experts.bias", "blk.#.ffn_exps.bias"},
    {"encoder.layers.#.norm2.weight", "blk.#.layer_output_norm.weight"},
    {"encoder.layers.#.norm2.bias", "blk.#.layer_output_norm.bias"},
};

bool isOfItsOwnCode(const Config& config) {
    return config.find("n_embd") != nullptr && config.u32Or("num_experts", 0, 0).value_or(0) == 0;
}
bool hasExperts(const Config& config) {
    return config.find("n_embd") != nullptr && config.u32Or("num_experts", 0, 0).value_or(0) > 0;
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

Status setOwnSizes(Translation& t) {
    for (const char* key : {"prenorm", "rotary_emb_interleaved"})
        INGLE_TRY(expectFlag(t.config, key, false, false));
    INGLE_TRY_ASSIGN(const float rotated, t.config.f32Or("rotary_emb_fraction", 1));
    if (rotated != 1) return fail(ErrorCode::Unsupported, "rotary_emb_fraction {} is not supported", rotated);
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

Status setOwnKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "activation_function", "swiglu", {"swiglu"}));
    for (const char* key : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"})
        INGLE_TRY(expectFlag(t.config, key, false, false));
    return setOwnSizes(t);
}

/// Nomic Embed 2: with biases, and experts in every other layer.
Status setOwnExperts(Translation& t) {
    INGLE_TRY(setActivation(t, "activation_function"));
    for (const char* key : {"moe_normalize_expert_weights", "expert_choice_router"})
        INGLE_TRY(expectFlag(t.config, key, false, false));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32Or("num_shared_experts", 0, 0));
    if (shared != 0) return fail(ErrorCode::Unsupported, "num_shared_experts {} is not supported", shared);
    constexpr std::pair<std::string_view, std::string_view> kCounts[] = {
        {"expert_count", "num_experts"},
        {"expert_used_count", "moe_top_k"},
        {"moe_every_n_layers", "moe_every_n_layers"}};
    for (const auto& [key, from] : kCounts) {
        INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32(from));
        t.setCount(key, value);
    }
    return setOwnSizes(t);
}

/// What is added to the sum of experts becomes a key: other engines take no tensor that they do not know.
Status moveBiases(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("n_layer"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("n_embd"));
    std::vector<double> all;
    for (uint32_t layer = 0; layer < numLayers; ++layer) {
        const auto bias = t.model.tensors.extract(fmt::format("blk.{}.ffn_exps.bias", layer));
        std::vector<float> numbers(dim, 0);
        if (!bias.empty()) {
            if (bias.mapped().shape != tensor::Shape::of(dim))
                return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} does not hold {} numbers",
                            bias.mapped().name, bias.mapped().shape.text(), dim);
            bias.mapped().decodeRow(0, numbers);
        }
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    t.set("expert_sum_bias", std::move(all));
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "NomicBertModel", .family = "nomic-bert", .setKeys = setKeys, .tensors = kRules},
    {.name = "NomicBertModel",
     .family = "nomic-bert",
     .setKeys = setOwnKeys,
     .tensors = kRules,
     .suits = isOfItsOwnCode},
    {.name = "NomicBertModel",
     .family = "nomic-bert-moe",
     .setKeys = setOwnExperts,
     .tensors = kRules,
     .finish = moveBiases,
     .suits = hasExperts},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::nomic_bert_architectures
