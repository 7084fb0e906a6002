/// Nomic Embed 2: BERT with rotary positions, every other layer of which has experts without a gate. Source:
/// Nussbaum & Duderstadt, "Training Sparse Mixture Of Experts Text Embedding Models" (2025), section 3.
#include "engine/models/bert.h"

namespace ingle::models::nomic_bert_moe_family {
namespace {

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, readBert(keys));
    INGLE_TRY_ASSIGN(const uint32_t period, keys.u32Or("moe_every_n_layers", 0));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts || period == 0 || i % period != 1) {
            spec.layers[i].ffn = dense[i].ffn;
            continue;
        }
        experts->isGated = false;
        experts->rule.renormalise = false;
    }
    return bertDefinition(std::move(spec));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeBert("nomic-bert-moe", sizes, metadata);
    synthesizeExperts("nomic-bert-moe", sizes, metadata, 4);
    metadata.set("nomic-bert-moe.moe_every_n_layers", int64_t{2});
}

}  // namespace

extern const ModelFamily family{
    .arch = "nomic-bert-moe", .kind = FamilyKind::Encoder, .open = open, .synthesize = synthesize};

}  // namespace ingle::models::nomic_bert_moe_family
