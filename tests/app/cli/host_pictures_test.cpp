/// Pictures through the real `ingle host`, caged as it is: found vision files, the child that decodes, and
/// what is kept for the next host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>

#include "app/client/client.h"
#include "app/client/host_process.h"
#include "ingle/sha256.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;

/// A host, and one question after the other.
class Asking {
  public:
    Asking()
        : m_client(
              client::Client::create(client::startedBy({INGLE_BIN_DIR "/ingle", {"host"}}), {}).value()) {}

    template <typename R>
    client::Outcome<R> operator()(R request) {
        std::optional<client::Outcome<R>> heard;
        m_client->send<R>(std::move(request), {.finished = [&](const client::Outcome<R>& outcome) {
                              const std::scoped_lock lock(m_mutex);
                              heard = outcome;
                              m_changed.notify_all();
                          }});
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait_for(lock, std::chrono::seconds(60), [&] { return heard.has_value(); }))
            return tl::unexpected(protocol::Failed{{ErrorCode::Io, "the host is silent"}, {}});
        return *heard;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::unique_ptr<client::Client> m_client;  // last: it calls back
};

class HostPictures : public testing::Test {
  protected:
    void SetUp() override {
        if (!fs::exists(golden(""))) GTEST_SKIP() << "no golden vectors in " << golden("");
        fs::create_directories(m_folder.file("models"));
        for (const char* name : {"text-qwen3vl.gguf", "qwen3vl.mmproj.gguf", "gemma3.mmproj.gguf"})
            fs::copy_file(golden(name), m_folder.file(std::string("models/") + name));
        ::setenv("INGLE_DATA_DIR", m_folder.path().c_str(), 1);
    }
    void TearDown() override { ::unsetenv("INGLE_DATA_DIR"); }
    static std::string golden(const std::string& name) { return test::goldenRoot() / "vision" / name; }

    protocol::Load load() const {
        LoadOptions options;
        options.backend = BackendChoice::Cpu;
        options.threads = 2;
        options.contextTokens = 1024;
        return {m_folder.file("models/text-qwen3vl.gguf"), options};
    }
    protocol::Generate question(const std::string& text) const {
        protocol::Generate generate;
        generate.request.messages = {
            {Role::User, {{PartKind::Image, "", m_hash}, {PartKind::Text, text, {}}}}};
        generate.request.maxTokens = 3;
        generate.request.sampler.temperature = 0;
        generate.request.conversation = "1";
        return generate;
    }

    const test::TemporaryFolder m_folder;
    const std::string m_bytes = fs::exists(golden("shapes.png")) ? test::readBytes(golden("shapes.png")) : "";
    const std::string m_hash = sha256Hex(m_bytes);
};

TEST_F(HostPictures, areDecodedOutsideAndKeptForTheNextHost) {
    {
        Asking ask;
        const auto loaded = ask(load());
        ASSERT_TRUE(loaded) << loaded.error().error.message;
        EXPECT_TRUE(loaded->info.seesPictures);
        EXPECT_THAT(loaded->info.visionFile, EndsWith("/qwen3vl.mmproj.gguf"));
        const auto unknown = ask(protocol::Picture{m_hash, {}});
        ASSERT_FALSE(unknown);
        EXPECT_EQ(unknown.error().error.id, "pictureNeeded");
        EXPECT_EQ(ask(question("What?")).error().error.id, "pictureNeeded");
        EXPECT_EQ(ask(protocol::Picture{m_hash, m_bytes.substr(0, 400)}).error().error.id, "pictureDamaged");
        EXPECT_EQ(ask(protocol::Picture{m_hash, "words"}).error().error.id, "pictureUnknown");
        const auto taken = ask(protocol::Picture{m_hash, m_bytes});
        ASSERT_TRUE(taken) << taken.error().error.message;
        EXPECT_EQ(taken->facts.width, 150u);
        EXPECT_EQ(taken->facts.tokens, 20u);
        const auto answer = ask(question("What?"));
        ASSERT_TRUE(answer) << answer.error().error.message;
        EXPECT_EQ(answer->result.stats.newTokens, 3u);
        protocol::Preview preview{question("What?").request};
        const auto previewed = ask(preview);
        ASSERT_TRUE(previewed) << previewed.error().error.message;
        EXPECT_EQ(previewed->preview.plan.promptTokens, answer->result.stats.promptTokens);
        EXPECT_EQ(previewed->preview.partTokens[0][0], 20u);
        EXPECT_NE(previewed->preview.text.find("<|vision_start|>[20 rows of a picture]<|vision_end|>"),
                  std::string::npos)
            << previewed->preview.text;
    }
    // What is written in the background may not have been there when the first host ended.
    for (int tries = 0;; ++tries) {
        Asking ask;
        ASSERT_TRUE(ask(load()));
        const auto found = ask(protocol::Picture{m_hash, {}});
        if (!found && tries < 5) {
            ASSERT_TRUE(ask(protocol::Picture{m_hash, m_bytes}));
            ASSERT_TRUE(ask(question("What?")));
            continue;
        }
        ASSERT_TRUE(found) << found.error().error.message;
        EXPECT_EQ(found->facts.width, 150u);
        EXPECT_TRUE(ask(question("Another question?")));
        break;
    }
}

TEST_F(HostPictures, aFileOfAnotherModelIsRefused) {
    Asking ask;
    protocol::Load wrong = load();
    wrong.options.visionFile = m_folder.file("models/gemma3.mmproj.gguf");
    const auto refused = ask(wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.id, "visionFileUnfit");
}

TEST_F(HostPictures, runShowsThem) {
    const std::string run = INGLE_BIN_DIR "/ingle run " + m_folder.file("models/text-qwen3vl.gguf") +
                            " --backend cpu --load-anyway --temp 0 -n 3 -p What? --image " +
                            golden("shapes.png");
    EXPECT_EQ(std::system((run + " >" + m_folder.file("out")).c_str()), 0);
    fs::remove(m_folder.file("models/qwen3vl.mmproj.gguf"));
    EXPECT_NE(std::system((run + " 2>" + m_folder.file("err")).c_str()), 0);
    EXPECT_NE(test::readBytes(m_folder.file("err")).find("no vision file"), std::string::npos);
}

}  // namespace
}  // namespace ingle::cli
