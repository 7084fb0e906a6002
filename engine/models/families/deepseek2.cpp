/// DeepSeek V2, V2 Lite, V3 and R1, Kimi K2, GLM 4.7 Flash: latent attention, and experts behind the first
/// layers. Sources: DeepSeek-AI, "DeepSeek-V2" (2024), section 2.1; "DeepSeek-V3 Technical Report" (2024),
/// section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::deepseek2_family {
namespace {

/// V2 Lite and its kin have no latent of queries, nor a key that says so: they are known by their sizes.
bool isLite(const ModelFacts& facts) {
    return facts.numLayers == 26 || facts.numLayers == 27 ||
           (facts.numLayers == 48 && facts.vocabSize == 128256);
}

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(
        const LatentAttentionSpec attention,
        readLatentAttention(keys, spec, isLite(spec.facts) ? LatentQueries::Plain : LatentQueries::Optional));
    for (LayerSpec& layer : spec.layers) layer.mixer = attention;
    INGLE_TRY(readMixture(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("deepseek2", sizes, metadata);
    synthesizeMixture("deepseek2", sizes, metadata);
    synthesizeLatentAttention("deepseek2", metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "deepseek2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::deepseek2_family
