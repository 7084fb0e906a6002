/// Folders of Hugging Face whose model sees: rows and logits are those of the models' own code, which made
/// the folders of tests/vectors/vision (tests/folders/vision_vectors.py).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "ingle/engine.h"
#include "ingle/pictures.h"
#include "tests/engine/vision/golden_pictures.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

namespace fs = std::filesystem;

constexpr double kMostOfOwnRows = 5e-5;
constexpr double kMostOfOwnLogits = 2e-4;

double farthest(const std::vector<float>& ours, const std::vector<float>& theirs) {
    if (ours.size() != theirs.size()) return INFINITY;
    double most = 0;
    for (size_t i = 0; i < ours.size(); ++i)
        most = std::max(most, std::isnan(ours[i]) ? INFINITY : std::abs(double{ours[i]} - theirs[i]));
    return most;
}

class VisionFolders : public testing::TestWithParam<const char*> {
  protected:
    std::string folder() const { return INGLE_SOURCE_DIR "/tests/vectors/vision/" + std::string(GetParam()); }
    static LoadOptions options() { return test::exactOptions(""); }
    static Result<EncodedPicture> encode(const std::string& folder) {
        INGLE_TRY_ASSIGN(const auto encoder, PictureEncoder::load(folder, options(), std::nullopt));
        return encoder->encode(test::readPng(folder + "/picture.png"));
    }
    static std::vector<float> floats(const std::string& path) { return test::readFloats(path); }
};

TEST_P(VisionFolders, rowsAreThoseOfTheModelsOwnCode) {
    const auto picture = encode(folder());
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_LE(farthest(picture->rows, floats(folder() + "/rows.f32")), kMostOfOwnRows);
}

TEST_P(VisionFolders, logitsAreThoseOfTheModelsOwnCode) {
    const auto picture = encode(folder());
    ASSERT_TRUE(picture) << picture.error().message;
    LoadOptions with = options();
    with.contextTokens = 512;
    with.visionFile = folder();
    for (const uint32_t chunk : {0U, 3U}) {
        std::vector<float> logits;
        const auto done = logitsWithPictures(
            folder(), with, "see <__media__> tell", {&*picture, 1}, chunk,
            [&](std::span<const float> row) { logits.insert(logits.end(), row.begin(), row.end()); });
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_LE(farthest(logits, floats(folder() + "/logits.f32")), kMostOfOwnLogits) << chunk;
    }
}

TEST_P(VisionFolders, theModelSeesByItself) {
    const auto info = inspectModel(folder(), options());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->seesPictures);
    EXPECT_EQ(info->visionFile, folder());
    EXPECT_TRUE(info->visionTrouble.empty()) << info->visionTrouble;
}

/// Negative twin: what preprocessor_config.json says of the pixels counts.
TEST_P(VisionFolders, otherPixelsGiveOtherRows) {
    const test::TemporaryFolder copy;
    fs::copy(folder(), copy.path(), fs::copy_options::recursive);
    std::ofstream(copy.file("preprocessor_config.json"))
        << R"({"image_mean": [0.5, 0.25, 0.5], "image_std": [0.5, 0.5, 0.5], "do_normalize": true})";
    const auto picture = encode(copy.path());
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_GT(farthest(picture->rows, floats(folder() + "/rows.f32")), 0.01);
}

TEST_P(VisionFolders, aTensorThatNobodyKnowsIsNamed) {
    const test::TemporaryFolder copy;
    fs::copy(folder(), copy.path(), fs::copy_options::recursive);
    std::string weights = test::readBytes(copy.file("model.safetensors"));
    size_t at = weights.npos;
    for (const char* name : {"layer_norm2.weight", "ffn_norm.weight", "layernorm_after.weight",
                             "self_attn.q_proj.linear.weight", "norm2.weight"})
        if (at == weights.npos) at = weights.find(name);
    ASSERT_NE(at, weights.npos);
    weights.replace(at, 4, "form");
    std::ofstream(copy.file("model.safetensors"), std::ios::binary) << weights;
    const auto picture = encode(copy.path());
    ASSERT_FALSE(picture);
    EXPECT_NE(picture.error().message.find("has no use for the tensor"), std::string::npos)
        << picture.error().message;
}

