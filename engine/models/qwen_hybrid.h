/// What the hybrids of Qwen have in common: qwen3next, qwen35, qwen35moe.
#pragma once

#include <string_view>

#include "engine/models/decoder.h"

namespace ingle::models {

/// Gated attention every full_attention_interval-th layer, or where attention.recurrent_layers says 0; gated
/// delta nets elsewhere. `kind` says what no key tells. Errors: Corrupt.
Status readGatedDelta(const Keys& keys, DecoderSpec& spec, const GatedDeltaSpec& kind);
/// Experts with one more that every row goes to by a gate of its own, where the file has experts. Errors:
/// Corrupt.
Status readGatedExperts(const Keys& keys, DecoderSpec& spec);

/// The reverse of readGatedDelta() …
void synthesizeGatedDelta(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);
/// … and of readGatedExperts(), of a model that has some.
void synthesizeGatedExperts(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

}  // namespace ingle::models
