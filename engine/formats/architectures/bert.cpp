/// BERT, for embeddings of texts and scores of pairs. Sources: transformers, modeling_bert.py; names of norms
/// in old files: its convert_bert_original_tf_checkpoint_to_pytorch.py. Its GELU is computed in the form with
/// tanh, as for GGUF files of the same models.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::bert_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"embeddings.word_embeddings.weight", "token_embd.weight"},
    {"embeddings.position_embeddings.weight", "position_embd.weight"},
    {"embeddings.token_type_embeddings.weight", "token_types.weight"},
    {"embeddings.LayerNorm.weight", "token_embd_norm.weight"},
    {"embeddings.LayerNorm.bias", "token_embd_norm.bias"},
    {"embeddings.LayerNorm.gamma", "token_embd_norm.weight"},
    {"embeddings.LayerNorm.beta", "token_embd_norm.bias"},
    {"embeddings.position_ids", ""},
    {"encoder.layer.#.attention.self.query.weight", "blk.#.attn_q.weight"},
    {"encoder.layer.#.attention.self.query.bias", "blk.#.attn_q.bias"},
    {"encoder.layer.#.attention.self.key.weight", "blk.#.attn_k.weight"},
    {"encoder.layer.#.attention.self.key.bias", "blk.#.attn_k.bias"},
    {"encoder.layer.#.attention.self.value.weight", "blk.#.attn_v.weight"},
    {"encoder.layer.#.attention.self.value.bias", "blk.#.attn_v.bias"},
    {"encoder.layer.#.attention.output.dense.weight", "blk.#.attn_output.weight"},
    {"encoder.layer.#.attention.output.dense.bias", "blk.#.attn_output.bias"},
    {"encoder.layer.#.attention.output.LayerNorm.weight", "blk.#.attn_output_norm.weight"},
    {"encoder.layer.#.attention.output.LayerNorm.bias", "blk.#.attn_output_norm.bias"},
    {"encoder.layer.#.attention.output.LayerNorm.gamma", "blk.#.attn_output_norm.weight"},
    {"encoder.layer.#.attention.output.LayerNorm.beta", "blk.#.attn_output_norm.bias"},
    {"encoder.layer.#.intermediate.dense.weight", "blk.#.ffn_up.weight"},
    {"encoder.layer.#.intermediate.dense.bias", "blk.#.ffn_up.bias"},
    {"encoder.layer.#.output.dense.weight", "blk.#.ffn_down.weight"},
    {"encoder.layer.#.output.dense.bias", "blk.#.ffn_down.bias"},
    {"encoder.layer.#.output.LayerNorm.weight", "blk.#.layer_output_norm.weight"},
    {"encoder.layer.#.output.LayerNorm.bias", "blk.#.layer_output_norm.bias"},
    {"encoder.layer.#.output.LayerNorm.gamma", "blk.#.layer_output_norm.weight"},
    {"encoder.layer.#.output.LayerNorm.beta", "blk.#.layer_output_norm.bias"},
    // Of classifiers, which need the first two; embeddings do not.
    {"pooler.dense.weight", "cls.weight"},
    {"pooler.dense.bias", "cls.bias"},
    {"classifier.weight", "cls.output.weight"},
    {"classifier.bias", "cls.output.bias"},
};

/// pooling_type.
enum Pooling : uint32_t { kMean = 1, kFirst = 2, kLast = 3, kRank = 4 };

/// How the rows of a text become one, by what lies beside the model (checkpoint/pooling_files.h), where there
/// is nothing by their mean: what sentence-transformers does then.
Result<Pooling> statedPooling(const Config& config) {
    struct Mode {
        std::string_view flag, name;
        Pooling pooling;
    };
    constexpr Mode kModes[] = {{"pooling.pooling_mode_mean_tokens", "mean", kMean},
                               {"pooling.pooling_mode_cls_token", "cls", kFirst},
                               {"pooling.pooling_mode_lasttoken", "lasttoken", kLast}};
    INGLE_TRY_ASSIGN(const std::string name, config.stringOr("pooling.pooling_mode", ""));
    std::optional<Pooling> pooling;
    uint32_t numModes = 0;
    for (const auto& [key, value] : config.all()) {
        const bool* isOn = std::get_if<bool>(&value);
        numModes += key.starts_with("pooling.pooling_mode_") && isOn && *isOn ? 1 : 0;
    }
    for (const Mode& mode : kModes) {
        INGLE_TRY_ASSIGN(const bool isOn, config.boolOr(mode.flag, mode.name == name));
        if (isOn) pooling = mode.pooling;
    }
    if (name.empty() && numModes == 0) return kMean;
    if (!pooling || numModes > 1)
        return fail(ErrorCode::Unsupported, "its way to pool the rows of a text is not supported");
    return *pooling;
}

Status setEncoder(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "gelu", {"gelu", "gelu_new", "gelu_pytorch_tanh"}));
    INGLE_TRY(expectText(t.config, "position_embedding_type", "absolute", {"absolute"}));
    INGLE_TRY(expectFlag(t.config, "is_decoder", false, false));
    INGLE_TRY_ASSIGN([[maybe_unused]] const DecoderSizes sizes,
                     setDecoderKeys(t, {.numKvHeads = "",
                                        .headDim = "",
                                        .epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-12}));
    t.set("attention.causal", false);
    INGLE_TRY_ASSIGN(const uint32_t numTypes, t.config.u32Or("type_vocab_size", 2));
    t.model.metadata.set("tokenizer.ggml.token_type_count", int64_t{numTypes});
    return {};
}

Status setEmbedder(Translation& t) {
    INGLE_TRY_ASSIGN(const Pooling pooling, statedPooling(t.config));
    t.setCount("pooling_type", pooling);
    return setEncoder(t);
}

Status setClassifier(Translation& t) {
    t.setCount("pooling_type", kRank);
    return setEncoder(t);
}

/// What a classifier alone needs.
Status dropPooler(Translation& t) {
    for (const char* name : {"cls.weight", "cls.bias"}) t.model.tensors.erase(name);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "BertModel", .family = "bert", .setKeys = setEmbedder, .tensors = kRules, .finish = dropPooler},
    {.name = "BertForSequenceClassification", .family = "bert", .setKeys = setClassifier, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::bert_architectures
