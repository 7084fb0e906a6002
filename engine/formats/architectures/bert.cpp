/// BERT and RoBERTa, XLM-R among them, for embeddings of texts and scores of pairs. Sources: transformers,
/// modeling_bert.py, modeling_xlm_roberta.py; names of norms in old files: its
/// convert_bert_original_tf_checkpoint_to_pytorch.py.
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
    // RoBERTa's.
    {"classifier.dense.weight", "cls.weight"},
    {"classifier.dense.bias", "cls.bias"},
    {"classifier.out_proj.weight", "cls.output.weight"},
    {"classifier.out_proj.bias", "cls.output.bias"},
};

/// pooling_type. Where nothing beside the model says how the rows of a text become one (pooling_files.h), by
/// their mean: what sentence-transformers does then.
enum Pooling : uint32_t { kMean = 1, kRank = 4 };

Status setEncoder(Translation& t) {
    INGLE_TRY(setActivation(t, "hidden_act"));
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
    t.setCount("pooling_type", kMean);
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

/// Positions are counted from the one behind that of padding: the rows before it are nobody's.
Status dropFirstPositions(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t padding, t.config.u32Or("pad_token_id", 1));
    const uint64_t first = uint64_t{padding} + 1;
    const auto table = t.model.tensors.find("position_embd.weight");
    if (table == t.model.tensors.end()) return {};
    tensor::Tensor& positions = table->second;
    const uint64_t rows = positions.shape.numRows();
    if (rows <= first || positions.decoder || positions.side)
        return fail(ErrorCode::Corrupt, "the positions of {} tokens begin at {}", rows, first);
    positions.data = positions.data.subspan(first * positions.rowBytes());
    positions.shape.dims[1] = rows - first;
    t.setCount("context_length", rows - first);
    return {};
}

Status finishRoberta(Translation& t) {
    INGLE_TRY(dropPooler(t));
    return dropFirstPositions(t);
}

constexpr Architecture embedder(std::string_view name) {
    return {
        .name = name, .family = "bert", .setKeys = setEmbedder, .tensors = kRules, .finish = finishRoberta};
}
constexpr Architecture classifier(std::string_view name) {
    return {.name = name,
            .family = "bert",
            .setKeys = setClassifier,
            .tensors = kRules,
            .finish = dropFirstPositions};
}

constexpr Architecture kArchitectures[] = {
    {.name = "BertModel", .family = "bert", .setKeys = setEmbedder, .tensors = kRules, .finish = dropPooler},
    {.name = "BertForSequenceClassification", .family = "bert", .setKeys = setClassifier, .tensors = kRules},
    embedder("RobertaModel"),
    embedder("XLMRobertaModel"),
    embedder("CamembertModel"),
    classifier("RobertaForSequenceClassification"),
    classifier("XLMRobertaForSequenceClassification"),
    classifier("CamembertForSequenceClassification"),
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::bert_architectures
