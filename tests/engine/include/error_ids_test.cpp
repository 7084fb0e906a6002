#include "ingle/error_ids.h"

#include <gtest/gtest.h>

#include <set>

namespace ingle {
namespace {

TEST(ErrorIds, eachHasANameOfItsOwnAndSaysWhatItsArgumentsAre) {
    std::set<std::string_view> names;
    for (const ErrorIdInfo& info : kErrorIds) {
        EXPECT_FALSE(info.name.empty());
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        for (size_t i = 0; i < info.arguments.size(); ++i)
            EXPECT_EQ(info.arguments[i].empty(), i >= info.numArguments) << info.name;
    }
}

TEST(ErrorIds, areFoundByNameAndNumberOfArguments) {
    const Error missing = withId<ErrorId::FileMissing>(fail(ErrorCode::Io, "{}: no", "a\nb"), "a\nb").value();
    EXPECT_EQ(missing.message, "a\\nb: no");
    EXPECT_EQ(missing.arguments, std::vector<std::string>{"a\\nb"}) << "texts are escaped";
    EXPECT_EQ(errorIdOf(missing), ErrorId::FileMissing);
    Error other = missing;
    other.arguments.clear();
    EXPECT_EQ(errorIdOf(other), std::nullopt);
    other = missing;
    other.id = "ofAnotherVersion";
    EXPECT_EQ(errorIdOf(other), std::nullopt);
    EXPECT_EQ(errorIdOf(Error{ErrorCode::Io, "x"}), std::nullopt);
}

TEST(ErrorIds, stayWhenMoreIsSaidOfTheirError) {
    const Error inner = withId<ErrorId::DownloadCutShort>(Error{ErrorCode::Corrupt, "too short"}, 7);
    const Error outer = happenedTo("model.gguf", inner).value();
    EXPECT_EQ(outer.message, "model.gguf: too short");
    EXPECT_EQ(errorIdOf(outer), ErrorId::DownloadCutShort);
    EXPECT_EQ(withModelId(outer, "model.gguf").id, inner.id);
    EXPECT_EQ(errorIdOf(withModelId({ErrorCode::Corrupt, "x"}, "model.gguf")), ErrorId::ModelDamaged);
    EXPECT_EQ(errorIdOf(withCodeId({ErrorCode::Corrupt, "x"})), std::nullopt);
}

}  // namespace
}  // namespace ingle
