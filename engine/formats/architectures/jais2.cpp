/// Jais 2. Source: transformers, modeling_jais2.py, configuration_jais2.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::jais2_architectures {
namespace {

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "relu2", {"relu2"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5}));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Jais2ForCausalLM", .family = "jais2", .setKeys = setKeys},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::jais2_architectures
