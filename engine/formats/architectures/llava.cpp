/// LLaVA 1.5 and 1.6, and Pixtral in the form of LLaVA: a tower in front of Llama or Mistral. Sources:
/// transformers, modeling_llava.py, modeling_llava_next.py, image_processing_llava.py.
#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/pixel_rules.h"
#include "engine/formats/checkpoint/pixtral_tower.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats::llava_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"vision_tower.",       "multi_modal_projector.",
                                            "model.vision_tower.", "model.multi_modal_projector.",
                                            "image_newline",       "model.image_newline"};

/// config.json leaves to the classes of Llama and Mistral what is as they have it.
Status setText(Translation& t) {
    INGLE_TRY(expectText(t.config, "model_type", "llama", {"llama", "mistral", "llava", "llava_next"}));
    INGLE_TRY_ASSIGN(const std::string type, t.config.stringOr("model_type", "llama"));
    if (type == "mistral")
        return setLlamaKeys(t, {.usualHeads = 32,
                                .usualKvHeads = 8,
                                .usualContext = 131072,
                                .usualLayers = 32,
                                .usualDim = 4096,
                                .usualFfnDim = 14336});
    return setLlamaKeys(
        t,
        {.usualHeads = 32, .usualContext = 2048, .usualLayers = 32, .usualDim = 4096, .usualFfnDim = 11008});
}

Status setProjection(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32Or("hidden_size", 4096));
    t.setCount("vision.projection_dim", dim);
    return {};
}

// CLIP.

constexpr TensorRule kClipRules[] = {
    {"multi_modal_projector.linear_1.weight", "mm.0.weight"},
    {"multi_modal_projector.linear_1.bias", "mm.0.bias"},
    {"multi_modal_projector.linear_2.weight", "mm.2.weight"},
    {"multi_modal_projector.linear_2.bias", "mm.2.bias"},
};

Status setClip(Translation& t) {
    INGLE_TRY(expectText(t.config, "vision_config.model_type", "clip_vision_model", {"clip_vision_model"}));
    INGLE_TRY(expectText(t.config, "vision_feature_select_strategy", "default", {"default"}));
    INGLE_TRY(setClipTower(t, {.patch = 32, .epsilon = 1e-5, .activation = "quick_gelu"}));
    INGLE_TRY(setProjection(t));
    INGLE_TRY(setProjectorActivation(t));
    INGLE_TRY_ASSIGN(std::vector<int64_t> features, featureLayers(t, "vision_feature_layer", -2));
    if (features.size() != 1)
        return fail(ErrorCode::Unsupported, "vision_feature_layer of several layers is not supported");
    t.set("vision.feature_layer", std::move(features));
    return {};
}

/// Either the middle is cut out, or the picture is put on a square.
Status setClipPixels(Translation& t, const Config& pixels) {
    constexpr std::string_view kForms[] = {"shortest_edge", ""};
    INGLE_TRY_ASSIGN(const bool isPadded, pixelFlag(pixels, "do_pad", false));
    INGLE_TRY_ASSIGN(const bool isCropped, pixelFlag(pixels, "do_center_crop", true));
    INGLE_TRY_ASSIGN(const uint32_t side, t.model.metadata.u32("clip.vision.image_size"));
    if (isCropped) INGLE_TRY(expectForms(pixels, "crop_size", kSquareForms, side));
    if (isPadded) return expectForms(pixels, "size", kForms, side);
    if (!isCropped)
        return fail(ErrorCode::Unsupported,
                    "preprocessor_config.json: do_center_crop false is not supported");
    INGLE_TRY(expectForms(pixels, "size", kForms));
    INGLE_TRY_ASSIGN(const uint32_t plain, pixels.u32Or("size", side, side));
    INGLE_TRY_ASSIGN(const uint32_t shortest, pixels.u32Or("size.shortest_edge", plain));
    t.setCount("vision.preproc_shortest_edge", shortest);
    return {};
}

