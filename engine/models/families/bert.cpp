/// BERT and its like (BGE, E5, GTE, MiniLM): an encoder whose norms stand behind the residuals, for
/// embeddings of texts and scores of pairs. Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional
/// Transformers" (2019), section 3.
#include "engine/models/layer_parts.h"

namespace ingle::models::bert_family {
namespace {

using tensor::Shape;
using enum backend::WeightUse;

struct BertSpec : DecoderSpec {
    uint32_t numTypes = 0;   ///< of tokens; all are of type 0
    uint32_t numLabels = 0;  ///< of a classifier on top; 0: none
    bool hasDense = false;   ///< the classifier has a layer of its own
};

Status readPooling(const Keys& keys, BertSpec& spec) {
    constexpr uint32_t kRank = 4;
    INGLE_TRY_ASSIGN(const uint32_t pooling, keys.u32Or("pooling_type", 0));
    if (pooling > kRank) return keys.cannotBe("pooling_type", pooling);
    spec.facts.pooling = pooling == kRank ? Pooling::First : static_cast<Pooling>(pooling);
    if (pooling != kRank) return {};
    const tensor::Tensor* labels = keys.file().find("cls.output.weight");
    if (!labels || labels->shape.dims[1] > UINT16_MAX)
        return fail(ErrorCode::Corrupt, "{}: a classifier without the tensor cls.output.weight",
                    keys.file().path);
    spec.numLabels = static_cast<uint32_t>(labels->shape.dims[1]);
    spec.hasDense = keys.file().find("cls.weight") != nullptr;
    return {};
}

Result<BertSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec decoder, readDecoder(keys, {.norm = NormKind::Layer}));
    BertSpec spec{std::move(decoder)};
    INGLE_TRY_ASSIGN(spec.numTypes, keys.file().metadata.u32Or("tokenizer.ggml.token_type_count", 1));
    INGLE_TRY(readPooling(keys, spec));
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        attention.mask = backend::Mask::Full;
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
    }
    return spec;
}

std::vector<TensorSpec> tensors(const BertSpec& spec) {
    const uint32_t dim = spec.facts.dim;
    std::vector<TensorSpec> specs{
        {"token_embd.weight", Shape::of(dim, spec.facts.vocabSize)},
        {"position_embd.weight", Shape::of(dim, spec.facts.trainedContext)},
        {.name = "token_types.weight",
         .shape = Shape::of(dim),
         .sources = {{"token_types.weight", Shape::of(dim, spec.numTypes)}}},
        {"token_embd_norm.weight", Shape::of(dim), Vector},
        {"token_embd_norm.bias", Shape::of(dim), Vector},
    };
    if (spec.hasDense) {
        specs.push_back({"cls.weight", Shape::of(dim, dim)});
        specs.push_back({"cls.bias", Shape::of(dim), Vector, Presence::Optional});
    }
    if (spec.numLabels > 0) {
        specs.push_back({"cls.output.weight", Shape::of(dim, spec.numLabels)});
        specs.push_back({"cls.output.bias", Shape::of(spec.numLabels), Vector, Presence::Optional});
    }
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        LayerTensors layer(specs, i, dim);
        listTensors(std::get<AttentionSpec>(spec.layers[i].mixer), layer);
        layer.norm("attn_output_norm", NormKind::Layer);
        listTensors(std::get<FeedForwardSpec>(spec.layers[i].ffn), layer);
        layer.norm("layer_output_norm", NormKind::Layer);
    }
    return specs;
}

backend::MemorySpec memory(const BertSpec& spec) {
    return decoderMemory(spec);
}

/// h = LN(token + type + position);  h = LN(h + attn(h));  h = LN(h + ffn(h)).
void build(graph::Builder& b, const BertSpec& spec, const Weights& w) {
    const auto normed = [&](graph::Value x, const std::string& name, std::string_view trace) {
        return norm(b, w, NormKind::Layer, spec.normEps, x, name, trace);
    };
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    h = b.add(h, b.embedPosition(w["token_types.weight"], "type"), "embed_type");
    h = b.add(h, b.embedPosition(w["position_embd.weight"], "position"), "embed_position");
    h = normed(h, "token_embd_norm", "embed_norm");
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        b.setScope(fmt::format("blk.{}", i));
        const LayerBuilder layer{.b = b, .weights = w, .layer = i, .normEps = spec.normEps, .cacheLayer = i};
        const graph::Value mixed = mix(std::get<AttentionSpec>(spec.layers[i].mixer), layer, h);
        h = normed(b.add(h, mixed, "attn_residual"), layerWeight(i, "attn_output_norm"), "attn_norm");
        const graph::Value fed = feedForward(std::get<FeedForwardSpec>(spec.layers[i].ffn), layer, h);
        h = normed(b.add(h, fed, "ffn_residual"), layerWeight(i, "layer_output_norm"), "ffn_norm");
    }
    b.setScope("");
    if (spec.hasDense) {
        h = b.linear(h, w["cls.weight"], w["cls.bias"], "classifier_dense");
        h = b.activation(h, backend::ActivationKind::Tanh, "classifier_tanh");
    }
    if (spec.numLabels > 0) h = b.linear(h, w["cls.output.weight"], w["cls.output.bias"], "labels");
    b.rows(h);
}

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, read(keys));
    return std::make_shared<const Definition<BertSpec, tensors, memory, build>>(std::move(spec));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("bert", sizes, metadata, NormKind::Layer);
    metadata.set("bert.attention.head_count_kv", int64_t{sizes.numHeads});
    metadata.set("bert.pooling_type", int64_t{static_cast<uint32_t>(Pooling::Mean)});
    metadata.set("tokenizer.ggml.token_type_count", int64_t{2});
}

}  // namespace

extern const ModelFamily family{
    .arch = "bert", .kind = FamilyKind::Encoder, .open = open, .synthesize = synthesize};

}  // namespace ingle::models::bert_family
