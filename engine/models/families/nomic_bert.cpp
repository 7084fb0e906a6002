/// Nomic Embed: BERT with rotary positions and a gated feed-forward. Source: Nussbaum et al., "Nomic Embed:
/// Training a Reproducible Long Context Text Embedder" (2024), section 3.
#include "engine/models/bert.h"

namespace ingle::models::nomic_bert_family {
namespace {

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, readBert(keys));
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Gated;
        ffn.activation = backend::ActivationKind::Silu;
    }
    return bertDefinition(std::move(spec));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeBert("nomic-bert", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{
    .arch = "nomic-bert", .kind = FamilyKind::Encoder, .open = open, .synthesize = synthesize};

}  // namespace ingle::models::nomic_bert_family
