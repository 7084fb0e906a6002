/// Mamba-2: nothing but its mixer in a layer. Source: Dao & Gu, "Transformers are SSMs: Generalized Models
/// and Efficient Algorithms Through Structured State Space Duality" (2024), section 7.
#include "engine/models/decoder.h"

namespace ingle::models::mamba2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.mayLackHeads = true, .mayLackFeedForward = true}));
    INGLE_TRY_ASSIGN(const MambaSpec mamba, readMamba(keys));
    for (LayerSpec& layer : spec.layers) {
        layer.mixer = mamba;
        layer.ffn = Nothing{};
        layer.norms.beforeFfn = {};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("mamba2", sizes, metadata);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("mamba2.{}", key), std::move(value));
    };
    set("ssm.conv_kernel", int64_t{4});
    set("ssm.state_size", int64_t{sizes.dim / sizes.numHeads});
    set("ssm.time_step_rank", int64_t{2 * sizes.numHeads});
    set("ssm.group_count", int64_t{1});
    set("ssm.inner_size", int64_t{2 * sizes.dim});
}

}  // namespace

extern const ModelFamily family{.arch = "mamba2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::mamba2_family