INSTANTIATE_TEST_SUITE_P(All, VisionFolders,
                         testing::Values("gemma3", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe",
                                         "idefics3", "smolvlm", "pixtral", "mistral3", "llava", "llava_next",
                                         "internvl", "gemma4"),
                         [](const auto& tried) { return test::nameOfType(tried.param); });

/// The picture of a folder with this preprocessor_config.json.
Result<EncodedPicture> encodeWith(const std::string& model, const std::string& pixels) {
    const test::TemporaryFolder copy;
    fs::copy(INGLE_SOURCE_DIR "/tests/vectors/vision/" + model, copy.path(), fs::copy_options::recursive);
    std::ofstream(copy.file("preprocessor_config.json")) << pixels;
    INGLE_TRY_ASSIGN(const auto encoder,
                     PictureEncoder::load(copy.path(), test::exactOptions(""), std::nullopt));
    return encoder->encode(test::readPng(copy.file("picture.png")));
}
/// … and how many tokens it takes.
Result<uint32_t> tokensWith(const std::string& model, const std::string& pixels) {
    INGLE_TRY_ASSIGN(const EncodedPicture picture, encodeWith(model, pixels));
    return picture.numRows();
}

/// 140 × 84 pixels are 15 tokens of 28 × 28.
TEST(VisionFolderSizes, limitsOfPixelsAreObeyed) {
    EXPECT_EQ(tokensWith("qwen2_vl", "{}").value(), 15u);
    EXPECT_EQ(tokensWith("qwen2_vl", R"({"max_pixels": 4704})").value(), 3u);
    EXPECT_EQ(tokensWith("qwen2_vl", R"({"min_pixels": 23520, "max_pixels": 50000})").value(), 40u);
    EXPECT_EQ(tokensWith("qwen2_vl", R"({"size": {"shortest_edge": 784, "longest_edge": 4704}})").value(),
              3u);
    EXPECT_EQ(tokensWith("pixtral", R"({"size": {"longest_edge": 48}})").value(), 4u * 6u + 3u);
    EXPECT_EQ(tokensWith("gemma4", R"({"max_soft_tokens": 2})").value(), 2u);
    EXPECT_EQ(tokensWith("internvl", R"({"max_patches": 1})").value(), 16u);
    EXPECT_EQ(tokensWith("idefics3", R"({"do_image_splitting": false})").value(), 16u);
    // A limit need not be whole tokens.
    EXPECT_EQ(tokensWith("qwen2_vl", R"({"min_pixels": 11760})").value(), 15u);
    EXPECT_EQ(tokensWith("qwen2_vl", R"({"min_pixels": 11800})").value(), 24u);
    const auto hostile = tokensWith("qwen2_vl", R"({"min_pixels": 4000000000})");
    ASSERT_FALSE(hostile);
    EXPECT_EQ(hostile.error().code, ErrorCode::Corrupt);
    EXPECT_FALSE(tokensWith("gemma4", R"({"max_soft_tokens": 0})"));
    EXPECT_FALSE(tokensWith("llava", R"({"size": {"shortest_edge": 1000000}})"));
}

/// What transformers 5 writes for a whole processor.
TEST(VisionFolderSizes, aProcessorsFileIsReadWhereThereIsNoOther) {
    const test::TemporaryFolder copy;
    fs::copy(INGLE_SOURCE_DIR "/tests/vectors/vision/qwen2_vl", copy.path(), fs::copy_options::recursive);
    fs::remove(copy.file("preprocessor_config.json"));
    std::ofstream(copy.file("processor_config.json"))
        << R"({"image_processor": {"size": {"shortest_edge": 784, "longest_edge": 4704}}})";
    const auto encoder = PictureEncoder::load(copy.path(), test::exactOptions(""), std::nullopt);
    ASSERT_TRUE(encoder) << encoder.error().message;
    EXPECT_EQ((*encoder)->encode(test::readPng(copy.file("picture.png")))->numRows(), 3u);
}

