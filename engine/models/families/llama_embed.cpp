/// Llama as an embedder, whose tokens mostly see those behind them, too. Source: BehnamGhader et al.,
/// "LLM2Vec: Large Language Models Are Secretly Powerful Text Encoders" (2024), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::llama_embed_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("llama-embed", sizes, metadata);
    metadata.set("llama-embed.attention.causal", false);
    metadata.set("llama-embed.pooling_type", int64_t{static_cast<uint32_t>(Pooling::Mean)});
}

}  // namespace

extern const ModelFamily family{
    .arch = "llama-embed", .kind = FamilyKind::Encoder, .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::llama_embed_family
