#include "engine/formats/checkpoint/pixtral_tower.h"

#include <algorithm>

#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/pixel_rules.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats {

Status setPixtralTower(Translation& t) {
    INGLE_TRY(setVisionSide(t, "image_size", "image_size", 1024));
    INGLE_TRY(setVisionSide(t, "patch_size", "patch_size", 16));
    INGLE_TRY(setVisionSize(t, "embedding_length", "hidden_size", 1024));
    INGLE_TRY(setVisionSize(t, "feed_forward_length", "intermediate_size", 4096));
    INGLE_TRY(setVisionSize(t, "block_count", "num_hidden_layers", 24));
    INGLE_TRY(setVisionSize(t, "attention.head_count", "num_attention_heads", 16));
    INGLE_TRY_ASSIGN(const float older, t.config.f32Or("vision_config.rope_theta", 10000));
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or("vision_config.rope_parameters.rope_theta", older));
    if (base != 10000)
        return fail(ErrorCode::Unsupported, "vision_config.rope_theta {} is not supported", base);
    t.set("vision.attention.layer_norm_epsilon", 1e-5);
    t.set("vision.rotary_halves", true);
    INGLE_TRY(setTowerActivation(t, "vision_config.hidden_act", "gelu"));
    INGLE_TRY(setProjectorActivation(t));
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.model.metadata.u32("clip.vision.block_count"));
    INGLE_TRY_ASSIGN(const auto features, featureLayers(t, "vision_feature_layer", -1));
    if (features != std::vector<int64_t>{numLayers})
        return fail(ErrorCode::Unsupported, "a vision_feature_layer that is not the last is not supported");
    return {};
}

Status setPixtralPixels(Translation& t, const Config& pixels) {
    setOwnResizing(t);
    INGLE_TRY_ASSIGN(const uint32_t longest, pixels.u32Or("size.longest_edge", 1024));
    t.setCount("vision.preproc_longest_edge", longest);
    return expectForms(pixels, "size", kLongestForms);
}

Status finishPixtral(Translation& t, Checkpoint& checkpoint, const io::Source& source) {
    constexpr std::string_view kBreak = "[IMG_BREAK]", kTable = "embed_tokens.weight";
    INGLE_TRY_ASSIGN(const TokenizerData words, readTokenizerFiles(checkpoint, source, {}));
    const auto token = std::ranges::find(words.tokens, kBreak);
    const auto table = std::ranges::find_if(checkpoint.tensors,
                                            [&](const auto& entry) { return entry.first.ends_with(kTable); });
    if (token == words.tokens.end() || table == checkpoint.tensors.end())
        return fail(ErrorCode::Unsupported, "{}: nothing says what ends the lines of a picture ({})",
                    source.path(), kBreak);
    const StoredTensor& stored = table->second;
    const auto row = static_cast<uint64_t>(token - words.tokens.begin());
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    if (row >= shape.numRows())
        return fail(ErrorCode::Corrupt, "tensor '{}' has {} rows, and none for {}", shown(stored.name),
                    shape.numRows(), kBreak);
    INGLE_TRY_ASSIGN(const tensor::Tensor embeddings, t.tensorOf(stored, "table", shape));
    std::vector<float> values(shape.rowElems());
    embeddings.decodeRow(row, values);
    return t.make("v.token_embd.img_break", tensor::Shape::of(values.size()), values);
}

}  // namespace ingle::formats
