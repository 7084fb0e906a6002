/// ERNIE 4.5, whose neighbours are rotated. Sources: transformers, modeling_ernie4_5.py,
/// modeling_ernie4_5_moe.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::ernie4_5_architectures {
namespace {

constexpr TensorRule kMixtureRules[] = {
    {"model.layers.#.mlp.moe_statics.e_score_correction_bias", "blk.#.exp_probs_b.bias", asVector},
};

/// Layers and modules that predict further tokens.
constexpr std::string_view kPredicting[] = {"model.mtp_"};

Result<DecoderSizes> setSizes(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "use_bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualContext = 131072}));
    INGLE_TRY(setRope(t, sizes, 5e5));
    return sizes;
}

Status setDense(Translation& t) {
    INGLE_TRY(setSizes(t));
    return {};
}

Status setMixture(Translation& t) {
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setSizes(t));
    INGLE_TRY(setMixtureKeys(t,
                             {.scores = 1,
                              .numExperts = 64,
                              .numUsed = 6,
                              .numShared = 2,
                              .dim = 1536,
                              .numDense = 1,
                              .renormalises = true},
                             {.numExperts = "moe_num_experts",
                              .numUsed = "moe_k",
                              .numShared = "moe_num_shared_experts",
                              .numDense = "moe_layer_start_index",
                              .renormalises = "",
                              .scale = ""}));
    // What the shares of a row are divided by is no less; sums of shares are greater than the usual one.
    constexpr float kUsualMin = 1e-12F;
    INGLE_TRY_ASSIGN(const float sumMin, t.config.f32Or("moe_norm_min", kUsualMin));
    if (sumMin != kUsualMin)
        return fail(ErrorCode::Unsupported, "moe_norm_min {} is not supported for such models", sumMin);
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.model.metadata.u32("ernie4_5-moe.expert_shared_count"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.model.metadata.u32("ernie4_5-moe.expert_feed_forward_length"));
    t.setCount("expert_shared_feed_forward_length", uint64_t{numShared} * dim);
    INGLE_TRY_ASSIGN(const uint32_t step, t.config.u32Or("moe_layer_interval", 1));
    t.setCount("interleave_moe_layer_step", step);
    const MetaValue* last = t.config.find("moe_layer_end_index");
    const auto* end = last ? std::get_if<int64_t>(last) : nullptr;
    if (end && *end != -1 && *end + 1 != sizes.numLayers)
        return fail(ErrorCode::Unsupported, "moe_layer_end_index {} of {} layers is not supported", *end,
                    sizes.numLayers);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "Ernie4_5ForCausalLM", .family = "ernie4_5", .setKeys = setDense, .sharesEmbedding = true},
    {.name = "Ernie4_5_MoeForCausalLM",
     .family = "ernie4_5-moe",
     .setKeys = setMixture,
     .tensors = kMixtureRules,
     .ignored = kPredicting,
     .sharesEmbedding = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::ernie4_5_architectures
