/// Where the bridge may go.

#include "app/bridge/far_address.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ingle::bridge {
namespace {

TEST(FarAddress, OnlyLoopbackMayBeUnencrypted) {
    const auto address = [](const std::string& url) { return farAddress(url, Plain::OnlyLoopback); };
    const FarAddress secure = address("https://models.example:8443/api/v1/").value();
    EXPECT_EQ(secure.base, "https://models.example:8443/api/v1");
    EXPECT_EQ(secure.root, "https://models.example:8443/api");
    EXPECT_EQ(secure.host, "models.example:8443");
    EXPECT_TRUE(secure.isEncrypted);
    EXPECT_FALSE(secure.isLoopback);
    for (const char* near :
         {"http://127.0.0.1:8000/v1", "http://localhost/v1", "http://[::1]:1/", "http://127.9.9.9"})
        EXPECT_TRUE(address(near).value().isLoopback) << near;
    for (const char* far : {"http://models.example/v1", "http://127.0.0.1.models.example/v1",
                            "http://10.0.0.1/v1", "http://localhost.example/"}) {
        const auto refused = address(far);
        ASSERT_FALSE(refused) << far;
        EXPECT_NE(refused.error().message.find("unencrypted"), std::string::npos) << refused.error().message;
        EXPECT_TRUE(farAddress(far, Plain::Anywhere)) << far;
    }
    for (const char* bad : {"", "models.example", "ftp://models.example/", "file:///etc/passwd", "https://",
                            "https://a:b@models.example/v1", "https://key@models.example/v1",
                            "https://models.example/v1?key=1", "https://models.example/v1#x", "http s://x"})
        EXPECT_FALSE(farAddress(bad, Plain::OnlyLoopback)) << bad;
}

TEST(FarAddress, itsPortAndThoseOfProxiesAreReached) {
    const auto portsOf = [](const std::string& url) {
        return portsTo(farAddress(url, Plain::Anywhere).value());
    };
    for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
        ::unsetenv(name);
    EXPECT_EQ(portsOf("https://far.example/v1"), std::vector<uint16_t>{443});
    EXPECT_EQ(portsOf("http://far.example/v1"), std::vector<uint16_t>{80});
    EXPECT_EQ(portsOf("https://far.example:8000/v1"), std::vector<uint16_t>{8000});
    ::setenv("https_proxy", "proxy.example:3128", 1);
    ::setenv("all_proxy", "socks5://proxy.example", 1);
    EXPECT_EQ(portsOf("https://far.example/v1"), (std::vector<uint16_t>{443, 3128, 1080}));
    ::unsetenv("https_proxy");
    ::unsetenv("all_proxy");
}

}  // namespace
}  // namespace ingle::bridge
