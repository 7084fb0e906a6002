/// Ling 2.0 and Ring 2.0: q, k and v in one matrix, heads of q and k are normalised, experts behind the
/// first layers with more that every row goes to. Source: Ling Team, "Every Activation Boosted" (2025),
/// section 2.
#include "engine/models/decoder.h"

namespace ingle::models::bailingmoe2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readMixture(keys, spec, {.shared = MixtureTraits::Shared::Both}));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
        attentionOf(layer).headNorm = HeadNormSpec{};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("bailingmoe2", sizes, metadata);
    synthesizeMixture("bailingmoe2", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "bailingmoe2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::bailingmoe2_family
