/// ERNIE 4.5 with experts behind the first layers, in all of them or every n-th, with one more that every
/// row goes to. Source: Baidu, "ERNIE 4.5 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::ernie4_5_moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readMixture(keys, spec, {.renormalises = true, .shared = MixtureTraits::Shared::Length}));
    INGLE_TRY_ASSIGN(const uint32_t step, keys.u32Or("interleave_moe_layer_step", 1));
    if (step == 0) return keys.cannotBe("interleave_moe_layer_step", step);
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        if ((i + 1) % step == 0) continue;
        const std::string router = layerWeight(i, "ffn_gate_inp.weight");
        if (keys.file().find(router))
            return fail(ErrorCode::Unsupported,
                        "{}: {} chooses experts that are left out, which is not supported", keys.file().path,
                        router);
        spec.layers[i].ffn = dense[i].ffn;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("ernie4_5-moe", sizes, metadata);
    synthesizeMixture("ernie4_5-moe", sizes, metadata);
    metadata.set("ernie4_5-moe.interleave_moe_layer_step", int64_t{1});
}

}  // namespace

extern const ModelFamily family{.arch = "ernie4_5-moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::ernie4_5_moe_family