/// Null is what an absent key is, and so is the value that the family has anyway.
TEST(VisionFolderPixels, whatChangesNothingIsAccepted) {
    constexpr const char* kNulls =
        R"({"do_resize": null, "resample": null, "do_rescale": null, "rescale_factor": null, "size": null,
            "do_normalize": null, "image_mean": null, "image_std": null, "crop_size": null,
            "do_pan_and_scan": null, "crop_to_patches": null, "do_center_crop": null, "do_pad": null,
            "min_pixels": null, "max_pixels": null, "min_patches": null, "max_patches": null,
            "do_image_splitting": null, "max_soft_tokens": null, "image_grid_pinpoints": null})";
    for (const char* model : {"gemma3", "qwen2_vl", "qwen3_vl", "idefics3", "pixtral", "mistral3", "llava",
                              "llava_next", "internvl"}) {
        const auto none = encodeWith(model, "{}"), nulls = encodeWith(model, kNulls);
        ASSERT_TRUE(none) << model << ": " << none.error().message;
        ASSERT_TRUE(nulls) << model << ": " << nulls.error().message;
        EXPECT_EQ(none->rows, nulls->rows) << model;
    }
    struct Case {
        const char *model, *pixels;
    };
    constexpr const char* kUsual =
        R"("do_resize": true, "do_rescale": true, "rescale_factor": 0.00392156862745098)";
    const Case cases[] = {
        {"gemma3", R"("resample": 2, "size": {"height": 64, "width": 64}, "do_pan_and_scan": false)"},
        {"gemma3", R"("size": 64, "do_normalize": true)"},
        {"qwen2_vl", R"("resample": 3, "patch_size": 14, "merge_size": 2, "min_pixels": 3136)"},
        {"qwen2_vl", R"("min_pixels": 3136, "max_pixels": 1003520,
                         "size": {"min_pixels": 3136, "max_pixels": 1003520})"},
        {"qwen3_vl", R"("patch_size": 16, "size": {"shortest_edge": 3136, "longest_edge": 1003520})"},
        {"idefics3",
         R"("resample": 1, "size": {"longest_edge": 256}, "max_image_size": {"longest_edge": 64})"},
        {"pixtral",
         R"("resample": 3, "size": {"longest_edge": 1024}, "patch_size": {"height": 8, "width": 8})"},
        {"llava",
         R"("resample": 3, "size": {"shortest_edge": 64}, "crop_size": {"height": 64, "width": 64})"},
        {"llava", R"("size": 64, "crop_size": 64, "do_center_crop": true)"},
        {"llava_next", R"("size": {"shortest_edge": 64}, "crop_size": {"height": 64, "width": 64},
                           "image_grid_pinpoints": [[64, 128], [128, 64], [128, 128]])"},
        {"llava_next", R"("size": {"height": 64, "width": 64}, "crop_size": 64)"},
        {"internvl", R"("resample": 3, "size": {"height": 64, "width": 64}, "crop_to_patches": true)"},
        {"internvl", R"("size": 64, "crop_to_patches": false, "min_patches": 1, "max_patches": 12)"},
    };
    for (const Case& tried : cases) {
        const auto none = encodeWith(tried.model, "{}");
        const auto stated = encodeWith(tried.model, "{" + std::string(kUsual) + ", " + tried.pixels + "}");
        ASSERT_TRUE(none) << tried.model << ": " << none.error().message;
        ASSERT_TRUE(stated) << tried.pixels << ": " << stated.error().message;
        EXPECT_EQ(none->rows, stated->rows) << tried.pixels;
    }
    EXPECT_EQ(tokensWith("gemma4", R"({"max_soft_tokens": 8, "resample": 3, "patch_size": 8,
                                       "pooling_kernel_size": 3, "do_normalize": false})")
                  .value(),
              8u);
}

