/// Which models stay in memory beside the one in use, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/cli/host/host.h"
#include "tests/app/cli/fake_engine.h"
#include "tests/app/cli/host_client.h"
#include "tests/engine/session/little_memory.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

using testing::HasSubstr;

std::function<void(int, int)> serving(const EngineSource& source) {
    return [source](int input, int output) {
        std::signal(SIGPIPE, SIG_IGN);
        serveHost(input, output, {}, source);
    };
}

/// What a load came to.
struct TwoOutcomes {
    bool wasRead = false;
    std::string inUse, alsoLoaded, error;
};

class TwoModelsTest : public testing::Test {
  protected:
    explicit TwoModelsTest(const EngineSource& source = fakeSource()) : m_client(serving(source)) {
        m_client.greet();
    }

    TwoOutcomes load(const std::string& path, const LoadOptions& options = {}) {
        TwoOutcomes outcome;
        m_client.send(++m_lastId, protocol::Load{path, options});
        while (const auto event = m_client.next()) {
            if (event->id != m_lastId) continue;
            if (const auto* loaded = std::get_if<protocol::Loaded>(&event->body)) {
                outcome.inUse = loaded->info.path;
                outcome.alsoLoaded = loaded->alsoLoaded;
                break;
            }
            if (const auto* failed = std::get_if<protocol::Failed>(&event->body)) {
                outcome.error = failed->error.message;
                break;
            }
            outcome.wasRead = true;
        }
        return outcome;
    }
    /// Of the model in use.
    protocol::RequestId ask(uint32_t maxTokens) {
        protocol::Generate generate;
        generate.request.maxTokens = maxTokens;
        m_client.send(++m_lastId, generate);
        return m_lastId;
    }
    /// Its last event, and those of the host for itself.
    std::optional<protocol::Done> end(protocol::RequestId id) {
        while (const auto event = m_client.next()) {
            m_numReleased += std::holds_alternative<protocol::Released>(event->body);
            if (const auto* done = std::get_if<protocol::Done>(&event->body); done && event->id == id)
                return *done;
        }
        return std::nullopt;
    }
    std::string modelThatAnswers() {
        const auto done = end(ask(1));
        return done ? done->receipt.modelPath : "none";
    }

    HostClient m_client;
    protocol::RequestId m_lastId = 10;
    int m_numReleased = 0;
};

TEST_F(TwoModelsTest, TheOneBeforeStaysAndIsUsedAgainAtOnce) {
    EXPECT_EQ(load("/m/a").alsoLoaded, "");
    const TwoOutcomes other = load("/m/b");
    EXPECT_TRUE(other.wasRead);
    EXPECT_EQ(other.alsoLoaded, "/m/a");
    EXPECT_EQ(modelThatAnswers(), "/m/b");
    for (int i = 0; i < 2; ++i) {
        const TwoOutcomes back = load("/m/a");
        EXPECT_FALSE(back.wasRead);
        EXPECT_EQ(back.inUse, "/m/a");
        EXPECT_EQ(back.alsoLoaded, "/m/b");
        EXPECT_EQ(modelThatAnswers(), "/m/a");
        EXPECT_FALSE(load("/m/b").wasRead);
        EXPECT_EQ(modelThatAnswers(), "/m/b");
    }
}

TEST_F(TwoModelsTest, ItsAnswersEndWhenAnotherComes) {
    load("/m/a");
    load("/m/b");
    const protocol::RequestId answer = ask(1'000'000'000);
    m_client.send(++m_lastId, protocol::Load{"/m/a", {}});
    const auto done = end(answer);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result.reason, StopReason::Cancelled);
    EXPECT_EQ(done->receipt.modelPath, "/m/b");
    EXPECT_EQ(m_client.next<protocol::Loaded>(m_lastId)->alsoLoaded, "/m/b");
}

TEST_F(TwoModelsTest, WhatDoesNotFitBesideItTakesItsPlace) {
    load("/m/a");
    EXPECT_EQ(load("/m/large").alsoLoaded, "");
    // Room for the weights of both is all that the other way round needs.
    EXPECT_EQ(load("/m/a").alsoLoaded, "/m/large");
}

TEST_F(TwoModelsTest, AThirdTakesThePlaceOfTheOneThatIsNotInUse) {
    load("/m/a");
    load("/m/b");
    EXPECT_EQ(load("/m/c").alsoLoaded, "/m/b");
    EXPECT_FALSE(load("/m/b").wasRead);
    EXPECT_TRUE(load("/m/a").wasRead);
}

