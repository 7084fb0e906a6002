/// Ministral 3 and Mistral Small 3, alone or with a part for images. Source: transformers,
/// modeling_ministral3.py, modeling_mistral3.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::mistral3_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"vision_tower.", "multi_modal_projector.", "model.vision_tower.",
                                            "model.multi_modal_projector."};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const float temperature, t.config.f32Or("rope_parameters.llama_4_scaling_beta", 0, 0));
    INGLE_TRY_ASSIGN(
        const uint32_t original,
        t.config.u32Or("rope_parameters.original_max_position_embeddings", sizes.context, sizes.context));
    t.set("attention.temperature_scale", double{temperature});
    t.setCount("rope.scaling.original_context_length", original);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Ministral3ForCausalLM",
     .family = "mistral3",
     .setKeys = setKeys,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "Mistral3ForConditionalGeneration",
     .family = "mistral3",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::mistral3_architectures
