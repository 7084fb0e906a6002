/// AFM and Trinity of Arcee AI. Sources: transformers, modeling_arcee.py, modeling_afmoe.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::arcee_architectures {
namespace {

constexpr TensorRule kTrinityRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.pre_mlp_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.post_mlp_layernorm.weight", "blk.#.post_ffw_norm.weight"},
    {"model.layers.#.self_attn.gate_proj.weight", "blk.#.attn_gate.weight"},
    {"model.layers.#.mlp.router.gate.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.mlp.expert_bias", "blk.#.exp_probs_b.bias"},
};

Status setArcee(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "relu2", {"relu2"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    return setRope(t, sizes);
}

/// The family knows that every fourth layer sees everything and has no positions.
Status setWindows(Translation& t, const DecoderSizes& sizes) {
    constexpr uint32_t kPeriod = 4;
    INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("global_attn_every_n_layers", kPeriod));
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) {
        const bool isWindowed = windowed ? (*windowed)[layer] : period == 0 || (layer + 1) % period != 0;
        if (isWindowed != ((layer + 1) % kPeriod != 0))
            return fail(ErrorCode::Unsupported,
                        "other layers than every {}th see everything, which is not supported", kPeriod);
    }
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 1024));
    t.setCount("attention.sliding_window", window);
    t.setCount("attention.sliding_window_pattern", kPeriod);
    return {};
}

Status setTrinity(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectText(t.config, "score_func", "sigmoid", {"sigmoid"}));
    INGLE_TRY(expectFlag(t.config, "mup_enabled", false, true));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualContext = 16384}));
    INGLE_TRY(setWindows(t, sizes));
    INGLE_TRY(setMixtureKeys(t,
                             {.scores = 2,
                              .numExperts = 64,
                              .numUsed = 6,
                              .numShared = 2,
                              .dim = 1408,
                              .numDense = 1,
                              .renormalises = true},
                             {.numExperts = "num_experts",
                              .numShared = "num_shared_experts",
                              .numDense = "num_dense_layers",
                              .renormalises = "route_norm",
                              .scale = "route_scale"}));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "ArceeForCausalLM", .family = "arcee", .setKeys = setArcee, .rotaryPairs = RotaryPairs::Halves},
    {.name = "AfmoeForCausalLM", .family = "afmoe", .setKeys = setTrinity, .tensors = kTrinityRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::arcee_architectures
