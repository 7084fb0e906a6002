/// What Granite and its kin have in common: scales of what is embedded, added, compared and written.
#pragma once

#include "engine/models/decoder.h"

namespace ingle::models {

/// Where a file states none, or 0. Logits are divided by theirs.
struct GraniteScales {
    float embedding = 1;
    float residual = 1;
    float logits = 1;
};
/// embedding_scale, residual_scale, attention.scale (of layers that have attention) and logit_scale. Errors:
/// Corrupt.
Status readGraniteScales(const Keys& keys, DecoderSpec& spec, const GraniteScales& usual = {});

/// Granite 3: Llama's layer, experts where the file has some. Errors: Corrupt.
Result<DecoderSpec> readRotatedGranite(const Keys& keys);
/// The same, without positions where rope.scaling.finetuned is false.
Result<DecoderSpec> readGranite(const Keys& keys);
/// The reverse, without experts.
void synthesizeGranite(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

}  // namespace ingle::models
