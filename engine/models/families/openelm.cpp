/// OpenELM: numbers of heads and widths that grow from layer to layer, normalised heads of q and k. Source:
/// Mehta et al., "OpenELM: An Efficient Language Model Family with Open Training and Inference Framework"
/// (2024), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::openelm_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
        attentionOf(layer).hasQkvFactors = false;
        attentionOf(layer).headNorm = HeadNormSpec{};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("openelm", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "openelm", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::openelm_family
