/// Phi-3.5 MoE: norms with a bias, long contexts by factors, experts. Source: the model as published with
/// transformers, src/transformers/models/phimoe/modeling_phimoe.py (2024); norms as files of llama.cpp are
/// computed.
#include "engine/models/decoder.h"

namespace ingle::models::phimoe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::RmsBiased}));
    INGLE_TRY(readLongRope(keys, spec));
    INGLE_TRY(readExperts(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("phimoe", sizes, metadata, NormKind::RmsBiased);
    synthesizeExperts("phimoe", sizes, metadata, 4);
}

}  // namespace

extern const ModelFamily family{.arch = "phimoe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::phimoe_family
