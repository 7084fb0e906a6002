/// PLaMo: attention and feed-forward read the same norm. Source: the model's published configuration and
/// code (Preferred Networks, 2023).
#include "engine/models/decoder.h"

namespace ingle::models::plamo_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) layer.norms.beforeFfn = {};
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("plamo", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "plamo", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::plamo_family
