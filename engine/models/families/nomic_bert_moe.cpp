/// Nomic Embed 2: BERT with rotary positions, every other layer of which has experts without a gate. Source:
/// Nussbaum & Duderstadt, "Training Sparse Mixture Of Experts Text Embedding Models" (2025), section 3.
#include "engine/models/bert.h"

namespace ingle::models::nomic_bert_moe_family {
namespace {

/// What is added to the sum of experts, one row a layer; other engines' files have none.
Result<std::vector<float>> readBiases(const Keys& keys, const ModelFacts& facts) {
    constexpr std::string_view kKey = "expert_sum_bias";
    const formats::MetaValue* value = keys.file().metadata.find(fmt::format("{}.{}", keys.arch(), kKey));
    if (!value) return std::vector<float>{};
    const auto* numbers = std::get_if<std::vector<double>>(value);
    if (!numbers || numbers->size() != uint64_t{facts.numLayers} * facts.dim)
        return keys.cannotBe(kKey, "of another length than all layers' widths");
    return std::vector<float>(numbers->begin(), numbers->end());
}

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, readBert(keys));
    INGLE_TRY_ASSIGN(const uint32_t period, keys.u32Or("moe_every_n_layers", 0));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    const auto dim = static_cast<ptrdiff_t>(spec.facts.dim);
    INGLE_TRY_ASSIGN(const std::vector<float> biases, readBiases(keys, spec.facts));
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts || period == 0 || i % period != 1) {
            spec.layers[i].ffn = dense[i].ffn;
            continue;
        }
        experts->isGated = false;
        if (!biases.empty())
            experts->sumBias.assign(biases.begin() + i * dim, biases.begin() + (i + 1) * dim);
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
