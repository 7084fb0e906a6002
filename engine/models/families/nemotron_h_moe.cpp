/// Nemotron 3: Nemotron-H with experts, which may read a latent row. Source: NVIDIA, "Nemotron 3 Nano: Open,
/// Efficient Mixture-of-Experts Hybrid Mamba-Transformer Model" (2025), section 2.
#include "engine/models/nemotron_hybrid.h"

namespace ingle::models::nemotron_h_moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readNemotronHybrid(keys, NemotronFeedForward::Experts);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeNemotronHybrid("nemotron_h_moe", sizes, metadata);
    synthesizeMixture("nemotron_h_moe", sizes, metadata);
    metadata.set("nemotron_h_moe.moe_latent_size", int64_t{sizes.dim / 2});
}

}  // namespace

extern const ModelFamily family{.arch = "nemotron_h_moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::nemotron_h_moe_family
