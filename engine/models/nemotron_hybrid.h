/// What Nemotron's hybrids have in common.
#pragma once

#include "engine/models/decoder.h"

namespace ingle::models {

enum class NemotronFeedForward : uint8_t { Dense, Experts };

/// One half in each layer, behind attn_norm: a feed-forward where feed_forward_length is not 0, attention
/// without positions where head_count_kv is not 0, else Mamba-2. Errors: Corrupt.
Result<DecoderSpec> readNemotronHybrid(const Keys& keys, NemotronFeedForward kind);
/// The reverse, without experts.
void synthesizeNemotronHybrid(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

}  // namespace ingle::models
