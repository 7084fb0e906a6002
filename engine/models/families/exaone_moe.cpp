/// K-EXAONE: windows, and rotary positions only in the layers that have them; heads of q and k are
/// normalised; experts behind the first layers with more that every row goes to. Source: LG AI Research,
/// "K-EXAONE Technical Report" (2026), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::exaone_moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY(readMixture(keys, spec, {.shared = MixtureTraits::Shared::Both}));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.headNorm = HeadNormSpec{};
        if (!windowed[i]) attention.rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("exaone-moe", sizes, metadata);
    synthesizeMixture("exaone-moe", sizes, metadata);
    metadata.set("exaone-moe.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("exaone-moe.attention.sliding_window_pattern", int64_t{2});
}

}  // namespace

extern const ModelFamily family{.arch = "exaone-moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::exaone_moe_family
