/// Falcon-H1: attention and Mamba-2 read the same norm and are added. Source: Zuo et al., "Falcon-H1: A
/// Family of Hybrid-Head Language Models Redefining Efficiency and Performance" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::falcon_h1_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasRopeFactors = false}));
    INGLE_TRY_ASSIGN(MambaSpec mamba, readMamba(keys));
    mamba.norm = Presence::Optional;
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).outputBias = Presence::Unused;
        layer.mixer = AttentionAndMambaSpec{attentionOf(layer), mamba};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("falcon-h1", sizes, metadata);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("falcon-h1.{}", key), std::move(value));
    };
    set("ssm.conv_kernel", int64_t{4});
    set("ssm.state_size", int64_t{sizes.dim / sizes.numHeads});
    set("ssm.time_step_rank", int64_t{2 * sizes.numHeads});
    set("ssm.group_count", int64_t{1});
    set("ssm.inner_size", int64_t{2 * sizes.dim});
}

}  // namespace

extern const ModelFamily family{.arch = "falcon-h1", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::falcon_h1_family
