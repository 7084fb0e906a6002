/// dots.llm1. Source: transformers, modeling_dots1.py, configuration_dots1.py.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::dots1_architectures {
namespace {

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualContext = 2048}));
    INGLE_TRY(setMixtureKeys(t, {.scores = 2}));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    INGLE_TRY_ASSIGN(const uint32_t numUnlimited, t.config.u32Or("max_window_layers", 62, 0));
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    const bool areSome =
        windowed ? std::ranges::find(*windowed, true) != windowed->end() : numUnlimited < sizes.numLayers;
    if (areSome) INGLE_TRY(expectNoWindow(t, sizes, window));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Dots1ForCausalLM", .family = "dots1", .setKeys = setKeys},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::dots1_architectures
