/// OLMo 2 and 3. Sources: transformers, modeling_olmo2.py, modeling_olmo3.py, configuration_olmo3.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"

namespace ingle::formats::olmo2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight"},
};

Result<DecoderSizes> setSizes(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    return setDecoderKeys(t, {.usualEpsilon = 1e-5});
}

Status setOlmo2(Translation& t) {
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setSizes(t));
    t.setCount("attention.sliding_window", 0);
    return setRope(t, sizes);
}

/// Where no kinds are named, every fourth layer sees everything.
Status setOlmo3(Translation& t) {
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setSizes(t));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    t.setCount("attention.sliding_window", window);
    if (windowed)
        t.set("attention.sliding_window_pattern", asFlags(*windowed));
    else
        t.setCount("attention.sliding_window_pattern", 4);
    // The family's layers all have one base, and scale it where they see everything.
    constexpr float kUsualBase = 500000;
    INGLE_TRY(setRope(t, sizes, kUsualBase, "rope_parameters.full_attention"));
    INGLE_TRY_ASSIGN(const float base, t.model.metadata.f32("olmo2.rope.freq_base"));
    INGLE_TRY_ASSIGN(const float windowedBase,
                     t.config.f32Or("rope_parameters.sliding_attention.rope_theta", base));
    if (windowedBase == base) return {};
    return fail(ErrorCode::Unsupported,
                "rope_theta {} where there are windows and {} elsewhere is not supported", windowedBase,
                base);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Olmo2ForCausalLM", .family = "olmo2", .setKeys = setOlmo2, .tensors = kRules},
    {.name = "Olmo3ForCausalLM", .family = "olmo2", .setKeys = setOlmo3, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::olmo2_architectures
