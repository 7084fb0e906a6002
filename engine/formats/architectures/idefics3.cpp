/// Idefics3 and SmolVLM: SigLIP in tiles in front of Llama. Sources: transformers, modeling_idefics3.py,
/// modeling_smolvlm.py, image_processing_idefics3.py.
#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/pixel_rules.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats::idefics3_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"model.vision_model.", "model.connector."};

/// config.json may leave everything to the class that reads it.
Status setText(Translation& t) {
    INGLE_TRY(expectText(t.config, "model_type", "llama", {"llama", "idefics3", "smolvlm"}));
    return setLlamaKeys(
        t,
        {.usualHeads = 32, .usualContext = 2048, .usualLayers = 32, .usualDim = 4096, .usualFfnDim = 11008});
}

constexpr TensorRule kRules[] = {
    {"connector.modality_projection.proj.weight", "mm.model.fc.weight"},
};

Status setVision(Translation& t) {
    INGLE_TRY(setClipTower(t, {.patch = 32}));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32Or("hidden_size", 4096));
    t.setCount("vision.projection_dim", dim);
    INGLE_TRY_ASSIGN(const uint32_t factor, t.config.u32Or("scale_factor", 2));
    t.setCount("vision.projector.scale_factor", factor);
    return {};
}

/// Tiles are as large as the tower's pictures.
Status setPixels(Translation& t, const Config& pixels) {
    INGLE_TRY_ASSIGN(const uint32_t side, t.model.metadata.u32("clip.vision.image_size"));
    INGLE_TRY_ASSIGN(const uint32_t tile, pixels.u32Or("max_image_size.longest_edge", side));
    if (tile != side)
        return fail(ErrorCode::Unsupported,
                    "preprocessor_config.json: tiles of {} pixels for a tower that sees {}", tile, side);
    INGLE_TRY(expectForms(pixels, "max_image_size", kLongestForms));
    INGLE_TRY(expectForms(pixels, "size", kLongestForms));
    INGLE_TRY_ASSIGN(const bool isSplit, pixelFlag(pixels, "do_image_splitting", true));
    INGLE_TRY_ASSIGN(const uint32_t longest, pixels.u32Or("size.longest_edge", 4 * side));
    t.setCount("vision.preproc_image_size", isSplit ? longest : side);
    return {};
}

constexpr VisionPart kVision{.projector = "idefics3",
                             .setKeys = setVision,
                             .tensors = kRules,
                             .resample = 1,
                             .tower = kClipTowerRules,
                             .setPixels = setPixels};

constexpr Architecture kArchitectures[] = {
    {.name = "Idefics3ForConditionalGeneration",
     .family = "llama",
     .setKeys = setText,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .vision = &kVision},
    {.name = "SmolVLMForConditionalGeneration",
     .family = "llama",
     .setKeys = setText,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .vision = &kVision},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::idefics3_architectures
