/// EXAONE 4.0. Source: transformers, modeling_exaone4.py, configuration_exaone4.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"

namespace ingle::formats::exaone4_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight"},
};

/// The family knows the model with windows by its number of layers.
Status setWindows(Translation& t, const DecoderSizes& sizes) {
    constexpr uint32_t kLayersOf32B = 64;
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0, 0));
    if ((window > 0) != (sizes.numLayers == kLayersOf32B))
        return fail(ErrorCode::Unsupported, "sliding_window {} is not supported for {} layers", window,
                    sizes.numLayers);
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (window == 0) return {};
    t.setCount("attention.sliding_window", window);
    if (windowed) t.set("attention.sliding_window_pattern", asFlags(*windowed));
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    INGLE_TRY(setWindows(t, sizes));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Exaone4ForCausalLM", .family = "exaone4", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::exaone4_architectures
