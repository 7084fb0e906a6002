/// Llama 1-3, Mistral, Mixtral, and llama2.c files.
/// Source: Touvron et al., "LLaMA: Open and Efficient Foundation Language Models" (2023), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models::llama_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved,
                                                          .hasFfnFactors = true}));
    INGLE_TRY(readExperts(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("llama", sizes, metadata);
    synthesizeExperts("llama", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "llama", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::llama_family
