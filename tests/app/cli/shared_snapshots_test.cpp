/// The window's host and the server's: one folder of snapshots, two programs.
#include <sys/wait.h>

#include <filesystem>

#include "tests/app/cli/host_client.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;

class TwoHosts : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("INGLE_DATA_DIR", m_folder.path().c_str(), 1);
        const std::string command =
            fmt::format("{}/ingle synth --family llama -o {}", INGLE_BIN_DIR, m_model);
        ASSERT_EQ(std::system(command.c_str()), 0);
    }
    void TearDown() override { ::unsetenv("INGLE_DATA_DIR"); }

    static void window(int input, int output) { run(input, output, {}); }
    static void server(int input, int output) { run(input, output, {"--owner", "serve"}); }
    static void run(int input, int output, std::vector<const char*> options) {
        ::dup2(input, STDIN_FILENO);
        ::dup2(output, STDOUT_FILENO);
        options.insert(options.begin(), {"ingle", "host"});
        options.push_back(nullptr);
        ::execv(INGLE_BIN_DIR "/ingle", const_cast<char* const*>(options.data()));
    }
    /// The server's host in the window's folder, as --snapshots may choose it.
    std::function<void(int, int)> serverInOneFolder() const {
        return [folder = store("")](int input, int output) {
            run(input, output, {"--owner", "serve", "--snapshots", folder.c_str()});
        };
    }

    void load(HostClient& client, const std::string& folder = "snapshots") {
        client.greet();
        LoadOptions options;
        options.backend = BackendChoice::Cpu;
        options.threads = 1;
        client.send(++m_id, protocol::Load{m_model, options});
        while (const auto event = client.next()) {
            if (std::holds_alternative<protocol::Loaded>(event->body)) break;
            ASSERT_TRUE(std::holds_alternative<protocol::Progress>(event->body)) << protocol::encode(*event);
        }
        // Nothing is kept before the model's hash is there.
        const std::string models = inData(folder + "/models");
        waitFor([&] { return fs::exists(models) && !fs::is_empty(models); });
    }
    /// How many tokens of the prompt need not be read.
    uint32_t cachedTokens(HostClient& client, const std::string& conversation) {
        protocol::Generate generate;
        generate.request.conversation = conversation;
        for (TokenId id = 3; id < 203; ++id) generate.request.rawTokens.push_back(id);
        generate.request.maxTokens = 4;
        client.send(++m_id, generate);
        while (const auto event = client.next()) {
            if (const auto* done = std::get_if<protocol::Done>(&event->body))
                return done->result.stats.cachedTokens;
            EXPECT_FALSE(std::holds_alternative<protocol::Failed>(event->body)) << protocol::encode(*event);
        }
        ADD_FAILURE() << "no answer";
        return 0;
    }
    void retain(HostClient& client, std::vector<std::string> conversations) {
        client.send(++m_id, protocol::Retain{std::move(conversations), {}});
        EXPECT_TRUE(client.next<protocol::Retained>(m_id));
    }
    std::string inData(const std::string& path) const { return m_folder.file(path); }
    std::string store(const std::string& path) const { return inData("snapshots/" + path); }
    size_t numRecords() const {
        size_t number = 0;
        for (const auto& entry : fs::directory_iterator(store("")))
            number += entry.path().extension() == ".snap";
        return number;
    }
    static void waitFor(const std::function<bool()>& condition) {
        for (int waited = 0; waited < 5000 && !condition(); ++waited) ::usleep(1000);
        EXPECT_TRUE(condition());
    }

  private:
    const test::TemporaryFolder m_folder;
    const std::string m_model = m_folder.file("model.gguf");
    protocol::RequestId m_id = 10;
};

TEST_F(TwoHosts, AFolderThatOthersMayReadIsMadePrivateAndUsed) {
    // As a copy of a data folder leaves it.
    const auto rights = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec;
    for (const std::string& folder : {store("conversations"), store("")}) {
        fs::create_directories(folder);
        fs::permissions(folder, rights);
    }
    for (const bool isFirst : {true, false}) {
        HostClient client(window);
        load(client);
        const uint32_t cached = cachedTokens(client, "1");
        if (isFirst)
            waitFor([&] { return numRecords() >= 4; });
        else
            EXPECT_GT(cached, 0u);
    }
    EXPECT_EQ(fs::status(store("")).permissions(), fs::perms::owner_all);
}

TEST_F(TwoHosts, AFolderWithFilesOfOthersKeepsItsRights) {
    fs::create_directories(store("photos"));
    const auto rights = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec;
    fs::permissions(store(""), rights);
    HostClient client(window);
    client.greet();
    EXPECT_EQ(fs::status(store("")).permissions(), rights);
}

TEST_F(TwoHosts, RecordsServeBothAndEachForgetsOnlyItsOwn) {
    HostClient windowHost(window), serverHost(serverInOneFolder());
    load(windowHost);
    load(serverHost);
    EXPECT_EQ(cachedTokens(serverHost, "a"), 0u);
    waitFor([&] { return fs::exists(store("programs/serve/conversations/a")) && numRecords() >= 4; });
    // The window's host runs already, and finds what the server's has written since.
    EXPECT_GE(cachedTokens(windowHost, "7"), 192u);
    waitFor([&] { return fs::exists(store("conversations/7")); });
    retain(windowHost, {});
    waitFor([&] { return !fs::exists(store("conversations/7")); });
    EXPECT_TRUE(fs::exists(store("programs/serve/conversations/a")));
    HostClient another(serverInOneFolder());
    load(another);
    EXPECT_GE(cachedTokens(another, "a"), 192u) << "the window has no word in it";
    retain(another, {});
    waitFor([&] { return numRecords() == 0; });
    EXPECT_TRUE(fs::is_empty(store("programs/serve/conversations")));
}

/// Whoever took over the server's engine may write to its folder, and to nothing that the window reads.
TEST_F(TwoHosts, TheServerHasAFolderOfItsOwn) {
    HostClient host(server);
    load(host, "snapshots-serve");
    EXPECT_EQ(cachedTokens(host, "a"), 0u);
    waitFor([&] { return fs::exists(inData("snapshots-serve/programs/serve/conversations/a")); });
    EXPECT_FALSE(fs::exists(store("")));
}

TEST_F(TwoHosts, WhatIsNoNameOfAnOwnerEndsTheHost) {
    HostClient host([](int input, int output) { run(input, output, {"--owner", "../elsewhere"}); });
    EXPECT_GT(host.exitStatus(), 0);
}

}  // namespace
}  // namespace ingle::cli
