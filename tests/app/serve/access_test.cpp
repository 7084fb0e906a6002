#include "app/serve/access.h"
#include "app/client/host_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "app/serve/listeners.h"
#include "app/serve/router.h"
#include "tests/temporary_folder.h"

namespace ingle::serve {
namespace {

int status(const AccessRules& rules, std::map<std::string, std::string> headers, bool isOpen = false) {
    const auto refusal =
        refusalOf({.method = "GET", .path = "/", .headers = std::move(headers)}, rules, isOpen);
    return refusal ? refusal->status : 0;
}

TEST(Access, OnlyNamesOfThisComputerAreAnsweredOnANetwork) {
    const AccessRules rules{.isOnNetwork = true, .hosts = {"box.lan", "[fd00::7]"}};
    for (const char* host : {"localhost", "localhost:80", "127.0.0.1:8080", "[::1]:8080", "[::1]",
                             "LOCALHOST", "box.lan:1", "BOX.Lan", "[fd00::7]", "[FD00::7]:80"})
        EXPECT_EQ(status(rules, {{"host", host}}), 0) << host;
    for (const char* host :
         {"evil.example", "", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1",
          "[fd00::8]:80", "[::1].evil.example", "::1", "[fd00::7", "localhost:1@evil.example", "[::1]:x"})
        EXPECT_EQ(status(rules, {{"host", host}}), 403) << host;
    EXPECT_EQ(status({}, {{"host", "whatever"}}), 0) << "a socket of the file system has no name";
}

TEST(Access, PagesOfOtherOriginsAreRefused) {
    const AccessRules rules{.isOnNetwork = true, .origins = {"https://notes.example"}};
    const auto from = [&rules](const char* origin) {
        return status(rules, {{"host", "localhost:80"}, {"origin", origin}});
    };
    EXPECT_EQ(from("http://localhost:80"), 0) << "the server's own page";
    EXPECT_EQ(from("https://notes.example"), 0);
    for (const char* origin :
         {"https://evil.example", "null", "http://localhost:81", "https://notes.example.evil"})
        EXPECT_EQ(from(origin), 403) << origin;
    const http::Request allowed{.headers = {{"origin", "https://notes.example"}}};
    EXPECT_EQ(crossOriginHeaders(allowed, rules).front().second, "https://notes.example");
    EXPECT_TRUE(crossOriginHeaders({.headers = {{"origin", "https://evil.example"}}}, rules).empty());
}

std::string valueOf(const http::Headers& headers, std::string_view name) {
    const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
    return found == headers.end() ? "none" : found->second;
}

class Gate : public testing::Test {
  protected:
    http::Response answerTo(const std::string& method, const std::string& path, const std::string& origin,
                            std::map<std::string, std::string> more = {}) {
        more["origin"] = origin;
        return m_router.gate({.method = method, .path = path, .headers = std::move(more)})
            .value_or(http::Response{.status = 0});
    }

