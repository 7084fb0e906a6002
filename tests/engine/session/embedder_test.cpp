/// Embeddings: those of other engines, the same alone and beside other texts, and what cannot be embedded.
#include "engine/session/conversations/embedder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/golden.h"
#include "tests/opened.h"
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
        if (!sidecar.contains("arch") || sidecar["arch"] == "t5encoder") continue;  // with relative positions
        SCOPED_TRACE(file.path().filename());
        const auto embedder = load((folder / sidecar["model"].get<std::string>()).string());
        ASSERT_TRUE(embedder) << embedder.error().message;
        const double most = differenceFromGolden(**embedder, sidecar, folder);
        EXPECT_LE(most, sidecar["suggested_max_abs_diff"].get<double>());
        if (sidecar["inputs"][0].contains("text")) {
            EXPECT_EQ((*embedder)
                          ->tokenize(sidecar["inputs"][0]["text"].get<std::string>(), TextUse::Alone)
                          .value(),
                      sidecar["inputs"][0]["tokens"].get<std::vector<TokenId>>());
        }
        ++numCompared;
    }
    EXPECT_EQ(numCompared, 17);
}

TEST(GoldenEmbeddings, cpu) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    compareWithGolden([](const std::string& path) { return Embedder::load(path, exact(), nullptr); });
}

/// A question and a document: the tokens of both, with one separator between.
TEST(GoldenEmbeddings, pairs) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    const std::filesystem::path folder = test::goldenRoot() / "embed";
    const auto tokens = [](const Embedder& embedder, const char* text) {
        return embedder.tokenize(text, TextUse::Alone).value();
    };
    const auto reranker = Embedder::load((folder / "bert_rerank.gguf").string(), exact(), nullptr).value();
    EXPECT_TRUE(reranker->isClassifier());
    std::vector<TokenId> both = tokens(*reranker, "Hello world");
    const std::vector<TokenId> behind = tokens(*reranker, "the cat");
    both.insert(both.end(), behind.begin() + 1, behind.end());
    EXPECT_EQ(reranker->tokenizePair("Hello world", "the cat").value(), both);
    // Of a document that is too long, the beginning.
    std::string longer;
    for (int i = 0; i < 200; ++i) longer += "the cat ";
    const std::vector<TokenId> cut = reranker->tokenizePair("Hello world", longer).value();
    EXPECT_LE(cut.size(), reranker->maxTokens());
    EXPECT_GE(cut.size() + 8, reranker->maxTokens());
    EXPECT_EQ(cut.back(), both.back());
    const auto tooLong = reranker->tokenizePair(longer, "Hello world");
    ASSERT_FALSE(tooLong);
    EXPECT_EQ(tooLong.error().code, ErrorCode::InvalidArgument);
    EXPECT_TRUE(tooLong.error().message.starts_with("the query is too long: ")) << tooLong.error().message;
    const auto embedder = Embedder::load((folder / "bert_mean.gguf").string(), exact(), nullptr).value();
    EXPECT_FALSE(embedder->isClassifier());
    EXPECT_NE(embedder->tokenizePair("a", "b").error().message.find("scores no pairs"), std::string::npos);
}

/// Some models were trained with words in front of texts, and some with an end behind them.
TEST(GoldenEmbeddings, wordsAroundTexts) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    const std::filesystem::path folder = test::goldenRoot() / "embed";
    const auto load = [&](const char* name) {
        return Embedder::load((folder / name).string(), exact(), nullptr).value();
    };
    const auto tokens = [](const Embedder& embedder, const char* text, TextUse use) {
        return embedder.tokenize(text, use).value();
    };
    const auto plain = load("bert_mean.gguf"), nomic = load("nomic_bert.gguf");
    EXPECT_EQ(tokens(*plain, "Hello", TextUse::Query), tokens(*plain, "Hello", TextUse::Alone));
    EXPECT_EQ(tokens(*nomic, "Hello", TextUse::Query), tokens(*plain, "search_query: Hello", TextUse::Alone));
    EXPECT_EQ(tokens(*nomic, "Hello", TextUse::Document),
              tokens(*plain, "search_document: Hello", TextUse::Alone));
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

