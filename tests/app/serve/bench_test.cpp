#include "app/serve/bench/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "app/serve/http/server.h"
#include "app/serve/listeners.h"

namespace ingle::serve::bench {
namespace {

using ::testing::HasSubstr;

TEST(Bench, PercentilesAreOfTheNearestRank) {
    EXPECT_EQ(percentile({}, 0.5), 0);
    EXPECT_EQ(percentile({3}, 0.99), 3);
    EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2);
    EXPECT_EQ(percentile({4, 1, 3, 2}, 0.75), 3);
    EXPECT_EQ(percentile({4, 1, 3, 2}, 0.99), 4);
}

/// A server that says three words to each question, and refuses every fifth.
class BenchServer : public ::testing::Test {
  protected:
    void SetUp() override {
        auto listener = listenOn({.host = "127.0.0.1", .port = 0, .isLoopback = true});
        ASSERT_TRUE(listener);
        m_options.url = fmt::format("http://127.0.0.1:{}/v1", listener->port);
        auto server = http::Server::start(
            std::move(listener->socket), {}, [](const http::Request&) { return std::nullopt; },
            [this](const std::shared_ptr<http::Exchange>& exchange) { answer(*exchange); });
        ASSERT_TRUE(server);
        m_server = std::move(*server);
        m_options.duration = std::chrono::seconds(1);
    }
    void answer(http::Exchange& exchange) {
        if (exchange.request().path == "/v1/models")
            return exchange.reply({.status = 200, .body = R"({"data":[{"id":"echo"}]})"});
        {
            const std::scoped_lock lock(m_mutex);
            m_bodies.push_back(exchange.request().body);
        }
        const unsigned number = m_asked++;
        if (!m_streams.empty()) {
            exchange.begin({.status = 200});
            exchange.write(m_streams[number % m_streams.size()]);
            return exchange.end();
        }
        if (number % 5 == 4) return exchange.reply({.status = 429, .body = "{}"});
        exchange.begin({.status = 200});
        for (const char* word : {"one ", "two ", "three"})
            exchange.write(
                fmt::format("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", word));
        exchange.write("data: {\"choices\":[],\"usage\":{\"completion_tokens\":3}}\n\ndata: [DONE]\n\n");
        exchange.end();
    }

    LoadOptions m_options;
    std::mutex m_mutex;
    std::vector<std::string> m_bodies;
    std::vector<std::string> m_streams;  ///< said in place of the words, one after the other
    std::atomic<unsigned> m_asked{0};
    std::unique_ptr<http::Server> m_server;
};

TEST_F(BenchServer, ClientsAskAgainAndAgain) {
    m_options.clients = 3;
    const auto report = runLoad(m_options);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->samples.size(), m_asked);
    EXPECT_GT(report->samples.size(), 10u);
    unsigned numFailed = 0;
    for (const Sample& sample : report->samples) {
        if (sample.failure.empty()) {
            EXPECT_EQ(sample.tokens, 3u);
            EXPECT_GT(sample.firstToken, 0);
            EXPECT_GE(sample.total, sample.firstToken);
            EXPECT_EQ(sample.gaps.size(), 2u);
        } else {
            EXPECT_EQ(sample.failure, "status 429");
            ++numFailed;
        }
    }
    EXPECT_EQ(numFailed, m_asked / 5);
    EXPECT_THAT(reportText(*report, m_options), HasSubstr(fmt::format("failed: {} (status 429)", numFailed)));
    EXPECT_THAT(m_bodies.front(), HasSubstr(R"("model":"echo")"));
}

TEST_F(BenchServer, ArrivalsKeepTheirRate) {
    m_options.requestsPerSecond = 100;
    m_options.clients = 50;
    const auto report = runLoad(m_options);
    ASSERT_TRUE(report) << report.error().message;
    // A Poisson process of 100 in a second: five standard deviations on either side.
    EXPECT_GT(m_asked + report->notBegun, 50u);
    EXPECT_LT(m_asked + report->notBegun, 150u);
}

TEST_F(BenchServer, StreamsOfOtherServersAreAnswersOrFailuresOfOneSentence) {
    const std::string words = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}",
                      done = "data: [DONE]";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {words + "\r\n\r\n" + done + "\r\n\r\n", ""},
        {"data: {\"choices\":[{\"delta\":null}]}\n\n" + words + "\n\n" + done + "\n\n", ""},
        {words + "\n\ndata: {\"choices\":[],\"usage\":{\"completion_tokens\":null}}\n\n" + done + "\n\n", ""},
        {words + "\n\ndata: {\"choices\":[null],\"usage\":7}\n\ndata: [1]\n\n" + done + "\n\n", ""},
        {"data: {\"error\":\"no memory\",\"error_type\":\"generation\"}\n\n" + done + "\n\n", "no memory"},
        {"data: {\"error\":{\"message\":7}}\n\n" + done + "\n\n", "an error"},
        {done + "\n\n", "an answer without words"},
        {words + "\n\n", "the stream broke off"},
    };
    for (const auto& each : cases) m_streams.push_back(each.first);
    m_options.clients = 1;
    const auto report = runLoad(m_options);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_GE(report->samples.size(), cases.size());
    for (size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(report->samples[i].failure, cases[i].second) << cases[i].first;
}

TEST(Bench, AServerThatIsNotThereIsOneSentence) {
    LoadOptions options;
    options.url = "http://127.0.0.1:1/v1";
    const auto report = runLoad(options);
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message, HasSubstr("127.0.0.1:1/v1/models"));
}

}  // namespace
}  // namespace ingle::serve::bench
