#include "app/serve/api/api_error.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ingle/error_ids.h"

namespace ingle::serve::api {
namespace {

const ServedModel kModel{.name = "my guide", .path = "/home/ada/models/guide.gguf"};

std::string told(const ApiError& error) {
    return nlohmann::json::parse(errorObject(error))["error"]["message"];
}

TEST(ApiError, IsASentenceWhateverTheEngineSays) {
    const auto said = [](const char* message) {
        return told(fromEngine({ErrorCode::InvalidArgument, message}, kModel));
    };
    EXPECT_EQ(said("type names no type at # of the schema"), "Type names no type at # of the schema.");
    EXPECT_EQ(said("the conversation is full: it needs 7 tokens"),
              "The conversation is full: it needs 7 tokens.");
    EXPECT_EQ(said("cancelled"), "Cancelled.");
    EXPECT_EQ(said("7 tokens do not fit"), "7 tokens do not fit.");
    EXPECT_EQ(said("guide.gguf: it is damaged"), "guide.gguf: it is damaged.");
    EXPECT_EQ(said("/guide.gguf: it is damaged."), "/guide.gguf: it is damaged.");
    EXPECT_EQ(told({.message = "'model' is missing."}), "'model' is missing.");
}

TEST(ApiError, NamesWhatClientsLookFor) {
    const ApiError full = fromEngine(withId<ErrorId::ConversationFull>(
                                         Error{ErrorCode::InvalidArgument, "the conversation is full"}, 9, 7),
                                     kModel);
    EXPECT_EQ(full.status, 400);
    EXPECT_EQ(full.code, "context_length_exceeded");
    const ApiError unsuited = fromEngine(
        withId<ErrorId::OnlyEmbeds>(Error{ErrorCode::Unsupported, "/m: `ingle embed` uses it"}, "/m"),
        kModel);
    EXPECT_EQ(unsuited.status, 400);
    EXPECT_EQ(unsuited.code, "model_not_suited");
    EXPECT_EQ(told(unsuited), "The model compares texts and writes none.");
}

TEST(ApiError, TellsNobodyWhereFilesAre) {
    const auto said = [](const std::string& message, const std::string& path) {
        return told(fromEngine({ErrorCode::Unsupported, message}, {.name = "my guide", .path = path}));
    };
    const std::string path = "/home/ada/models/guide.gguf";
    EXPECT_EQ(said(path + ": it scores no pairs", path), "'my guide': it scores no pairs.");
    EXPECT_EQ(said("/home/ada/models/guide-2.gguf: No such file or directory", path),
              "guide-2.gguf: No such file or directory.");
    EXPECT_EQ(said("/home/ada/folder/config.json: it is damaged", "/home/ada/folder"),
              "folder/config.json: it is damaged.");
    // As messages have what a terminal would obey.
    EXPECT_EQ(said("/home/a\\nda/guide.gguf: it is damaged", "/home/a\nda/guide.gguf"),
              "'my guide': it is damaged.");
}

}  // namespace
}  // namespace ingle::serve::api