/// Where no token sees those behind it: the rows are those of any other pieces.
TEST_F(Embeddings, aLongTextIsReadInPieces) {
    const std::string path = m_folder.file("long.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "qwen3", .sizes = {.context = 1024}, .quant = "F32"}, path));
    const auto pooled = [&](const char* pooling) {
        LoadOptions options = exact();
        options.overrides = {{"pooling_type", pooling}};
        return options;
    };
    const Texts texts{text(700, 1), text(20, 2)};
    const auto model = session::Model::load(test::opened(path), pooled("3"), nullptr).value();
    const std::vector<float> rows = test::logitsInChunks(*model, texts[0], 64);
    const auto last = valuesOf(Embedder::load(path, pooled("3"), nullptr).value()->embed(texts));
    EXPECT_EQ(last[0], std::vector<float>(rows.end() - 64, rows.end()));
    std::vector<float> mean(rows.begin(), rows.begin() + 64);
    for (size_t i = 64; i < rows.size(); ++i) mean[i % 64] += rows[i];
    for (float& value : mean) value /= 700;
    EXPECT_EQ(valuesOf(Embedder::load(path, pooled("1"), nullptr).value()->embed(texts))[0], mean);
}

/// Converters write -1 for models that write.
TEST_F(Embeddings, aPoolingThatIsLeftOpenIsNone) {
    const std::string path = m_folder.file("open.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "F32"}, path));
    LoadOptions options = exact();
    options.overrides = {{"pooling_type", "4294967295"}};
    const auto model = session::Model::load(test::opened(path), options, nullptr);
    EXPECT_TRUE(model) << model.error().message;
    options.overrides = {{"pooling_type", "9"}};
    EXPECT_FALSE(session::Model::load(test::opened(path), options, nullptr));
}

/// All of it at once, though a usual step takes fewer tokens.
TEST_F(Embeddings, aLongTextWhoseTokensSeeEachOtherIsReadAtOnce) {
    const std::string path = m_folder.file("long.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "nomic-bert", .sizes = {.context = 1024}}, path));
    const auto embedder = Embedder::load(path, exact(), nullptr).value();
    std::vector<TokenId> changed = text(900, 1);
    changed[899] = (changed[899] + 1) % 320;
    const auto values = valuesOf(embedder->embed(Texts{text(900, 1), text(9, 2), changed}));
    EXPECT_NE(values[0], values[2]);
    EXPECT_EQ(valuesOf(embedder->embed(Texts{text(9, 2)}))[0], values[1]);
}

TEST_F(Embeddings, theFirstNumbersOfRows) {
    Embedding embedding{3, {1, 2, 3, 4, 5, 6}};
    ASSERT_TRUE(truncateRows(embedding, 2));
    EXPECT_EQ(embedding.values, (std::vector<float>{1, 2, 4, 5}));
    EXPECT_EQ(truncateRows(embedding, 3).error().message, "3 dimensions are wanted of 2");
    EXPECT_FALSE(truncateRows(embedding, 0));
}

TEST_F(Embeddings, howWellATextFits) {
    EXPECT_FLOAT_EQ(relevanceOf({1, {0}}).value(), 0.5F);
    EXPECT_FLOAT_EQ(relevanceOf({2, {0.75F, 0.25F}}).value(), 0.75F);
    EXPECT_EQ(relevanceOf({3, {1, 2, 3}}).error().message,
              "a classifier of 3 labels does not say how well a text fits");
}

TEST_F(Embeddings, writersAndEncodersAreToldApart) {
    const auto writer = Embedder::load(synth("llama"), {}, nullptr);
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(writer.error().message, m_folder.file("llama.gguf") +
                                          ": the model writes text; models that are trained to compare texts "
                                          "make embeddings, such as BGE and Qwen3-Embedding");
    const auto encoder = Engine::load(synth("bert"), {}, nullptr);
    ASSERT_FALSE(encoder);
    EXPECT_EQ(encoder.error().code, ErrorCode::Unsupported);
    EXPECT_NE(encoder.error().message.find("ingle embed"), std::string::npos);
}

}  // namespace
}  // namespace ingle
