/// The real `ingle host` through the client: several answers at once, and its death in the middle of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "app/client/client.h"
#include "app/client/host_process.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

constexpr size_t kAnswers = 3;
constexpr uint32_t kTokens = 40;

protocol::Generate question(size_t which) {
    protocol::Generate generate;
    generate.request.rawTokens = {static_cast<TokenId>(which + 1), 2, 3};
    generate.request.sampler.seed = which;
    generate.request.maxTokens = kTokens;
    return generate;
}

enum class Death { None, InTheMiddle };

/// What came of all questions.
struct Heard {
    std::vector<TokenId> ids[kAnswers];
    std::string error;
    size_t ends = 0;
    size_t mostAtOnce = 0;  ///< answers that had begun before the first one ended
    int hosts = 0;
};

Heard ask(const std::string& model, Death death) {
    Heard heard;
    std::mutex mutex;
    std::condition_variable changed;
    int64_t pid = 0;
    client::Options options;
    options.notices.hostPidChanged = [&](int64_t now) {
        const std::scoped_lock lock(mutex);
        pid = now;
        heard.hosts += now != 0;
    };
    const auto client =
        client::Client::create(
            client::startedBy({INGLE_BIN_DIR "/ingle", {"host", "--pace-ms", "2", "--snapshot-mb", "0"}}),
            std::move(options))
            .value();
    const auto begun = [&] {
        return static_cast<size_t>(
            std::ranges::count_if(heard.ids, [](const auto& ids) { return ids.size() > 5; }));
    };
    LoadOptions load;
    load.backend = BackendChoice::Cpu;
    load.threads = 1;
    client->send<protocol::Load>({model, load}, {.finished = [&](const auto& outcome) {
                                     const std::scoped_lock lock(mutex);
                                     if (!outcome) heard.error = outcome.error().error.message;
                                 }});
    for (size_t i = 0; i < kAnswers; ++i) {
        client->send<protocol::Generate>(
            question(i), {.finished =
                              [&](const auto& outcome) {
                                  const std::scoped_lock lock(mutex);
                                  if (!outcome) heard.error = outcome.error().error.message;
                                  if (++heard.ends == 1) heard.mostAtOnce = begun();
                                  changed.notify_all();
                              },
                          .update =
                              [&, i](const auto& update) {
                                  const auto* tokens = std::get_if<protocol::Tokens>(&update);
                                  if (tokens == nullptr) return;
                                  const std::scoped_lock lock(mutex);
                                  const auto& ids = tokens->chunk.ids;
                                  heard.ids[i].insert(heard.ids[i].end(), ids.begin(), ids.end());
                                  changed.notify_all();
                              }});
    }
    std::unique_lock lock(mutex);
    const auto patience = std::chrono::seconds(60);
    if (death == Death::InTheMiddle) {
        EXPECT_TRUE(changed.wait_for(lock, patience, [&] { return begun() == kAnswers || heard.ends > 0; }));
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    EXPECT_TRUE(changed.wait_for(lock, patience, [&] { return heard.ends == kAnswers; }));
    return heard;
}

TEST(ParallelAnswers, AreWrittenAtOnceAndADeathOfTheHostDoesNotChangeThem) {
    const test::TemporaryFolder folder;
    ::setenv("INGLE_DATA_DIR", folder.path().c_str(), 1);
    const std::string model = folder.file("model.gguf");
    ASSERT_EQ(std::system((INGLE_BIN_DIR "/ingle synth --family llama -o " + model).c_str()), 0);
    const Heard straight = ask(model, Death::None);
    Heard interrupted = ask(model, Death::InTheMiddle);
    // On a busy machine the answers may be over before the signal arrives.
    for (int tries = 1; tries < 20 && interrupted.hosts == 1; ++tries)
        interrupted = ask(model, Death::InTheMiddle);
    ::unsetenv("INGLE_DATA_DIR");
    EXPECT_EQ(straight.error, "");
    EXPECT_EQ(interrupted.error, "");
    EXPECT_EQ(straight.hosts, 1);
    EXPECT_EQ(interrupted.hosts, 2);
    EXPECT_EQ(straight.mostAtOnce, kAnswers);
    for (size_t i = 0; i < kAnswers; ++i) {
        EXPECT_EQ(straight.ids[i].size(), kTokens);
        EXPECT_EQ(interrupted.ids[i], straight.ids[i]) << i;
    }
    EXPECT_NE(straight.ids[0], straight.ids[1]);
}

}  // namespace
}  // namespace ingle::cli
