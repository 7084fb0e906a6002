#include "engine/formats/checkpoint/clip_tower.h"

#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats {

Status setClipTower(Translation& t, const UsualTower& usual) {
    INGLE_TRY(setVisionSide(t, "image_size", "image_size", usual.imageSize));
    INGLE_TRY(setVisionSide(t, "patch_size", "patch_size", usual.patch));
    INGLE_TRY(setVisionSize(t, "embedding_length", "hidden_size", 768));
    INGLE_TRY(setVisionSize(t, "feed_forward_length", "intermediate_size", 3072));
    INGLE_TRY(setVisionSize(t, "block_count", "num_hidden_layers", 12));
    INGLE_TRY(setVisionSize(t, "attention.head_count", "num_attention_heads", 12));
    INGLE_TRY_ASSIGN(const float epsilon,
                     t.config.f32Or("vision_config.layer_norm_eps", static_cast<float>(usual.epsilon)));
    t.set("vision.attention.layer_norm_epsilon", double{epsilon});
    return setTowerActivation(t, "vision_config.hidden_act", usual.activation);
}

Result<uint32_t> patchesOnSide(const Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t side, t.model.metadata.u32("clip.vision.image_size"));
    INGLE_TRY_ASSIGN(const uint32_t patch, t.model.metadata.u32("clip.vision.patch_size"));
    if (patch == 0 || side == 0)
        return fail(ErrorCode::Corrupt, "pictures of {} pixels in patches of {}", side, patch);
    return side / patch;
}

}  // namespace ingle::formats