constexpr VisionPart kClip{.projector = "mlp",
                           .setKeys = setClip,
                           .tensors = kClipRules,
                           .mean = kClipMean,
                           .deviation = kClipDeviation,
                           .tower = kClipTowerRules,
                           .setPixels = setClipPixels};

// LLaVA 1.6.

constexpr TensorRule kNextRules[] = {
    {"image_newline", "model.image_newline"},
    {"multi_modal_projector.linear_1.weight", "mm.0.weight"},
    {"multi_modal_projector.linear_1.bias", "mm.0.bias"},
    {"multi_modal_projector.linear_2.weight", "mm.2.weight"},
    {"multi_modal_projector.linear_2.bias", "mm.2.bias"},
};

/// Sizes of tiles together: lists of a height and a width.
Result<std::vector<int64_t>> pinpoints(const Config& config) {
    std::vector<int64_t> sizes;
    for (size_t i = 0;; ++i) {
        const MetaValue* stated = config.find(fmt::format("image_grid_pinpoints.{}", i));
        if (!stated) break;
        const auto* size = std::get_if<std::vector<int64_t>>(stated);
        if (!size || size->size() != 2)
            return fail(ErrorCode::Corrupt, "image_grid_pinpoints.{} is no size", i);
        sizes.insert(sizes.end(), {size->back(), size->front()});
    }
    return sizes;
}

Status setNextPixels(Translation& t, const Config& pixels) {
    constexpr std::string_view kForms[] = {"shortest_edge", "height", "width", ""};
    INGLE_TRY_ASSIGN(const uint32_t side, t.model.metadata.u32("clip.vision.image_size"));
    INGLE_TRY(expectForms(pixels, "size", kForms, side));
    INGLE_TRY(expectForms(pixels, "crop_size", kSquareForms, side));
    INGLE_TRY_ASSIGN(std::vector<int64_t> sizes, pinpoints(t.config));
    if (sizes.empty()) sizes = {672, 336, 336, 672, 672, 672, 336, 1008, 1008, 336};
    // The model puts together what its preprocessor has cut.
    INGLE_TRY_ASSIGN(const std::vector<int64_t> cut, pinpoints(pixels));
    if (!cut.empty() && cut != sizes)
        return fail(ErrorCode::Unsupported,
                    "preprocessor_config.json: image_grid_pinpoints that are not those of config.json");
    t.set("vision.image_grid_pinpoints", std::move(sizes));
    setOwnResizing(t);
    return {};
}

constexpr VisionPart kNext{.projector = "mlp",
                           .setKeys = setClip,
                           .tensors = kNextRules,
                           .mean = kClipMean,
                           .deviation = kClipDeviation,
                           .tower = kClipTowerRules,
                           .setPixels = setNextPixels};

// Pixtral.

bool isPixtral(const Config& config) {
    return config.stringOr("vision_config.model_type", "").value_or("") == "pixtral";
}

Status setPixtral(Translation& t) {
    INGLE_TRY(setPixtralTower(t));
    t.setCount("vision.spatial_merge_size", 1);
    return setProjection(t);
}

constexpr VisionPart kPixtral{.projector = "pixtral",
                              .setKeys = setPixtral,
                              .tensors = kPixtralTowerRules,
                              .mean = kClipMean,
                              .deviation = kClipDeviation,
                              .setPixels = setPixtralPixels,
                              .finish = finishPixtral};

constexpr Architecture kArchitectures[] = {
    {.name = "LlavaForConditionalGeneration",
     .family = "llama",
     .setKeys = setText,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .suits = isPixtral,
     .vision = &kPixtral},
    {.name = "LlavaForConditionalGeneration",
     .family = "llama",
     .setKeys = setText,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .vision = &kClip},
    {.name = "LlavaNextForConditionalGeneration",
     .family = "llama",
     .setKeys = setText,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .vision = &kNext},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::llava_architectures
