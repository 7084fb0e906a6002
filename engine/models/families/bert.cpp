/// BERT and its like (BGE, E5, GTE, MiniLM), for embeddings of texts and scores of pairs.
#include "engine/models/bert.h"

namespace ingle::models::bert_family {
namespace {

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, readBert(keys));
    spec.learnsPositions = true;
    for (LayerSpec& layer : spec.layers) attentionOf(layer).rope.reset();
    return bertDefinition(std::move(spec));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeBert("bert", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{
    .arch = "bert", .kind = FamilyKind::Encoder, .open = open, .synthesize = synthesize};

}  // namespace ingle::models::bert_family
