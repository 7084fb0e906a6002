/// Pixels, embeddings and logits of another engine, type by type: ../shared/golden/vision. Where that
/// deviates from the models' own code, the numbers of that (embd_reference).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "engine/io/source.h"
#include "engine/session/devices/backends.h"
#include "engine/vision/encoder.h"
#include "engine/vision/family.h"
#include "ingle/pictures.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/engine/vision/golden_pictures.h"
#include "tests/every_case.h"

namespace ingle {
namespace {

using nlohmann::json;

constexpr double kMostOfRows = 5e-5;
constexpr double kMostOfLogits = 2e-4;
constexpr double kMostNoise = 1e-4;

using test::exactOptions;
using test::floatsOf;
using test::picturesOf;
using test::tokensOf;

std::filesystem::path folder() {
    return test::visionFolder();
}

double largestDifference(const std::vector<float>& ours, const std::vector<float>& theirs) {
    if (ours.size() != theirs.size()) return INFINITY;
    double most = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
        const double difference = std::abs(double{ours[i]} - theirs[i]);
        if (!(difference <= most)) most = std::isnan(difference) ? INFINITY : difference;
    }
    return most;
}

/// The error's share of the energy.
double noiseIn(const std::vector<float>& ours, const std::vector<float>& theirs) {
    if (ours.size() != theirs.size()) return INFINITY;
    double error = 0, energy = 0;
    for (size_t i = 0; i < theirs.size(); ++i) {
        error += std::pow(double{ours[i]} - theirs[i], 2);
        energy += std::pow(double{theirs[i]}, 2);
    }
    return error / energy;
}

/// A type of vision files, on the processor or a device.
using TypeOnBackend = std::tuple<const char*, BackendChoice>;

class GoldenVision : public testing::TestWithParam<TypeOnBackend> {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no golden vectors in " << folder();
        m_entries = test::sidecarsOf(type());
        ASSERT_FALSE(m_entries.empty());
        if (!onDevice()) return;
        const test::VulkanDevices devices;
        if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
        m_device = devices.name();
    }

    std::string type() const { return std::get<0>(GetParam()); }
    /// On a device only some, unless all cases are tried: software takes seconds for each.
    bool isLeftOut(const std::string& entry, const char* usual) const {
        return onDevice() && entry != usual && !test::triesEveryCase();
    }
    bool onDevice() const { return std::get<1>(GetParam()) == BackendChoice::Vulkan; }
    LoadOptions options() const {
        LoadOptions options = exactOptions(type());
        options.backend = std::get<1>(GetParam());
        options.device = m_device;
        return options;
    }
    /// The processor's are the other engine's to `most`; a device's are near.
    void expectTheOthers(const std::vector<float>& ours, const std::vector<float>& theirs,
                         double most) const {
        if (onDevice())
            EXPECT_LE(noiseIn(ours, theirs), kMostNoise);
        else
            EXPECT_LE(largestDifference(ours, theirs), most);
    }

    std::vector<EncodedPicture> encode(const json& sidecar) const {
        const auto encoder = PictureEncoder::load(folder() / sidecar["mmproj"].get<std::string>(), options(),
                                                  tokensOf(sidecar));
        std::vector<EncodedPicture> encoded;
        if (!encoder) ADD_FAILURE() << encoder.error().message;
        if (!encoder) return encoded;
        for (const Picture& picture : picturesOf(sidecar)) {
            auto one = (*encoder)->encode(picture);
            if (!one) ADD_FAILURE() << one.error().message;
            if (one) encoded.push_back(*std::move(one));
        }
        EXPECT_EQ((*encoder)->note(), "");
        return encoded;
    }

    std::map<std::string, json> m_entries;

  private:
    std::string m_device;
};

TEST_P(GoldenVision, pixelsAndRowsAreTheOthers) {
    for (const auto& [entry, sidecar] : m_entries) {
        if (isLeftOut(entry, "shapes")) continue;
        SCOPED_TRACE(entry);
        std::vector<float> rows;
        std::string pixels;
        std::vector<std::pair<uint32_t, uint32_t>> sizes, expected;
        std::vector<uint32_t> counts, expectedCounts;
        for (const EncodedPicture& picture : encode(sidecar)) {
            rows.insert(rows.end(), picture.rows.begin(), picture.rows.end());
            pixels.append(picture.pixels.begin(), picture.pixels.end());
            for (const PictureTile& tile : picture.tiles) {
                sizes.emplace_back(tile.width, tile.height);
                counts.push_back(tile.numRows);
            }
        }
        for (const json& chunk : sidecar["chunks"]) {
            if (chunk["type"] != "image") continue;
            for (const json& size : chunk["pixels"]) expected.emplace_back(size["width"], size["height"]);
            expectedCounts.push_back(chunk["n_tokens"]);
        }
        EXPECT_EQ(sizes, expected);
        EXPECT_EQ(counts, expectedCounts);
        if (sidecar.contains("pixels_u8") && sidecar["pixels_u8"].is_string()) {
            EXPECT_TRUE(pixels == test::readBytes(folder() / sidecar["pixels_u8"].get<std::string>()));
        }
        const char* key = sidecar.contains("embd_reference") ? "embd_reference" : "embd";
        const std::vector<float> theirs = floatsOf(sidecar, key);
        if (theirs.empty()) continue;
        expectTheOthers(rows, theirs, kMostOfRows);
    }
}

