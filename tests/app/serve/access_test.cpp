#include "app/serve/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "app/serve/listeners.h"

namespace ingle::serve {
namespace {

namespace fs = std::filesystem;

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

class AccessFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        m_folder = fs::temp_directory_path() / fmt::format("ingle-access-{}", ::getpid());
        fs::create_directories(m_folder);
    }
    void TearDown() override { fs::remove_all(m_folder); }
    std::string write(const std::string& text, int mode) {
        const std::string path = m_folder / "key";
        fs::remove(path);
        std::ofstream(path) << text;
        ::chmod(path.c_str(), static_cast<mode_t>(mode));
        return path;
    }
    fs::path m_folder;
};

TEST_F(AccessFiles, AKeyOthersMayReadIsRefused) {
    EXPECT_EQ(*readKey(write("0123456789abcdef\nmore", 0600)), "0123456789abcdef");
    EXPECT_FALSE(readKey(write("0123456789abcdef", 0640)));
    EXPECT_FALSE(readKey(write("0123456789abcdef", 0604)));
    EXPECT_FALSE(readKey(write("too short\n", 0600)));
    EXPECT_FALSE(readKey(write("", 0600)));
    EXPECT_FALSE(readKey(m_folder / "none"));
}

TEST_F(AccessFiles, ASocketIsItsOwnersAndAServedOneStays) {
    const std::string path = m_folder / "new" / "serve.sock";
    {
        const auto listener = listenOnPath(path);
        ASSERT_TRUE(listener) << listener.error().message;
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        EXPECT_EQ(fs::status(m_folder / "new").permissions(), fs::perms::owner_all);
        EXPECT_FALSE(listenOnPath(path)) << "somebody answers there";
    }
    EXPECT_TRUE(listenOnPath(path)) << "what a server left behind is replaced";
    EXPECT_FALSE(listenOnPath(write("text", 0600))) << "a file is not";
    EXPECT_FALSE(listenOnPath("/" + std::string(200, 'x')));
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
