/// Requests about files that may take long, or for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <numeric>
#include <set>

#include "ingle/error_ids.h"
#include "tests/app/client/supervised.h"

namespace ingle::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SupervisorTest, AFileThatHangsEndsItsInspectionAndNothingElse) {
    load();
    Answer answer;
    askFor(answer, "a");
    std::string hung;
    std::string cancelled;
    std::string fine;
    const auto first = inspect("hung.gguf", hung);
    const auto second = inspect("hung, too.gguf", cancelled);
    serve();
    m_supervisor.cancel(second);
    EXPECT_EQ(cancelled, "It was cancelled.");
    m_now += 59s;
    m_supervisor.tick();
    EXPECT_EQ(hung, "");
    m_now += 1s;
    m_supervisor.tick();
    EXPECT_EQ(hung, "Nothing could be read for 60 seconds: hung.gguf.");
    EXPECT_EQ(got<protocol::Cancel>().back().second.target, first);
    ModelInfo info;
    info.path = "fine.gguf";
    say(inspect("fine.gguf", fine), protocol::Inspected{info});
    EXPECT_EQ(fine, "fine.gguf");
    EXPECT_EQ(m_abandoned, 0);
    EXPECT_EQ(m_starts, 1);
    EXPECT_EQ(answer.ends, 0);
    EXPECT_FALSE(m_supervisor.nextDeadline());
}

/// It goes on beside answers, is asked for again by a host that died, and ends when the host says so.
TEST_F(SupervisorTest, AnImportIsEndedByTheHost) {
    load();
    std::string heard;
    const auto import = [&] {
        return ask(
            protocol::Import{"m", "f", "n", "Q4_K_M"},
            Handlers<protocol::Import>{
                .finished =
                    [&](const auto& outcome) { heard += outcome ? outcome->path : outcome.error().error.id; },
                .update = [&](const auto&) { heard += "."; }});
    };
    const auto first = import();
    Answer answer;
    askFor(answer, "a");
    serve();
    EXPECT_EQ(got<protocol::Generate>().size(), 1u);
    say(first, protocol::Progress{0.5, "writing the model", {}});
    end(kKilled);
    serve();
    ASSERT_EQ(got<protocol::Import>().size(), 1u) << "the new host is asked again";
    say(first, protocol::Imported{"f/n.gguf", 1});
    EXPECT_EQ(heard, ".f/n.gguf");
    heard.clear();
    const auto second = import();
    m_supervisor.cancel(second);
    EXPECT_EQ(heard, "");
    EXPECT_EQ(got<protocol::Cancel>().back().second.target, second);
    say(second, protocol::Failed{withCodeId({ErrorCode::Cancelled, "It was cancelled."}), {}});
    EXPECT_EQ(heard, "cancelled");
    EXPECT_FALSE(m_supervisor.nextDeadline());
    // A host that dies of a cancel has nothing left to make.
    heard.clear();
    const auto third = import();
    m_supervisor.cancel(third);
    end(kKilled);
    EXPECT_EQ(heard, "cancelled");
}

TEST_F(SupervisorTest, WhoWaitsForAFileThatHangsOnTrialGoesOnAfterIt) {
    load();
    std::string hung;
    inspect("hung.gguf", hung);
    Answer answer;
    askFor(answer, "a");
    for (int deaths = 0; deaths < 2; ++deaths) {
        serve();
        end(kCrashed);
    }
    serve();
    EXPECT_TRUE(got<protocol::Generate>().empty()) << "the file is tried alone";
    m_now += 60s;
    m_supervisor.tick();
    EXPECT_NE(hung, "");
    serve();
    EXPECT_EQ(got<protocol::Generate>().size(), 1u);
}

}  // namespace
}  // namespace ingle::client