TEST(VisionFolderPixels, whatWouldChangeThemIsRefusedByName) {
    struct Case {
        const char *model, *pixels, *named;
    };
    const Case cases[] = {
        {"gemma3", R"("resample": 3)", "resample"},
        {"gemma3", R"("do_pan_and_scan": true)", "do_pan_and_scan"},
        {"gemma3", R"("size": {"height": 32, "width": 64})", "size.height"},
        {"gemma3", R"("size": {"height": 64, "width": 32})", "size.width"},
        {"gemma3", R"("size": {"shortest_edge": 64})", "size.shortest_edge"},
        {"gemma3", R"("size": 32)", "'size'"},
        {"gemma3", R"("size": [64, 64])", "'size'"},
        {"gemma3", R"("rescale_factor": 0)", "rescale_factor"},
        {"gemma4", R"("resample": 2)", "resample"},
        {"gemma4", R"("patch_size": 16)", "patch_size"},
        {"gemma4", R"("pooling_kernel_size": 2)", "pooling_kernel_size"},
        {"qwen2_vl", R"("do_resize": false)", "do_resize"},
        {"qwen2_vl", R"("resample": 0)", "resample"},
        {"qwen2_vl", R"("size": {"height": 56, "width": 56})", "size.height"},
        {"qwen2_vl", R"("size": {"min_pixels": 3136})", "size.min_pixels"},
        {"qwen2_vl", R"("size": 56)", "'size'"},
        {"qwen2_vl", R"("patch_size": 7)", "patch_size"},
        {"qwen3_vl", R"("merge_size": 1)", "merge_size"},
        {"idefics3", R"("resample": 3)", "resample"},
        {"idefics3", R"("size": {"height": 64, "width": 64})", "size.height"},
        {"idefics3", R"("max_image_size": {"height": 64, "width": 64})", "max_image_size.height"},
        {"smolvlm", R"("size": 64)", "'size'"},
        {"pixtral", R"("resample": 2)", "resample"},
        {"pixtral", R"("size": {"height": 64, "width": 64})", "size.height"},
        {"mistral3", R"("size": 64)", "'size'"},
        {"llava", R"("resample": 2)", "resample"},
        {"llava", R"("do_center_crop": false)", "do_center_crop"},
        {"llava", R"("crop_size": {"height": 32, "width": 64})", "crop_size.height"},
        {"llava", R"("crop_size": 32)", "'crop_size'"},
        {"llava", R"("size": {"height": 64, "width": 64})", "size.height"},
        {"llava", R"("do_pad": true, "size": {"shortest_edge": 128})", "size.shortest_edge"},
        {"llava_next", R"("size": {"shortest_edge": 32})", "size.shortest_edge"},
        {"llava_next", R"("crop_size": {"height": 32, "width": 32})", "crop_size.height"},
        {"llava_next", R"("image_grid_pinpoints": [[64, 128]])", "image_grid_pinpoints"},
        {"internvl", R"("resample": 1)", "resample"},
        {"internvl", R"("size": {"height": 32, "width": 32})", "size.height"},
        {"internvl", R"("do_resize": false)", "do_resize"},
    };
    for (const Case& tried : cases) {
        const auto picture = encodeWith(tried.model, "{" + std::string(tried.pixels) + "}");
        ASSERT_FALSE(picture) << tried.model << ": " << tried.pixels;
        EXPECT_NE(picture.error().message.find(tried.named), std::string::npos) << picture.error().message;
    }
}

/// do_rescale, rescale_factor and do_normalize are other means and deviations.
TEST(VisionFolderPixels, scalesAndNormalisationAreObeyed) {
    struct Case {
        const char *model, *pixels, *same;
    };
    const Case cases[] = {
        {"gemma3", R"({"do_normalize": false})", R"({"image_mean": [0, 0, 0], "image_std": [1, 1, 1]})"},
        {"gemma3",
         R"({"rescale_factor": 0.00784313725490196, "image_mean": [1, 1, 1], "image_std": [1, 1, 1]})", "{}"},
        {"qwen2_vl", R"({"do_rescale": false, "image_mean": [51, 102, 153], "image_std": [255, 127.5, 255]})",
         R"({"image_mean": [0.2, 0.4, 0.6], "image_std": [1, 0.5, 1]})"},
        {"gemma4", R"({"max_soft_tokens": 8, "image_mean": [0.5, 0.25, 0.5], "image_std": [0.5, 0.5, 0.5]})",
         R"({"max_soft_tokens": 8})"},
    };
    for (const Case& tried : cases) {
        const auto picture = encodeWith(tried.model, tried.pixels),
                   same = encodeWith(tried.model, tried.same);
        ASSERT_TRUE(picture) << picture.error().message;
        ASSERT_TRUE(same) << same.error().message;
        EXPECT_LE(farthest(picture->rows, same->rows), kMostOfOwnRows) << tried.pixels;
    }
}

}  // namespace
}  // namespace ingle
