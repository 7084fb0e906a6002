/// Ministral 3 and Mistral Small 3, alone or with a part for images. Source: transformers,
/// modeling_ministral3.py, modeling_mistral3.py.
#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/pixtral_tower.h"

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

constexpr TensorRule kVisionRules[] = {
    {"multi_modal_projector.norm.weight", "mm.input_norm.weight"},
    {"multi_modal_projector.patch_merger.merging_layer.weight", "mm.patch_merger.weight"},
};

Status setVision(Translation& t) {
    INGLE_TRY(setPixtralTower(t));
    // The tower's norms have this one.
    INGLE_TRY_ASSIGN(const float epsilon, t.config.f32Or("rms_norm_eps", 1e-5F));
    if (epsilon != 1e-5F)
        return fail(ErrorCode::Unsupported, "rms_norm_eps {} is not supported for pictures", epsilon);
    INGLE_TRY_ASSIGN(const uint32_t merged, t.config.u32Or("spatial_merge_size", 2));
    if (merged < 2) return fail(ErrorCode::Unsupported, "spatial_merge_size {} is not supported", merged);
    t.setCount("vision.spatial_merge_size", merged);
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    t.setCount("vision.projection_dim", dim);
    return {};
}

constexpr VisionPart kVision{.projector = "pixtral",
                             .setKeys = setVision,
                             .tensors = kVisionRules,
                             .mean = kClipMean,
                             .deviation = kClipDeviation,
                             .tower = kPixtralTowerRules,
                             .setPixels = setPixtralPixels,
                             .finish = finishPixtral};

constexpr Architecture kArchitectures[] = {
    {.name = "Ministral3ForCausalLM",
     .family = "mistral3",
     .setKeys = setKeys,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "Mistral3ForConditionalGeneration",
     .family = "mistral3",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .vision = &kVision},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::mistral3_architectures
