/// ERNIE 4.5: Llama's layer. Source: Baidu, "ERNIE 4.5 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::ernie4_5_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).outputBias = Presence::Unused;
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("ernie4_5", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "ernie4_5", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::ernie4_5_family
