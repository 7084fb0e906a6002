/// Files that people drop and that are no models, or not whole ones: what they are told.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "ingle/error_ids.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

class ModelErrors : public testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, m_path));
    }
    std::string written(const std::string& bytes) {
        std::ofstream(m_path, std::ios::binary) << bytes;
        return m_path;
    }
    static Error errorOf(const std::string& path) {
        const auto info = inspectModel(path, {});
        EXPECT_FALSE(info) << path;
        return info ? Error{} : info.error();
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_F(ModelErrors, aDownloadThatIsCutShortSaysHowMuchThereIs) {
    const uint64_t whole = std::filesystem::file_size(m_path);
    for (const uint64_t part : {whole - 1, whole / 2}) {
        std::filesystem::resize_file(m_path, part);
        const Error error = errorOf(m_path);
        ASSERT_EQ(errorIdOf(error), ErrorId::DownloadIncomplete) << error.message;
        EXPECT_EQ(error.arguments[0], std::to_string(part));
        // Files are padded behind their last tensor.
        EXPECT_NEAR(static_cast<double>(std::stoull(error.arguments[1])), static_cast<double>(whole), 64);
        EXPECT_TRUE(error.message.starts_with(m_path)) << error.message;
    }
    for (const uint64_t part : {uint64_t{1000}, uint64_t{100}, uint64_t{9}}) {
        std::filesystem::resize_file(m_path, part);
        const Error error = errorOf(m_path);
        ASSERT_EQ(errorIdOf(error), ErrorId::DownloadCutShort) << part << error.message;
        EXPECT_EQ(error.arguments[0], std::to_string(part));
    }
    EXPECT_EQ(errorIdOf(errorOf(written(""))), ErrorId::FileEmpty);
}

TEST_F(ModelErrors, whatIsNoModelIsToldApart) {
    EXPECT_EQ(errorIdOf(errorOf(m_path + ".gone")), ErrorId::FileMissing);
    std::filesystem::create_directory(m_folder.file("empty"));
    EXPECT_EQ(errorIdOf(errorOf(m_folder.file("empty"))), ErrorId::NotAModel);
    EXPECT_EQ(errorIdOf(errorOf(written("<!DOCTYPE html>"))), ErrorId::WebPage);
    EXPECT_EQ(errorIdOf(errorOf(written("Dear Ada"))), ErrorId::NotAModel);
    EXPECT_EQ(errorIdOf(errorOf(written("version https://git-lfs.github.com/spec/v1\noid sha256:00\n"))),
              ErrorId::FilePointer);
    EXPECT_EQ(errorIdOf(errorOf(written(std::string("GGUF\x09\0\0\0", 8)))), ErrorId::UnknownVersion);
}

TEST_F(ModelErrors, everythingElseIsDamagedOrUnsupported) {
    const auto with = [&](const char* key, const char* value) {
        const auto info = inspectModel(m_path, {.overrides = {{key, value}}});
        return info ? std::nullopt : errorIdOf(info.error());
    };
    EXPECT_EQ(with("general.architecture", "unheard-of"), ErrorId::UnknownFamily);
    EXPECT_EQ(with("tokenizer.ggml.model", "unheard-of"), std::nullopt) << "read with the file";
    EXPECT_EQ(with("llama.block_count", "0"), ErrorId::ModelDamaged);
}

TEST_F(ModelErrors, aMessageThatIsTooLongSaysByHowMuch) {
    const auto engine = Engine::load(m_path, {.contextTokens = 128}, nullptr).value();
    struct Sink final : GenerateSink {
        void onPlan(const PromptPlan&) override {}
        void onProgress(uint32_t, uint32_t) override {}
        void onDevice(const DeviceStatus&) override {}
        void onTokens(const TokenChunk&) override {}
        void onDone(const GenerateResult&) override {}
        void onError(const Error& told) override { error = told; }
        Error error{};
    } sink;
    const std::vector<ChatMessage> messages{textMessage(Role::User, std::string(5000, 'x'))};
    ASSERT_TRUE(engine->submit({.messages = messages}, sink));
    while (engine->step()) {
    }
    ASSERT_EQ(errorIdOf(sink.error), ErrorId::MessageTooLong) << sink.error.message;
    EXPECT_GT(std::stoi(sink.error.arguments[0]), std::stoi(sink.error.arguments[1]));
    // The same can be known before.
    const PromptSize size = engine->measure(messages).value();
    EXPECT_EQ(std::to_string(size.tokens), sink.error.arguments[0]);
    EXPECT_EQ(std::to_string(size.room), sink.error.arguments[1]);
}

}  // namespace
}  // namespace ingle
