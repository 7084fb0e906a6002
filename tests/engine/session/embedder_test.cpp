/// Embeddings: those of other engines, the same alone and beside other texts, and what cannot be embedded.
#include "engine/session/conversations/embedder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using Texts = std::vector<std::vector<TokenId>>;

LoadOptions exact() {
    LoadOptions options;
    options.backend = BackendChoice::Cpu;
    options.kv = KvType::F32;
    options.activations = ActivationType::F32;
    return options;
}

/// Largest difference of the golden rows and ours, over all texts of an entry.
double differenceFromGolden(Embedder& embedder, const nlohmann::json& sidecar,
                            const std::filesystem::path& folder) {
    Texts texts;
    for (const auto& input : sidecar["inputs"]) texts.push_back(input["tokens"].get<std::vector<TokenId>>());
    const std::vector<float> golden = test::readFloats(folder / sidecar["pooled"].get<std::string>());
    const auto embeddings = embedder.embed(texts);
    if (!embeddings) {
        ADD_FAILURE() << embeddings.error().message;
        return INFINITY;
    }
    double most = 0;
    size_t at = 0;
    for (const Embedding& embedding : *embeddings) {
        for (const float value : embedding.values) {
            const double difference = std::abs(double{value} - golden.at(at++));
            most = difference <= most ? most : difference;
        }
    }
    EXPECT_EQ(at, golden.size());
    return most;
}

using Load = std::function<Result<std::unique_ptr<Embedder>>(const std::string& path)>;

void compareWithGolden(const Load& load) {
    const std::filesystem::path folder = test::goldenRoot() / "embed";
    int numCompared = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".json") continue;
        const nlohmann::json sidecar = test::readJson(file.path());
        if (!sidecar.contains("arch") || sidecar["arch"] != "bert") continue;
        SCOPED_TRACE(file.path().filename());
        const auto embedder = load((folder / sidecar["model"].get<std::string>()).string());
        ASSERT_TRUE(embedder) << embedder.error().message;
        const double most = differenceFromGolden(**embedder, sidecar, folder);
        EXPECT_LE(most, sidecar["suggested_max_abs_diff"].get<double>());
        if (sidecar["inputs"][0].contains("text")) {
            EXPECT_EQ((*embedder)->tokenize(sidecar["inputs"][0]["text"].get<std::string>()).value(),
                      sidecar["inputs"][0]["tokens"].get<std::vector<TokenId>>());
        }
        ++numCompared;
    }
    EXPECT_EQ(numCompared, 4);
}

TEST(GoldenEmbeddings, cpu) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    compareWithGolden([](const std::string& path) { return Embedder::load(path, exact(), nullptr); });
}

TEST(GoldenEmbeddings, vulkan) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    // Nearly all of the time is the driver's compiling of kernels, each entry's by itself.
    if (!test::triesEveryCase()) GTEST_SKIP() << "only in the soak";
    test::VulkanDevices devices;
    if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
    LoadOptions options = exact();
    options.backend = BackendChoice::Vulkan;
    const auto load = [&](const std::string& path) -> Result<std::unique_ptr<Embedder>> {
        INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
        INGLE_TRY_ASSIGN(auto model, session::Model::load(source, options, nullptr, devices.sharedFactory()));
        EXPECT_EQ(model->info().backend, "vulkan") << model->info().deviceNote;
        return session::createEmbedder(std::move(model));
    };
    compareWithGolden(load);
    devices.expectNoComplaints();
}

class Embeddings : public testing::Test {
  protected:
    std::string synth(const std::string& family) {
        const std::string path = m_folder.file(family + ".gguf");
        EXPECT_TRUE(lab::writeSynthModel({.family = family}, path));
        return path;
    }
    static std::vector<TokenId> text(uint32_t length, TokenId seed) {
        std::vector<TokenId> ids;
        for (uint32_t i = 0; i < length; ++i) ids.push_back((static_cast<TokenId>(i) * 37 + seed * 11) % 320);
        return ids;
    }
    static std::vector<std::vector<float>> valuesOf(const Result<std::vector<Embedding>>& embeddings) {
        EXPECT_TRUE(embeddings) << embeddings.error().message;
        std::vector<std::vector<float>> values;
        for (const Embedding& embedding : *embeddings) values.push_back(embedding.values);
        return values;
    }
    test::TemporaryFolder m_folder;
};

TEST_F(Embeddings, aTextAloneHasTheBitsOfOneAmongOthers) {
    const auto embedder = Embedder::load(synth("bert"), {}, nullptr).value();
    Texts texts;
    for (TokenId i = 0; i < 12; ++i) texts.push_back(text(1 + static_cast<uint32_t>(i) * 13 % 80, i));
    const auto together = valuesOf(embedder->embed(texts));
    ASSERT_EQ(together.size(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
        const auto alone = valuesOf(embedder->embed({&texts[i], 1}));
        EXPECT_EQ(alone[0], together[i]) << i;
        EXPECT_EQ(alone[0].size(), 64);
    }
    EXPECT_NE(together[3], together[4]);
}

/// Each text has a page of its own, however short it is.
TEST_F(Embeddings, manyShortTextsFitAShortContext) {
    const auto embedder = Embedder::load(synth("bert"), {.contextTokens = 32}, nullptr).value();
    Texts texts;
    for (TokenId i = 0; i < 8; ++i) texts.push_back(text(4, i));
    const auto embeddings = embedder->embed(texts);
    ASSERT_TRUE(embeddings) << embeddings.error().message;
    EXPECT_EQ(embeddings->size(), 8U);
}

TEST_F(Embeddings, everyTokenSeesEveryOther) {
    const auto embedder = Embedder::load(synth("bert"), {}, nullptr).value();
    std::vector<TokenId> changed = text(100, 1);
    changed[99] = (changed[99] + 1) % 320;
    const Texts texts{text(100, 1), changed, text(99, 1)};
    const auto values = valuesOf(embedder->embed(texts));
    EXPECT_NE(values[0], values[1]);
    EXPECT_NE(values[0], values[2]);
}

TEST_F(Embeddings, whatCannotBeEmbeddedIsNamed) {
    const auto embedder = Embedder::load(synth("bert"), {}, nullptr).value();
    const auto refusal = [&](const std::vector<TokenId>& ids) {
        const auto embeddings = embedder->embed({&ids, 1});
        return embeddings ? std::string("it was embedded") : embeddings.error().message;
    };
    EXPECT_EQ(refusal({}), "a text of 0 tokens, where 1 to 256 can be read");
    EXPECT_EQ(refusal(text(257, 1)), "a text of 257 tokens, where 1 to 256 can be read");
    EXPECT_EQ(refusal({320}), "token 320 is outside the vocabulary of 320");
    // It goes on.
    EXPECT_EQ(valuesOf(embedder->embed(Texts{text(256, 1)})).size(), 1);
}

TEST_F(Embeddings, writersAndEncodersAreToldApart) {
    const auto writer = Embedder::load(synth("llama"), {}, nullptr);
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code, ErrorCode::Unsupported);
    EXPECT_NE(writer.error().message.find("the model writes text"), std::string::npos);
    const auto encoder = Engine::load(synth("bert"), {}, nullptr);
    ASSERT_FALSE(encoder);
    EXPECT_EQ(encoder.error().code, ErrorCode::Unsupported);
    EXPECT_NE(encoder.error().message.find("ingle embed"), std::string::npos);
}

}  // namespace
}  // namespace ingle
