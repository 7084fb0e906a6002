#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "app/serve/engine/deadlines.h"
#include "app/serve/metrics.h"

namespace ingle::serve {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Deadlines, PassInTheirOrderUnlessCalledOff) {
    Deadlines deadlines;
    std::promise<std::string> done;
    std::string passed;
    deadlines.set(60ms, [&] { done.set_value(passed + "c"); });
    const auto b = deadlines.set(40ms, [&] { passed += "b"; });
    deadlines.set(20ms, [&] { passed += "a"; });
    deadlines.callOff(b);
    EXPECT_EQ(done.get_future().get(), "ac");
    deadlines.set(1h, [] { FAIL() << "the object ends first"; });
}

TEST(Deadlines, AfterTheirStopNothingHappens) {
    Deadlines deadlines;
    std::promise<void> begun;
    std::atomic<bool> isDone = false;
    deadlines.set(0ms, [&] {
        begun.set_value();
        std::this_thread::sleep_for(50ms);
        isDone = true;
    });
    deadlines.set(20ms, [] { FAIL() << "it was stopped before"; });
    begun.get_future().wait();
    deadlines.stop();
    EXPECT_TRUE(isDone) << "what was happening is waited for";
    deadlines.set(0ms, [] { FAIL() << "it is stopped"; });
    std::this_thread::sleep_for(50ms);
    deadlines.stop();  // again, as its end does
}

TEST(Metrics, AreWhatPrometheusReads) {
    Metrics metrics;
    metrics.countRequest("/v1/models", 200);
    metrics.countRequest("/v1/models", 200);
    metrics.countRequest("none", 404);
    metrics.setAnswersUnderWay(3);
    EXPECT_EQ(metrics.meanAnswerSeconds(), 0);
    GenerateStats stats;
    stats.promptTokens = 10;
    stats.cachedTokens = 4;
    stats.newTokens = 7;
    metrics.countAnswer(stats, 2, 0.25);
    metrics.countAnswer(stats, 4, 90);
    EXPECT_EQ(metrics.meanAnswerSeconds(), 3);
    const std::string text = metrics.text();
    EXPECT_THAT(text, HasSubstr("ingle_requests_total{endpoint=\"/v1/models\",status=\"200\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("ingle_answers_under_way 3\n"));
    EXPECT_THAT(text, HasSubstr("ingle_generated_tokens_total 14\n"));
    EXPECT_THAT(text, HasSubstr("_bucket{le=\"0.1\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("_bucket{le=\"0.25\"} 1\n")) << "a bound belongs to its bucket";
    EXPECT_THAT(text, HasSubstr("_bucket{le=\"60\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("_bucket{le=\"+Inf\"} 2\n"));
}

}  // namespace
}  // namespace ingle::serve