TEST_F(TwoModelsTest, OtherOptionsAreAnotherLoad) {
    LoadOptions longer;
    longer.contextTokens = 8192;
    load("/m/a");
    load("/m/b");
    EXPECT_TRUE(load("/m/a", longer).wasRead);
    EXPECT_FALSE(load("/m/b").wasRead);
    EXPECT_TRUE(load("/m/a").wasRead) << "it was loaded otherwise";
    // One model is not kept beside itself.
    EXPECT_EQ(load("/m/a", longer).alsoLoaded, "");
}

TEST_F(TwoModelsTest, AChangedFileIsReadAgain) {
    const test::TemporaryFolder folder;
    const std::string model = folder.file("a.gguf"), draft = folder.file("draft.gguf");
    LoadOptions guessing;
    guessing.draft = draft;
    std::ofstream(model) << "weights";
    std::ofstream(draft) << "weights";
    load(model, guessing);
    load("/m/b");
    EXPECT_FALSE(load(model, guessing).wasRead);
    for (const std::string& changed : {model, draft}) {
        load("/m/b");
        std::ofstream(changed, std::ios::app) << "more";
        EXPECT_TRUE(load(model, guessing).wasRead) << changed;
    }
    load("/m/b");
    std::filesystem::remove(model);
    EXPECT_TRUE(load(model, guessing).wasRead) << "whatever comes of it";
}

TEST_F(TwoModelsTest, AFileThatCannotBeLoadedChangesNothing) {
    load("/m/a");
    load("/m/b");
    EXPECT_THAT(load("/m/bad").error, HasSubstr("bad"));
    EXPECT_EQ(modelThatAnswers(), "/m/b");
    EXPECT_FALSE(load("/m/a").wasRead);
}

TEST_F(TwoModelsTest, OnlyModelsOnTheProcessorStay) {
    load("/m/a");
    EXPECT_EQ(load("/m/graphics").alsoLoaded, "");
    EXPECT_EQ(load("/m/b").alsoLoaded, "");
}

TEST_F(TwoModelsTest, UnloadFreesBoth) {
    load("/m/a");
    load("/m/b");
    m_client.send(5, protocol::Unload{});
    EXPECT_TRUE(m_client.next<protocol::Unloaded>(5));
    EXPECT_TRUE(load("/m/b").wasRead);
    EXPECT_EQ(load("/m/a").alsoLoaded, "/m/b");
}

/// "tight" has no room beside another model, though it looked as if it had, "broken" fails after all.
EngineSource mistaken() {
    EngineSource source = fakeSource();
    source.load = [load = source.load](const std::string& path, const LoadOptions& options,
                                       const ProgressFn& progress) -> Result<std::unique_ptr<Engine>> {
        if (path == "/m/tight" && FakeEngine::numAlive > 0) return fail(ErrorCode::OutOfMemory, "no room");
        if (path == "/m/broken") return fail(ErrorCode::Device, "it broke");
        return load(path, options, progress);
    };
    return source;
}

class MistakenRoomTest : public TwoModelsTest {
  protected:
    MistakenRoomTest() : TwoModelsTest(mistaken()) {}
};

TEST_F(MistakenRoomTest, ALoadWithoutRoomIsTriedAgainAlone) {
    load("/m/a");
    const TwoOutcomes outcome = load("/m/tight");
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.inUse, "/m/tight");
    EXPECT_EQ(outcome.alsoLoaded, "");
}

TEST_F(MistakenRoomTest, ALoadThatFailsLeavesNothing) {
    load("/m/a");
    EXPECT_EQ(load("/m/broken").error, "it broke");
    EXPECT_TRUE(load("/m/a").wasRead);
}

/// There is room until the first answer is written.
EngineSource shrinking() {
    EngineSource source = fakeSource();
    source.hasRoomFor = [asked = 0](uint64_t) mutable { return ++asked == 1; };
    return source;
}

class ShrinkingMemoryTest : public TwoModelsTest {
  protected:
    ShrinkingMemoryTest() : TwoModelsTest(shrinking()) {}
};

