/// The list of models that ships, and how it is read.
#include "app/library/catalog.h"
#include "app/library/display_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/temporary_folder.h"

namespace ingle::library {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kShipped = INGLE_SOURCE_DIR "/resources/models.json";

nlohmann::json shippedJson() {
    std::ifstream file(kShipped);
    return nlohmann::json::parse(file);
}

/// "2026-11-22" as days; nothing else is a date.
std::optional<std::chrono::sys_days> dateOf(const std::string& text) {
    int year = 0;
    unsigned month = 0, day = 0;
    if (text.size() != 10 || std::sscanf(text.c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3)
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                           std::chrono::day(day)};
    return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

TEST(ShippedCatalog, isReadAndDated) {
    const auto catalog = readCatalog(kShipped);
    ASSERT_TRUE(catalog) << catalog.error().message;
    EXPECT_GE(catalog->models.size(), 12U);
    EXPECT_TRUE(dateOf(catalog->asOf)) << catalog->asOf;
    std::set<std::string> names;
    for (const CatalogModel& model : catalog->models)
        EXPECT_TRUE(names.insert(model.name).second) << model.name;
}

TEST(ShippedCatalog, onlyFamiliesThatRunHere) {
    const auto models = readCatalog(kShipped)->models;
    for (const CatalogModel& model : models)
        EXPECT_TRUE(
            std::filesystem::exists(INGLE_SOURCE_DIR "/engine/models/families/" + model.family + ".cpp"))
            << model.name << ": " << model.family;
}

TEST(ShippedCatalog, everyFigureNamesItsSource) {
    const auto shipped = shippedJson();
    for (const auto& entry : shipped["models"]) {
        SCOPED_TRACE(entry["name"]);
        const auto& sources = entry.at("sources");
        for (const char* figure : {"licence", "parametersBillion", "fileGb"})
            EXPECT_TRUE(sources.contains(figure)) << figure;
        for (const char* figure : {"contextTokens", "sha256"})
            EXPECT_EQ(entry.contains(figure), sources.contains(figure)) << figure;
        for (const auto& [figure, source] : sources.items())
            EXPECT_TRUE(source.get<std::string>().starts_with("https://")) << figure;
        EXPECT_TRUE(entry.at("page").get<std::string>().starts_with("https://"));
    }
}

TEST(ShippedCatalog, everyComputerFindsSomethingForChatAndCode) {
    const auto models = readCatalog(kShipped)->models;
    for (const uint32_t gb : {4U, 8U, 16U, 32U}) {
        // What a computer sold with so much has, less what firmware and graphics take.
        const auto good = goodChoices(models, {static_cast<uint64_t>(gb * 0.93e9)}, 3);
        ASSERT_EQ(good.size(), 3U) << gb;
        EXPECT_EQ(good.back().memoryGb, gb);
        for (const CatalogModel& model : good) {
            EXPECT_LE(model.memoryGb, gb) << model.name;
            EXPECT_LT(model.fileGb, 0.7 * gb) << model.name << " leaves no room for a conversation";
        }
    }
    std::set<std::string> uses;
    bool isRecurrent = false;
    for (const CatalogModel& model : models) {
        uses.insert(model.use);
        isRecurrent |= model.family.starts_with("rwkv");
    }
    EXPECT_THAT(uses, ElementsAre("chat", "code", "embedding"));
    EXPECT_TRUE(isRecurrent);
}

TEST(ShippedCatalog, everyComputerOfTodayFindsSomethingPleasant) {
    const auto models = readCatalog(kShipped)->models;
    // Two cores read some 12 GB a second, a laptop of today 40 and more.
    for (const double gbPerSecond : {12.0, 40.0})
        for (const uint32_t gb : {4U, 8U, 16U, 32U}) {
            const ComputerSize computer{static_cast<uint64_t>(gb * 0.93e9),
                                        static_cast<uint64_t>(gbPerSecond * 1e9)};
            const auto good = goodChoices(models, computer, 3);
            ASSERT_EQ(good.size(), 3U) << gb << " GB, " << gbPerSecond << " GB/s";
            for (const CatalogModel& model : good)
                EXPECT_GE(foretoldSpeed(model, computer), kPleasantTokensPerSecond) << model.name;
        }
}

TEST(ShippedCatalog, namesAreThoseOfFilesThatCanBeOpened) {
    const auto models = readCatalog(kShipped)->models;
    for (const CatalogModel& model : models) {
        EXPECT_TRUE(model.file.ends_with(".gguf")) << model.file;
        EXPECT_LE(model.activeBillion, model.parametersBillion) << model.name;
    }
}

TEST(Catalog, choicesFollowTheMemory) {
    const std::vector<CatalogModel> models{{.name = "small", .memoryGb = 4},
                                           {.name = "middle", .memoryGb = 8},
                                           {.name = "code", .memoryGb = 8},
                                           {.name = "large", .memoryGb = 32}};
    const auto names = [&](double gb) {
        std::vector<std::string> chosen;
        for (const auto& model : goodChoices(models, {static_cast<uint64_t>(gb * 1e9)}, 3))
            chosen.push_back(model.name);
        return chosen;
    };
    EXPECT_THAT(names(64), ElementsAre("middle", "code", "large"));
    EXPECT_THAT(names(7.6), ElementsAre("small", "middle", "code"));
    EXPECT_THAT(names(4.1), ElementsAre("small"));
    EXPECT_THAT(names(2), ElementsAre());
    EXPECT_THAT(names(0), ElementsAre());
}

TEST(Catalog, whatWritesNothingIsNoChoiceForAChat) {
    const std::vector<CatalogModel> models{
        {.name = "finder", .use = "embedding", .memoryGb = 4, .fileGb = 0.6},
        {.name = "writer", .use = "chat", .memoryGb = 4, .fileGb = 1}};
    const auto good = goodChoices(models, {uint64_t{8'000'000'000}}, 3);
    ASSERT_EQ(good.size(), 1U);
    EXPECT_EQ(good.front().name, "writer");
}

TEST(Catalog, whatIsGoodIsPleasantHereTheSmallestFirst) {
    const std::vector<CatalogModel> models{
        {.name = "small", .memoryGb = 4, .fileGb = 1},
        {.name = "middle", .memoryGb = 8, .fileGb = 5},
        {.name = "large", .memoryGb = 16, .fileGb = 9},
        {.name = "mixture", .memoryGb = 16, .parametersBillion = 20, .activeBillion = 2, .fileGb = 11}};
    const auto names = [&](double gbPerSecond, size_t count) {
        std::vector<std::string> chosen;
        const ComputerSize computer{uint64_t{64'000'000'000}, static_cast<uint64_t>(gbPerSecond * 1e9)};
        for (const auto& model : goodChoices(models, computer, count)) chosen.push_back(model.name);
        return chosen;
    };
    EXPECT_THAT(names(0, 3), ElementsAre("middle", "large", "mixture")) << "not measured yet";
    EXPECT_THAT(names(8, 3), ElementsAre("small")) << "exactly 8 tokens a second";
    EXPECT_THAT(names(9, 3), ElementsAre("small", "mixture")) << "it reads a tenth of its weights";
    EXPECT_THAT(names(41, 2), ElementsAre("middle", "mixture"));
    EXPECT_THAT(names(100, 3), ElementsAre("middle", "large", "mixture"));
    EXPECT_THAT(names(3, 2), ElementsAre("small", "middle")) << "none is pleasant: the smallest";
    EXPECT_DOUBLE_EQ(foretoldSpeed(models[3], {0, 11'000'000'000}), 10);
}

TEST(Catalog, theAddressIsThatOfTheFile) {
    EXPECT_EQ(fileAddress({.file = "a.gguf", .page = "https://huggingface.co/org/A-GGUF"}),
              "https://huggingface.co/org/A-GGUF/resolve/main/a.gguf");
    const auto models = readCatalog(kShipped)->models;
    for (const CatalogModel& model : models)
        EXPECT_TRUE(model.page.starts_with("https://huggingface.co/")) << model.name;
}

TEST(Catalog, whatIsNoneIsOneSentence) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(readCatalog(folder.file("missing")).error().code, ErrorCode::Io);
    for (const char* text :
         {"", "[]", "{\"asOf\": 3}", "{\"asOf\": \"x\", \"models\": [{\"name\": \"a\x1b\"}]}"}) {
        std::ofstream(folder.file("models.json")) << text;
        const auto read = readCatalog(folder.file("models.json"));
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
        EXPECT_THAT(read.error().message, HasSubstr("models.json"));
    }
}

TEST(DisplayName, saysWhatPeopleSay) {
    const std::pair<const char*, const char*> rows[] = {
        {"Qwen3-4B-Instruct-2507-Q4_K_M", "Qwen3 4B Instruct 2507"},
        {"Llama-3.2-3B-Instruct.Q8_0.gguf", "Llama 3.2 3B Instruct"},
        {"SmolLM2 1.7B Instruct", "SmolLM2 1.7B Instruct"},
        {"gemma-3n-E4B-it-UD-IQ3_XXS", "gemma 3n E4B it"},
        {"gpt-oss-20b-mxfp4-00001-of-00002", "gpt oss 20b"},
        {"stories15M.bin", "stories15M"},
        {"RWKV-x070-World-0.4B-F16", "RWKV x070 World 0.4B"},
        {"Q4_0", "Q4 0"},
        {"", ""}};
    for (const auto& [name, shown] : rows) EXPECT_EQ(displayName(name), shown);
}

}  // namespace
}  // namespace ingle::library
