#include "app/serve/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "app/serve/listeners.h"
#include "tests/temporary_folder.h"

namespace ingle::serve {
namespace {

int status(const AccessRules& rules, std::map<std::string, std::string> headers, bool isOpen = false) {
    const auto refusal =
        refusalOf({.method = "GET", .path = "/", .headers = std::move(headers)}, rules, isOpen);
    return refusal ? refusal->status : 0;
}

TEST(Access, OnlyNamesOfThisComputerAreAnsweredOnANetwork) {
    const AccessRules rules{.isOnNetwork = true, .hosts = {"box.lan"}};
    for (const char* host :
         {"localhost", "localhost:80", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST", "box.lan:1"})
        EXPECT_EQ(status(rules, {{"host", host}}), 0) << host;
    for (const char* host :
         {"evil.example", "", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1"})
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

}  // namespace
}  // namespace ingle::serve
