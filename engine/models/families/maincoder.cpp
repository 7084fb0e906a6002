/// Maincoder: Llama's layer with heads of q and k that are normalised behind their rotation. Source: the
/// model's published configuration and code (Maincode, 2025).
#include "engine/models/decoder.h"

namespace ingle::models::maincoder_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{.isAfterRotation = true};
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("maincoder", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "maincoder", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::maincoder_family