TEST_F(ShrinkingMemoryTest, TheOneInUseHasTheMemory) {
    load("/m/a");
    EXPECT_EQ(load("/m/b").alsoLoaded, "/m/a");
    EXPECT_EQ(modelThatAnswers(), "/m/b");
    EXPECT_EQ(m_numReleased, 1);
    EXPECT_EQ(modelThatAnswers(), "/m/b");
    EXPECT_EQ(m_numReleased, 1) << "told once";
    EXPECT_TRUE(load("/m/a").wasRead);
}

/// `ingle host` itself, with two real models.
class RealHost {
  public:
    RealHost() {
        ::setenv("INGLE_DATA_DIR", m_folder.path().c_str(), 1);
        for (const std::string& model : {first, second}) {
            const std::string command = fmt::format("{}/ingle synth --family llama --seed {} -o {}",
                                                    INGLE_BIN_DIR, model.size(), model);
            EXPECT_EQ(std::system(command.c_str()), 0);
        }
    }
    ~RealHost() { ::unsetenv("INGLE_DATA_DIR"); }

    /// What the host tells for a load, but for its progress.
    TwoOutcomes load(HostClient& client, protocol::RequestId id, const std::string& path) const {
        LoadOptions options;
        options.backend = BackendChoice::Cpu;
        options.threads = 1;
        client.send(id, protocol::Load{path, options});
        TwoOutcomes outcome;
        while (const auto event = client.next()) {
            if (const auto* loaded = std::get_if<protocol::Loaded>(&event->body)) {
                outcome.inUse = loaded->info.path;
                outcome.alsoLoaded = loaded->alsoLoaded;
                break;
            }
            outcome.wasRead = true;
            if (!std::holds_alternative<protocol::Progress>(event->body)) break;
        }
        return outcome;
    }
    static void run(int input, int output) {
        ::dup2(input, STDIN_FILENO);
        ::dup2(output, STDOUT_FILENO);
        ::execl(INGLE_BIN_DIR "/ingle", "ingle", "host", "--snapshot-mb", "0", nullptr);
    }

  private:
    const test::TemporaryFolder m_folder;

  public:
    const std::string first = m_folder.file("1.gguf"), second = m_folder.file("second.gguf");
};

std::vector<TokenId> answerOf(HostClient& client, protocol::RequestId id) {
    protocol::Generate generate;
    generate.request.rawTokens = {1, 2, 3};
    generate.request.maxTokens = 8;
    client.send(id, generate);
    std::vector<TokenId> ids;
    while (const auto event = client.next()) {
        if (const auto* tokens = std::get_if<protocol::Tokens>(&event->body))
            ids.insert(ids.end(), tokens->chunk.ids.begin(), tokens->chunk.ids.end());
        if (std::holds_alternative<protocol::Done>(event->body)) break;
    }
    return ids;
}

TEST(TwoRealModels, TheSecondSwitchReadsNothing) {
    const test::LittleMemory memory(uint64_t{8} << 30, uint64_t{8} << 30);
    const RealHost models;
    HostClient client(RealHost::run);
    client.greet();
    EXPECT_TRUE(models.load(client, 2, models.first).wasRead);
    const auto ofFirst = answerOf(client, 3);
    EXPECT_EQ(models.load(client, 4, models.second).alsoLoaded, models.first);
    const auto ofSecond = answerOf(client, 5);
    EXPECT_EQ(ofFirst.size(), 8u);
    EXPECT_NE(ofFirst, ofSecond);
    for (protocol::RequestId id = 6; id < 10; ++id) {
        const bool isFirst = id % 2 == 0;
        const auto begin = std::chrono::steady_clock::now();
        const TwoOutcomes back = models.load(client, id, isFirst ? models.first : models.second);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));
        EXPECT_FALSE(back.wasRead);
        EXPECT_EQ(back.alsoLoaded, isFirst ? models.second : models.first);
        EXPECT_EQ(answerOf(client, 100 + id), isFirst ? ofFirst : ofSecond);
    }
}

TEST(TwoRealModels, OnlyOneStaysWhereMemoryIsShort) {
    // Enough for either of them, and less than the share of others, a sixteenth.
    const test::LittleMemory memory(uint64_t{8} << 30, uint64_t{500} << 20);
    const RealHost models;
    HostClient client(RealHost::run);
    client.greet();
    EXPECT_TRUE(models.load(client, 2, models.first).wasRead);
    const TwoOutcomes other = models.load(client, 3, models.second);
    EXPECT_EQ(other.inUse, models.second);
    EXPECT_EQ(other.alsoLoaded, "");
}

}  // namespace
}  // namespace ingle::cli
