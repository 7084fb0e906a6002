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
        << R"({"image_mean": [0.5, 0.25, 0.5], "image_std": [0.5, 0.5, 0.5]})";
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

/// How many tokens the picture of a folder takes with this preprocessor_config.json.
Result<uint32_t> tokensWith(const std::string& model, const std::string& pixels) {
    const test::TemporaryFolder copy;
    fs::copy(INGLE_SOURCE_DIR "/tests/vectors/vision/" + model, copy.path(), fs::copy_options::recursive);
    std::ofstream(copy.file("preprocessor_config.json")) << pixels;
    INGLE_TRY_ASSIGN(const auto encoder,
                     PictureEncoder::load(copy.path(), test::exactOptions(""), std::nullopt));
    INGLE_TRY_ASSIGN(const EncodedPicture picture, encoder->encode(test::readPng(copy.file("picture.png"))));
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

}  // namespace
}  // namespace ingle