TEST_P(GoldenVision, logitsAreTheOthersWholeAndInChunks) {
    // The others' text models read pictures as plainly as Llama 4's.
    constexpr std::string_view kTextsOnDevice[] = {"qwen3vl", "gemma3", "gemma4v-ple", "llama4"};
    const bool isUsual = std::ranges::find(kTextsOnDevice, type()) != std::end(kTextsOnDevice);
    if (onDevice() && !isUsual && !test::triesEveryCase()) GTEST_SKIP() << "`./dev soak` tries all";
    for (const auto& [entry, sidecar] : m_entries) {
        const std::vector<float> theirs = floatsOf(sidecar, "logits");
        if (theirs.empty() || isLeftOut(entry, "two")) continue;
        SCOPED_TRACE(entry);
        const auto pictures = test::encodedPictures(m_entries, sidecar, type());
        LoadOptions options = this->options();
        options.visionFile = folder() / sidecar["mmproj"].get<std::string>();
        for (const uint32_t chunk : {0U, 3U}) {
            std::vector<float> ours;
            const Status status = logitsWithPictures(
                folder() / sidecar["text_model"].get<std::string>(), options,
                sidecar["prompt"].get<std::string>(), pictures, chunk,
                [&](std::span<const float> row) { ours.insert(ours.end(), row.begin(), row.end()); });
            ASSERT_TRUE(status) << status.error().message;
            SCOPED_TRACE(chunk);
            expectTheOthers(ours, theirs, kMostOfLogits);
        }
    }
}

std::string nameOfTry(const testing::TestParamInfo<TypeOnBackend>& tried) {
    const auto& [type, backend] = tried.param;
    return test::nameOfType(type) + (backend == BackendChoice::Vulkan ? "_vulkan" : "_cpu");
}

INSTANTIATE_TEST_SUITE_P(Types, GoldenVision,
                         testing::Combine(testing::ValuesIn(test::kVisionTypes),
                                          testing::Values(BackendChoice::Cpu, BackendChoice::Vulkan)),
                         nameOfTry);

/// The same weights in half precision: the error's share of the rows' energy.
TEST(GoldenVisionInHalves, rowsAreNear) {
    if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no golden vectors in " << folder();
    const auto encoder =
        PictureEncoder::load(folder() / "gemma3.f16.mmproj.gguf", exactOptions("gemma3"), std::nullopt);
    ASSERT_TRUE(encoder) << encoder.error().message;
    const auto encoded = (*encoder)->encode(test::readPng(folder() / "shapes.png"));
    ASSERT_TRUE(encoded) << encoded.error().message;
    EXPECT_LE(noiseIn(encoded->rows, test::readFloats(folder() / "gemma3-shapes.embd.bin")), kMostNoise);
}

/// What a mistake in a tower costs.
class WrongTower : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no golden vectors in " << folder();
    }

    /// The largest difference of the rows of "shapes" from the other engine's, with a tower that `change`
    /// changed.
    template <typename Change>
    double differenceOf(const std::string& type, const Change& change) {
        const json sidecar = test::readJson(folder() / (type + "-shapes.json"));
        auto source = io::Source::open(folder() / sidecar["mmproj"].get<std::string>());
        auto file = formats::openModelFile(*source);
        auto tower = vision::bindTower(*file, tokensOf(sidecar));
        EXPECT_TRUE(tower) << tower.error().message;
        change(tower->spec);
        const auto backend = session::createProcessor(exactOptions(type));
        auto encoder = vision::TowerEncoder::create(tower->spec, tower->weights, **backend);
        EXPECT_TRUE(encoder) << encoder.error().message;
        const auto encoded = (*encoder)->encode(picturesOf(sidecar)[0]);
        EXPECT_TRUE(encoded) << encoded.error().message;
        return largestDifference(encoded->rows, floatsOf(sidecar, "embd"));
    }
};

TEST_F(WrongTower, rightOnesAreTold) {
    const auto nothing = [](vision::TowerSpec&) {};
    for (const char* type : {"qwen3vl", "qwen2.5vl", "gemma3", "pixtral"})
        EXPECT_LE(differenceOf(type, nothing), kMostOfRows) << type;
}

TEST_F(WrongTower, mergesInAnotherOrderAreTold) {
    const auto byChannel = [](vision::TowerSpec& spec) { spec.join = vision::Join::ChannelByChannel; };
    const auto byPatch = [](vision::TowerSpec& spec) { spec.join = vision::Join::PatchByPatch; };
    const auto columnsFirst = [](vision::TowerSpec& spec) { spec.areColumnsFirst = true; };
    EXPECT_GT(differenceOf("qwen3vl", byChannel), 0.1);
    EXPECT_GT(differenceOf("pixtral", byPatch), 0.1);
    EXPECT_GT(differenceOf("qwen3vl", columnsFirst), 0.1);
}

TEST_F(WrongTower, filtersAndPositionsAndWindowsAreTold) {
    EXPECT_GT(differenceOf("qwen3vl",
                           [](vision::TowerSpec& spec) {
                               spec.cutter = vision::inUnits({32, {8, 4096}}, {vision::Filter::Bilinear}, {});
                           }),
              1e-3);
    EXPECT_GT(differenceOf("qwen3vl",
                           [](vision::TowerSpec& spec) { spec.positions = vision::Positions::HalfPixels; }),
              0.1);
    EXPECT_GT(differenceOf("qwen2.5vl", [](vision::TowerSpec& spec) { spec.windows.reset(); }), 0.1);
    EXPECT_GT(differenceOf("qwen3vl",
                           [](vision::TowerSpec& spec) {
                               for (uint8_t& axis : spec.rope->axes)
                                   axis = axis == vision::kLineAxis ? vision::kColumnAxis : vision::kLineAxis;
                           }),
              0.1);
}

}  // namespace
}  // namespace ingle
