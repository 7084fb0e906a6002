#include <gtest/gtest.h>

#include <limits>

#include "engine/formats/model_file.h"

namespace ingle::formats {
namespace {

TEST(Metadata, integersConvertWhereTheyFit) {
    Metadata metadata;
    metadata.set("small", int64_t{7});
    metadata.set("negative", int64_t{-1});
    metadata.set("wide", int64_t{1} << 32);
    metadata.set("huge", ~uint64_t{0});
    EXPECT_EQ(metadata.u32("small").value(), 7U);
    EXPECT_EQ(metadata.f32("small").value(), 7.0F);
    EXPECT_EQ(metadata.u32Or("absent", 3).value(), 3U);
    for (const char* key : {"negative", "wide", "huge"}) {
        EXPECT_EQ(metadata.u32(key).error().code, ErrorCode::Corrupt) << key;
        EXPECT_EQ(metadata.u32Or(key, 3).error().code, ErrorCode::Corrupt) << key;
    }
    EXPECT_EQ(metadata.u32("absent").error().message, "missing key 'absent'");
}

TEST(Metadata, wrongTypesAreNotConverted) {
    Metadata metadata;
    metadata.set("text", std::string("1"));
    metadata.set("number", 1.5);
    metadata.set("flag", true);
    metadata.set("infinite", std::numeric_limits<double>::infinity());
    metadata.set("wide", 1e300);
    EXPECT_FALSE(metadata.u32("text").has_value());
    EXPECT_FALSE(metadata.u32("number").has_value());
    EXPECT_FALSE(metadata.f32Or("text", 1).has_value());
    EXPECT_FALSE(metadata.f32("infinite").has_value());
    EXPECT_FALSE(metadata.f32("wide").has_value());
    EXPECT_FALSE(metadata.boolOr("number", true).has_value());
    EXPECT_FALSE(metadata.stringOr("flag", "").has_value());
    EXPECT_EQ(metadata.string("number").error().message, "key 'number' is a number where a string belongs");
    EXPECT_TRUE(metadata.boolOr("flag", false).value());
}

TEST(Metadata, overridesKeepTheTypeOfTheKey) {
    Metadata metadata;
    metadata.set("general.architecture", std::string("rwkv5"));
    metadata.set("rwkv5.group_norm_epsilon", 64e-5);
    metadata.set("rwkv5.block_count", int64_t{2});
    metadata.set("rwkv5.tied", false);
    metadata.set("rwkv5.list", std::vector<int64_t>{1});
    ASSERT_TRUE(metadata.override_("group_norm_epsilon", "1e-5").has_value());
    EXPECT_EQ(metadata.f32("rwkv5.group_norm_epsilon").value(), 1e-5F);
    ASSERT_TRUE(metadata.override_("group_norm_epsilon", "1").has_value());
    EXPECT_EQ(metadata.f32("rwkv5.group_norm_epsilon").value(), 1.0F);
    ASSERT_TRUE(metadata.override_("rwkv5.tied", "true").has_value());
    EXPECT_TRUE(metadata.boolOr("rwkv5.tied", false).value());
    EXPECT_EQ(metadata.override_("rwkv5.block_count", "two").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(metadata.override_("rwkv5.block_count", "2.5").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(metadata.override_("rwkv5.list", "3").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(metadata.u32("rwkv5.block_count").value(), 2U);

    ASSERT_TRUE(metadata.override_("general.architecture", "12").has_value());
    EXPECT_EQ(metadata.string("general.architecture").value(), "12");
}

TEST(Metadata, overridesOfAbsentKeysTakeTheFirstTypeThatFits) {
    Metadata metadata;
    EXPECT_EQ(metadata.override_("short", "1").error().code, ErrorCode::InvalidArgument);
    metadata.set("general.architecture", std::string("a"));
    ASSERT_TRUE(metadata.override_("a.integer", "-3").has_value());
    ASSERT_TRUE(metadata.override_("nested.number", "0.5").has_value());
    ASSERT_TRUE(metadata.override_("a.flag", "false").has_value());
    ASSERT_TRUE(metadata.override_("a.text", "3 apples").has_value());
    EXPECT_EQ(*metadata.find("a.integer"), MetaValue(int64_t{-3}));
    EXPECT_EQ(*metadata.find("a.nested.number"), MetaValue(0.5));
    EXPECT_EQ(*metadata.find("a.flag"), MetaValue(false));
    EXPECT_EQ(*metadata.find("a.text"), MetaValue(std::string("3 apples")));
}

}  // namespace
}  // namespace ingle::formats
