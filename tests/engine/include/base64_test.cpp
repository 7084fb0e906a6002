#include "ingle/base64.h"

#include <gtest/gtest.h>

namespace ingle {
namespace {

/// The test vectors of RFC 4648, section 10.
TEST(Base64, asTheStandardHasIt) {
    constexpr std::pair<std::string_view, std::string_view> kVectors[] = {{"", ""},
                                                                          {"f", "Zg=="},
                                                                          {"fo", "Zm8="},
                                                                          {"foo", "Zm9v"},
                                                                          {"foob", "Zm9vYg=="},
                                                                          {"fooba", "Zm9vYmE="},
                                                                          {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : kVectors) {
        EXPECT_EQ(toBase64(bytes), text);
        EXPECT_EQ(fromBase64(text), bytes);
    }
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    EXPECT_EQ(fromBase64(toBase64(all)), all);
}

TEST(Base64, whatIsNoneIsNothing) {
    for (const std::string_view text : {"Zg", "Zg=", "Z", "Zm9v!", "====", "Zm9\xFF", "Zg==Zg=="})
        EXPECT_EQ(fromBase64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ingle
