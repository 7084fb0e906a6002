/// `ingle-bridge` itself.
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/app/bridge/bridge_client.h"
#include "tests/app/bridge/fake_far.h"

namespace ingle::bridge {
namespace {

namespace fs = std::filesystem;
using test::FarConnection;
using test::FarRequest;

struct Ended {
    int status = 0;
    std::string output;  ///< both streams
};

/// Runs it to its end.
Ended run(const std::string& arguments, const std::string& environment = "env -u XDG_RUNTIME_DIR") {
    const std::string command =
        fmt::format("{} {}/ingle-bridge {} 2>&1", environment, INGLE_BIN_DIR, arguments);
    FILE* pipe = ::popen(command.c_str(), "r");
    Ended ended;
    std::array<char, 4096> buffer;
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        ended.output.append(buffer.data(), count);
    ended.status = WEXITSTATUS(::pclose(pipe));
    return ended;
}

TEST(BridgeProgram, MistakesAreOneLine) {
    const test::TemporaryFolder folder;
    const std::string key = folder.file("key"), socket = folder.file("b.sock");
    std::ofstream(key) << "sk-very-secret\n";
    ASSERT_EQ(::chmod(key.c_str(), 0644), 0);
    const auto line = [&](const std::string& arguments) {
        const Ended ended = run(arguments);
        EXPECT_EQ(ended.status, 1) << ended.output;
        EXPECT_TRUE(ended.output.starts_with("ingle-bridge: ")) << ended.output;
        EXPECT_EQ(std::ranges::count(ended.output, '\n'), 1) << ended.output;
        EXPECT_EQ(ended.output.find("sk-"), std::string::npos);
        return ended.output;
    };
    EXPECT_NE(line("--url https://a.example/v1").find("XDG_RUNTIME_DIR"), std::string::npos);
    EXPECT_NE(line("--url http://a.example/v1 --socket " + socket).find("--insecure"), std::string::npos);
    EXPECT_NE(
        line("--url https://a.example/v1 --socket " + socket + " --key-file " + key).find("others may read"),
        std::string::npos);
    EXPECT_EQ(run("--url").status, 2);
    const Ended help = run("--help");
    EXPECT_EQ(help.status, 0);
    for (const char* option : {"--url", "--key-file", "--model", "--socket", "--insecure"})
        EXPECT_NE(help.output.find(option), std::string::npos) << option;
    EXPECT_TRUE(run("--version").output.starts_with("ingle-bridge "));
}

TEST(BridgeProgram, WithoutAServerItReadsItsSettings) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.file("inglenook"));
    const std::string settings = folder.file("inglenook/bridge.conf");
    // The first sentence that follows from them: no socket can be made here.
    const auto said = [&](const std::string& text, const std::string& arguments = "") {
        if (!text.empty()) std::ofstream(settings) << text;
        const Ended ended =
            run(arguments, "env -u XDG_RUNTIME_DIR XDG_CONFIG_HOME=" + folder.path().string());
        EXPECT_EQ(ended.status, 1) << ended.output;
        EXPECT_EQ(std::ranges::count(ended.output, '\n'), 1) << ended.output;
        return ended.output;
    };
    const std::string none =
        "ingle-bridge: No server is named: --url does that, or a line like url = https://host/v1 in " +
        settings + ".\n";
    EXPECT_EQ(said(""), none);
    EXPECT_EQ(said("# nothing yet\n"), none);
    EXPECT_NE(said("url = https://a.example/v1\n").find("XDG_RUNTIME_DIR"), std::string::npos);
    EXPECT_NE(said("url = http://a.example/v1\n").find("http:// would send"), std::string::npos);
    EXPECT_NE(said("url = http://a.example/v1\ninsecure = true\n").find("XDG_RUNTIME_DIR"),
              std::string::npos);
    EXPECT_EQ(said("url = https://a.example/v1\nkey = sk-1\n"),
              "ingle-bridge: " + settings +
                  ": 'key' is no setting: there are url, key-file, model, socket and insecure\n");
    EXPECT_TRUE(said("url = \"https://a.example/v1\"\ninsecure = perhaps\n").starts_with("ingle-bridge: /"));
    // A key lies beside them; another server than theirs does not get it.
    const std::string keyed = "url = https://a.example/v1\nkey-file = bridge.key\n";
    EXPECT_NE(said(keyed).find(folder.file("inglenook/bridge.key") + ": No such file"), std::string::npos);
    EXPECT_NE(said(keyed, "--url https://b.example/v1").find("XDG_RUNTIME_DIR"), std::string::npos);
    EXPECT_NE(said(keyed, "--key-file /other").find("/other: No such file"), std::string::npos);
    fs::remove(settings);
    fs::create_directory(settings);
    EXPECT_EQ(said(""), none);
}

TEST(BridgeProgram, ServesUntilItIsToldToEndAndSaysNothingOfWhatIsAsked) {
    test::FakeFar far([](const FarConnection& connection, const FarRequest& request) {
        if (request.path == "/v1/models") {
            connection.answer(200, R"({"data":[{"id":"small"}]})");
        } else {
            connection.beginStream();
            connection.delta("An answer");
            connection.finish();
        }
        return true;
    });
    const test::TemporaryFolder folder;
    const std::string key = folder.file("key"), log = folder.file("log");
    std::ofstream(key) << "sk-very-secret\n";
    ASSERT_EQ(::chmod(key.c_str(), 0600), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
        if (!std::freopen(log.c_str(), "w", stderr) || !std::freopen(log.c_str(), "a", stdout)) ::_exit(9);
        ::execl(INGLE_BIN_DIR "/ingle-bridge", "ingle-bridge", "--url", far.url().c_str(), "--key-file",
                key.c_str(), nullptr);
        ::_exit(9);
    }
    const std::string path = folder.file("inglenook/bridge.sock");
    for (int waited = 0; waited < 5000 && !test::connectTo(path).isOpen(); ++waited) ::usleep(1000);
    {
        test::BridgeClient client(path, "small");
        const auto told = test::collect(client, client.send(test::question("A private question")));
        EXPECT_EQ(told.text(), "An answer");
        EXPECT_NE(far.requests().back().headers.find("Bearer sk-very-secret"), std::string::npos);
    }
    ::kill(child, SIGTERM);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(fs::exists(path));
    std::ifstream file(log);
    const std::string written{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(written, fmt::format("ingle-bridge: {} is reached at {}\n", far.host(), path));
}

}  // namespace
}  // namespace ingle::bridge
