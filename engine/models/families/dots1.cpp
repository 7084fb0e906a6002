/// dots.llm1: heads of q and k are normalised, experts behind the first layers with more that every row goes
/// to. Source: Huo et al., "dots.llm1 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::dots1_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readMixture(keys, spec));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("dots1", sizes, metadata);
    synthesizeMixture("dots1", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "dots1", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::dots1_family
