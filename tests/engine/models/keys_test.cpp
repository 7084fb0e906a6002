/// Numbers of layers: one for all, or one for each.
#include "engine/models/keys.h"

#include <gtest/gtest.h>

#include "engine/models/family.h"

namespace ingle::models {
namespace {

TEST(Keys, aNumberMayBeOnePerLayer) {
    formats::ModelFile file{.path = "m"};
    file.metadata.set("general.architecture", std::string("a"));
    file.metadata.set("a.one", int64_t{7});
    file.metadata.set("a.each", std::vector<int64_t>{1, 2, 3});
    file.metadata.set("a.negative", std::vector<int64_t>{1, -2, 3});
    const Keys keys = Keys::of(file).value();
    EXPECT_EQ(keys.perLayer("one", 3).value(), (std::vector<uint32_t>{7, 7, 7}));
    EXPECT_EQ(keys.perLayer("each", 3).value(), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(keys.perLayerOr("each", {4, 5, 6}).value(), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(keys.perLayerOr("none", {4, 5, 6}).value(), (std::vector<uint32_t>{4, 5, 6}));
    EXPECT_EQ(keys.perLayer("each", 2).error().message, "m: each holds 3 numbers for 2 layers");
    EXPECT_EQ(keys.perLayer("negative", 3).error().message, "m: negative cannot be -2");
    EXPECT_FALSE(keys.perLayer("none", 3));
}

/// The last blocks of a file may predict further tokens; the model is what stands before them.
TEST(Keys, blocksThatPredictFurtherTokensAreNoLayers) {
    formats::ModelFile file{.path = "m"};
    const auto set = [&](const char* key, int64_t value) { file.metadata.set(key, value); };
    file.metadata.set("general.architecture", std::string("a"));
    file.metadata.set("a.each", std::vector<int64_t>{1, 2, 3, 4});
    for (const char* key : {"a.block_count", "a.embedding_length", "a.vocab_size"}) set(key, 4);
    set("a.nextn_predict_layers", 1);
    const Keys keys = Keys::of(file).value();
    EXPECT_EQ(readFacts(keys).value().numLayers, 3U);
    EXPECT_EQ(keys.perLayer("each", 3).value(), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(keys.perLayer("each", 4).value(), (std::vector<uint32_t>{1, 2, 3, 4}));
    EXPECT_EQ(keys.perLayer("each", 2).error().message, "m: each holds 4 numbers for 2 layers");
    for (const int64_t tooMany : {4, 5}) {
        set("a.nextn_predict_layers", tooMany);
        EXPECT_EQ(readFacts(keys).error().message,
                  fmt::format("m: {} of 4 layers cannot be there to predict further tokens", tooMany));
    }
}

}  // namespace
}  // namespace ingle::models
