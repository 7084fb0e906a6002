/// Numbers of layers: one for all, or one for each.
#include "engine/models/keys.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ingle::models
