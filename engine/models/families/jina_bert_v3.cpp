/// Jina Embeddings 3: BERT with rotary positions. Source: Sturua et al., "jina-embeddings-v3: Multilingual
/// Embeddings With Task LoRA" (2024), section 4. What is read is one of its tasks, or none.
#include "engine/models/bert.h"

namespace ingle::models::jina_bert_v3_family {
namespace {

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(BertSpec spec, readBert(keys));
    return bertDefinition(std::move(spec));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeBert("jina-bert-v3", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{
    .arch = "jina-bert-v3", .kind = FamilyKind::Encoder, .open = open, .synthesize = synthesize};

}  // namespace ingle::models::jina_bert_v3_family
