/// EuroBERT: Llama's layer whose tokens see those behind them, too. Source: Boizard et al., "EuroBERT:
/// Scaling Multilingual Encoders for European Languages" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::eurobert_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("eurobert", sizes, metadata);
    metadata.set("eurobert.attention.causal", false);
    metadata.set("eurobert.pooling_type", int64_t{static_cast<uint32_t>(Pooling::Mean)});
}

}  // namespace

extern const ModelFamily family{
    .arch = "eurobert", .kind = FamilyKind::Encoder, .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::eurobert_family
