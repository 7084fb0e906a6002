/// InternLM2 and 2.5: Llama's layer. Source: Cai et al., "InternLM2 Technical Report" (2024), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models::internlm2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("internlm2", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "internlm2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::internlm2_family
