/// Jina Embeddings 2: BERT whose scores fall with the distance of tokens, with a gated feed-forward. Source:
/// Günther et al., "Jina Embeddings 2: 8192-Token General-Purpose Text Embeddings for Long Documents" (2023),
/// section 3. Those for code normalise whole rows of queries and keys.
#include "engine/models/bert.h"

namespace ingle::models::jina_bert_v2_family {
namespace {

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, readBert(keys));
    const bool isFused = !keys.file().find("blk.0.ffn_gate.weight");
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        attention.alibiSlopes = alibiSlopes(attention.numHeads, 8);
        attention.headNorm = HeadNormSpec{
            .kind = NormKind::Layer, .gain = HeadNormSpec::Gain::OfRow, .presence = Presence::Optional};
        std::get<FeedForwardSpec>(layer.ffn).form =
            isFused ? FeedForwardSpec::Form::GatedFused : FeedForwardSpec::Form::Gated;
    }
    return bertDefinition(std::move(spec));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeBert("jina-bert-v2", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{
    .arch = "jina-bert-v2", .kind = FamilyKind::Encoder, .open = open, .synthesize = synthesize};

}  // namespace ingle::models::jina_bert_v2_family