    Metrics m_metrics;
    EngineRoom m_room{client::Client::create(client::startedBy({"/bin/false", {}}), {}).value(),
                      std::make_unique<Models>(ModelList()),
                      {},
                      m_metrics};
    Router m_router{{m_room, m_metrics}, {.key = "0123456789abcdef", .origins = {"https://notes.example"}}};
};

TEST_F(Gate, ABrowserThatAsksFirstIsToldWhatItAskedFor) {
    const http::Response plain = answerTo("OPTIONS", "/v1/chat/completions", "https://notes.example");
    EXPECT_EQ(plain.status, 204);
    EXPECT_EQ(valueOf(plain.headers, "Access-Control-Allow-Origin"), "https://notes.example");
    EXPECT_EQ(valueOf(plain.headers, "Access-Control-Allow-Headers"), "Authorization, Content-Type");
    EXPECT_EQ(valueOf(plain.headers, "Vary"), "Origin");
    const http::Response asked =
        answerTo("OPTIONS", "/v1/chat/completions", "https://notes.example",
                 {{"access-control-request-headers", "x-stainless-os, content-type"}});
    EXPECT_EQ(valueOf(asked.headers, "Access-Control-Allow-Headers"), "x-stainless-os, content-type");
    const http::Response foreign = answerTo("OPTIONS", "/v1/chat/completions", "https://evil.example");
    EXPECT_EQ(foreign.status, 403);
    EXPECT_EQ(valueOf(foreign.headers, "Access-Control-Allow-Origin"), "none");
}

TEST_F(Gate, APageMayReadWhyItIsRefused) {
    const http::Response keyless = answerTo("GET", "/v1/models", "https://notes.example");
    EXPECT_EQ(keyless.status, 401);
    EXPECT_EQ(valueOf(keyless.headers, "Access-Control-Allow-Origin"), "https://notes.example");
    const http::Response nowhere =
        answerTo("GET", "/nowhere", "https://notes.example", {{"authorization", "Bearer 0123456789abcdef"}});
    EXPECT_EQ(nowhere.status, 404);
    EXPECT_EQ(valueOf(nowhere.headers, "Access-Control-Allow-Origin"), "https://notes.example");
}

TEST(Access, AKeyIsRequiredWhereThereIsOne) {
    const AccessRules rules{.key = "0123456789abcdef"};
    EXPECT_EQ(status(rules, {}), 401);
    EXPECT_EQ(status(rules, {}, true), 0);
    EXPECT_EQ(status(rules, {{"authorization", "Bearer 0123456789abcdef"}}), 0);
    EXPECT_EQ(status(rules, {{"authorization", "bearer 0123456789abcdef"}}), 0);
    for (const char* given :
         {"0123456789abcdef", "Bearer 0123456789abcdee", "Bearer ", "Bear", "Basic 0123456789abcdef"})
        EXPECT_EQ(status(rules, {{"authorization", given}}), 401) << given;
}

TEST(Access, AShortKeyIsNone) {
    const test::TemporaryFolder folder;
    const auto read = [&folder](const std::string& key) {
        const std::string path = folder.file("key");
        std::ofstream(path) << key;
        ::chmod(path.c_str(), 0600);
        return readKey(path);
    };
    EXPECT_EQ(read("0123456789abcdef\n").value(), "0123456789abcdef");
    EXPECT_FALSE(read("0123456789abcde"));
    EXPECT_FALSE(readKey(folder.file("none")));
}

TEST(Address, IsAPortOrAnAddressWithOne) {
    EXPECT_EQ(readAddress("8080")->host, "127.0.0.1");
    EXPECT_TRUE(readAddress("8080")->isLoopback);
    EXPECT_EQ(readAddress("[::1]:80")->host, "::1");
    EXPECT_TRUE(readAddress("[::1]:80")->isLoopback);
    EXPECT_FALSE(readAddress("0.0.0.0:80")->isLoopback);
    EXPECT_FALSE(readAddress("[::]:80")->isLoopback);
    EXPECT_FALSE(readAddress("192.168.0.1:80")->isLoopback);
    for (const char* text : {"", "x", "localhost:80", "80:", "127.0.0.1:65536", "127.0.0.1:80x"})
        EXPECT_FALSE(readAddress(text)) << text;
    EXPECT_GT(listenOn({.host = "127.0.0.1", .port = 0})->port, 0);
}

TEST(Address, OfIpv6IsNoneOfIpv4) {
    if (std::string address; !(std::ifstream("/proc/net/if_inet6") >> address))
        GTEST_SKIP() << "the kernel of this computer has no address of IPv6, not even ::1";
    const auto six = listenOn({.host = "::", .port = 0});
    ASSERT_TRUE(six) << six.error().message;
    EXPECT_TRUE(listenOn({.host = "0.0.0.0", .port = six->port})) << "the port is taken for IPv4, too";
}

}  // namespace
}  // namespace ingle::serve
