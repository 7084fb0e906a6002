/// OLMo 1. Source: transformers, modeling_olmo.py, configuration_olmo.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::olmo_architectures {
namespace {

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    // The epsilon is no key there.
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualContext = 2048}));
    INGLE_TRY_ASSIGN(const float clip, t.config.f32Or("clip_qkv", 0, 0));
    if (clip > 0) t.set("attention.clamp_kqv", double{clip});
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "OlmoForCausalLM", .family = "olmo", .setKeys = setKeys, .rotaryPairs = RotaryPairs::Halves},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::olmo_architectures
