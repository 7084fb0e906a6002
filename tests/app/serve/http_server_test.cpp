#include "app/serve/http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <deque>
#include <future>
#include <random>

#include "app/local/local_socket.h"
#include "app/serve/listeners.h"
#include "tests/temporary_folder.h"
#include "tests/unix_socket.h"

namespace ingle::serve::http {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A client that says exactly what it is told, and reads when it is told.
class RawClient {
  public:
    explicit RawClient(const std::string& path) : m_socket(test::connectTo(path)) {
        EXPECT_TRUE(m_socket.isOpen());
    }
    bool say(std::string_view text) const {
        return ::send(m_socket.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(text.size());
    }
    /// What comes until `wanted` is in it, the end, or too long a wait.
    std::string hear(std::string_view wanted, std::chrono::milliseconds most = 5s) {
        const auto limit = std::chrono::steady_clock::now() + most;
        while (m_heard.find(wanted) == m_heard.npos && std::chrono::steady_clock::now() < limit) {
            pollfd polled{.fd = m_socket.get(), .events = POLLIN, .revents = 0};
            if (::poll(&polled, 1, 20) <= 0) continue;
            char buffer[4096];
            const ssize_t count = ::recv(m_socket.get(), buffer, sizeof buffer, 0);
            if (count <= 0) break;
            m_heard.append(buffer, static_cast<size_t>(count));
        }
        return m_heard;
    }
    bool isClosed(std::chrono::milliseconds most = 5s) const {
        pollfd polled{.fd = m_socket.get(), .events = POLLRDHUP, .revents = 0};
        return ::poll(&polled, 1, static_cast<int>(most.count())) == 1;
    }
    int fd() const { return m_socket.get(); }

  private:
    FileDescriptor m_socket;
    std::string m_heard;
};

class HttpServer : public ::testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("http.sock");
        m_limits.idle = 1s;
        m_limits.bodyBytes = 1000;
        m_limits.unreadBytes = size_t{1} << 20;
    }
    void start(
        Handler handler, Gate gate = [](const Request&) { return std::nullopt; }) {
        auto socket = local::LocalSocket::listen(m_path);
        ASSERT_TRUE(socket) << socket.error().message;
        m_socket.emplace(std::move(*socket));
        auto server =
            Server::start(m_socket->takeDescriptor(), m_limits, std::move(gate), std::move(handler));
        ASSERT_TRUE(server) << server.error().message;
        m_server = std::move(*server);
    }
    /// Keeps what is asked, for the test to answer.
    void startKeeping() {
        start([this](std::shared_ptr<Exchange> exchange) {
            const std::scoped_lock lock(m_mutex);
            m_kept.push_back(std::move(exchange));
        });
    }
    std::shared_ptr<Exchange> next() {
        for (int wait = 0; wait < 500; ++wait, std::this_thread::sleep_for(10ms)) {
            const std::scoped_lock lock(m_mutex);
            if (m_kept.empty()) continue;
            auto exchange = std::move(m_kept.front());
            m_kept.pop_front();
            return exchange;
        }
        return nullptr;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
    Limits m_limits;
    std::mutex m_mutex;
    std::deque<std::shared_ptr<Exchange>> m_kept;
    std::optional<local::LocalSocket> m_socket;
    std::unique_ptr<Server> m_server;
};

constexpr std::string_view kAsk = "GET /x%20y?q=1 HTTP/1.1\r\nHost: here\r\nX-Twice: a\r\nX-Twice: b\r\n\r\n";

TEST_F(HttpServer, AnswersAtOnceAndOverAgain) {
    start([](const std::shared_ptr<Exchange>& exchange) {
        const Request& request = exchange->request();
        exchange->reply({.status = 201,
                         .body = fmt::format("{} {} {} {}", request.method, request.path,
                                             request.header("x-twice"), request.body)});
    });
    RawClient client(m_path);
    client.say(kAsk);
    EXPECT_THAT(client.hear("a, b"), StartsWith("HTTP/1.1 201"));
    EXPECT_THAT(client.hear("a, b"), HasSubstr("\r\n\r\nGET /x y a, b "));
    client.say("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_THAT(client.hear("POST /  body"), HasSubstr("POST /  body"));
}

TEST_F(HttpServer, AStreamGoesOutPieceByPiece) {
    startKeeping();
    RawClient client(m_path);
    client.say(kAsk);
    const auto exchange = next();
    ASSERT_TRUE(exchange);
    exchange->begin({.status = 200, .body = "first"});
    EXPECT_THAT(client.hear("first"), HasSubstr("Transfer-Encoding: chunked"));
    exchange->write("second");
    EXPECT_THAT(client.hear("second"), HasSubstr("second"));
    exchange->end();
    EXPECT_THAT(client.hear("0\r\n\r\n"), ::testing::EndsWith("0\r\n\r\n"));
    exchange->write("late");
    client.say(kAsk);
    EXPECT_TRUE(next()) << "the connection goes on";
}

TEST_F(HttpServer, WhoGoesWhileItWaitsIsMissed) {
    startKeeping();
    std::atomic<int> gone{0};
    std::shared_ptr<Exchange> exchange;
    {
        RawClient client(m_path);
        client.say(kAsk);
        exchange = next();
        ASSERT_TRUE(exchange);
        exchange->onGone([&gone] { ++gone; });
    }
    for (int wait = 0; wait < 300 && gone == 0; ++wait) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(gone, 1);
    exchange->reply({});  // nobody hears it
    exchange->onGone([&gone] { ++gone; });
    EXPECT_EQ(gone, 2) << "who asks late is told at once";
}

TEST_F(HttpServer, WhoHasHeardAllIsNotMissed) {
    startKeeping();
    std::atomic<int> gone{0};
    {
        RawClient client(m_path);
        client.say(kAsk);
        const auto exchange = next();
        ASSERT_TRUE(exchange);
        exchange->onGone([&gone] { ++gone; });
        exchange->reply({.status = 200, .body = "all"});
        EXPECT_THAT(client.hear("all"), HasSubstr("all"));
    }
    std::this_thread::sleep_for(500ms);
    EXPECT_EQ(gone, 0);
}

TEST_F(HttpServer, WhoReadsNothingIsLetGoAndHoldsUpNobody) {
    m_limits.idle = 30s;
    startKeeping();
    std::vector<std::unique_ptr<RawClient>> slow;
    std::vector<std::shared_ptr<Exchange>> answers;
    std::atomic<int> gone{0};
    for (int count = 0; count < 20; ++count) {
        slow.push_back(std::make_unique<RawClient>(m_path));
        slow.back()->say(kAsk);
        answers.push_back(next());
        ASSERT_TRUE(answers.back());
        answers.back()->onGone([&gone] { ++gone; });
        answers.back()->begin({.status = 200});
    }
    // More than a socket's buffers and what may be left unread hold.
    const std::string piece(64 * 1024, 'x');
    for (int count = 0; count < 64; ++count)
        for (const auto& answer : answers) answer->write(piece);
    RawClient quick(m_path);
    quick.say(kAsk);
    const auto exchange = next();
    ASSERT_TRUE(exchange);
    exchange->reply({.status = 200, .body = "at once"});
    EXPECT_THAT(quick.hear("at once", 500ms), HasSubstr("at once"));
    for (int wait = 0; wait < 300 && gone < 20; ++wait) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(gone, 20);
}

TEST_F(HttpServer, WhoSendsByteByByteIsCutOff) {
    startKeeping();
    RawClient client(m_path);
    const auto begin = std::chrono::steady_clock::now();
    bool isOpen = true;
    for (size_t at = 0; at < kAsk.size() && isOpen; ++at) {
        client.say(kAsk.substr(at, 1));
        isOpen = !client.isClosed(100ms);
    }
    EXPECT_FALSE(isOpen);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
}

TEST_F(HttpServer, LimitsHold) {
    startKeeping();
    RawClient said(m_path);
    said.say("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1001\r\n\r\n" + std::string(1001, 'x'));
    EXPECT_THAT(said.hear("request_too_large"), StartsWith("HTTP/1.1 413"));
    RawClient chunked(m_path);
    chunked.say("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n5dc\r\n" +
                std::string(1500, 'x') + "\r\n0\r\n\r\n");
    EXPECT_THAT(chunked.hear("request_too_large"), StartsWith("HTTP/1.1 413"));
    RawClient endless(m_path);
    endless.say("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nfa0\r\n" +
                std::string(4000, 'x'));
    EXPECT_TRUE(endless.isClosed());
    RawClient headers(m_path);
    headers.say("GET / HTTP/1.1\r\nHost: here\r\nX: " + std::string(64 * 1024, 'x') + "\r\n\r\n");
    EXPECT_THAT(headers.hear("}}"), AllOf(StartsWith("HTTP/1.1 431"), HasSubstr("headers_too_large")));
    const std::scoped_lock lock(m_mutex);
    EXPECT_TRUE(m_kept.empty());
}

TEST_F(HttpServer, AFrameThatCanBeReadInTwoWaysIsNotRead) {
    startKeeping();
    // RFC 9112: 6.3, 6.1, 5.1, 5.2, 2.2.
    for (const char* lengths :
         {"Content-Length: 1\r\nContent-Length: 30\r\n",
          "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "Content-Length:\r\nContent-Length: 30\r\n",
          "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding:\r\n",
          "Content-Length:\r\n", "Content-Length : 30\r\n", "Content-Length:\r\n 30\r\n",
          "Content-Length:\r\n\t30\r\n", "Content-Length: 1\r\nTransfer-Encoding:\r\n chunked\r\n",
          "Content-Length: 1\r\nTransfer-Encoding : chunked\r\n", "X: a\rContent-Length: 30\r\n"}) {
        RawClient two(m_path);
        two.say(std::string("POST / HTTP/1.1\r\nHost: here\r\n") + lengths + "\r\n" +
                "0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: here\r\n\r\n");
        const std::string heard = two.hear("more than is ever said");
        EXPECT_THAT(heard, StartsWith("HTTP/1.1 400")) << lengths;
        EXPECT_THAT(heard, Not(HasSubstr("HTTP/1.1 200"))) << lengths;
        EXPECT_TRUE(two.isClosed()) << lengths;
    }
    const std::scoped_lock lock(m_mutex);
    EXPECT_TRUE(m_kept.empty());
}

/// What another program might read as another request: a value that ends at a NUL, a line without its CR.
TEST_F(HttpServer, ANulAndABareLineFeedAreRefused) {
    startKeeping();
    using namespace std::string_literals;
    for (const std::string& lines :
         {"Host: here\0.evil\r\n"s, "Host: here\r\nContent-Length: 5\0009\r\n"s, "Host\0: here\r\n"s,
          "Host: here\r\nX: a\nTransfer-Encoding: chunked\r\n"s, "Host: here\n"s,
          "Host: here\r\nX: a\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n"s,
          "Host: here\r\nHost: there\r\n"s, "Host: here\r\nX: \x01\r\n"s, "X: y\r\n"s}) {
        RawClient client(m_path);
        client.say("POST / HTTP/1.1\r\n" + lines + "\r\nAAAAAGET /hidden HTTP/1.1\r\nHost: here\r\n\r\n");
        const std::string heard = client.hear("more than is ever said");
        EXPECT_THAT(heard, AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("malformed_header"))) << lines;
        EXPECT_TRUE(client.isClosed()) << lines;
    }
    const std::scoped_lock lock(m_mutex);
    EXPECT_TRUE(m_kept.empty());
}

TEST_F(HttpServer, AChunkThatCanBeReadInTwoWaysIsNotRead) {
    startKeeping();
    for (const char* body :
         {"5\nAAAAA\r\n0\r\n\r\n", "+5\r\nAAAAA\r\n0\r\n\r\n", "5\r\nAAAAAA\r\n0\r\n\r\n",
          "0x5\r\nAAAAA\r\n0\r\n\r\n", "11111111111111111\r\nA", " 5\r\nAAAAA\r\n0\r\n\r\n"}) {
        RawClient client(m_path);
        client.say(std::string("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n") + body);
        EXPECT_THAT(client.hear("malformed_chunk"), StartsWith("HTTP/1.1 400")) << body;
    }
    RawClient sound(m_path);
    sound.say(
        "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n");
    const auto exchange = next();
    ASSERT_TRUE(exchange);
    EXPECT_EQ(exchange->request().body, "abcde");
}

/// Whatever bytes come, cut wherever: an answer of this server or none, and never a crash.
TEST_F(HttpServer, WhateverComesIsReadOrRefused) {
    start([](const std::shared_ptr<Exchange>& exchange) { exchange->reply({.status = 200, .body = "ok"}); });
    const std::string sound =
        "POST /a%20b HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nAAAAA\r\n0\r\n\r\n";
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = sound;
        for (unsigned edit = random() % 4; edit > 0; --edit)
            bytes[random() % bytes.size()] =
                static_cast<char>(random() % 3 == 0 ? random() : "\r\n\0:; "[random() % 6]);
        const RawClient client(m_path);
        const size_t cut = random() % bytes.size();
        client.say(bytes.substr(0, cut));
        client.say(bytes.substr(cut));
    }
    RawClient after(m_path);
    after.say(kAsk);
    EXPECT_THAT(after.hear("ok"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServer, AllBodiesTogetherHaveOneBound) {
    m_limits.bodyBytes = size_t{1} << 20;
    m_limits.allBodies = std::make_shared<BodyBudget>(size_t{1} << 20);
    startKeeping();
    const std::string head = "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 700000\r\n\r\n";
    const std::string body(700'000, 'x');
    RawClient first(m_path), second(m_path), third(m_path), quick(m_path);
    std::thread sends([&] { first.say(head + body); });
    auto kept = next();
    sends.join();
    ASSERT_TRUE(kept);
    std::thread sendsToo([&] { second.say(head + body); });
    EXPECT_THAT(second.hear("bodies_full"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After")));
    sendsToo.join();
    // A short one finds room.
    quick.say("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody");
    const auto shortOne = next();
    ASSERT_TRUE(shortOne);
    EXPECT_EQ(shortOne->request().body, "body");
    kept->reply({});
    first.hear("HTTP/1.1 200");
    kept.reset();
    std::thread sendsAgain([&] { third.say(head + body); });
    EXPECT_TRUE(next()) << "what was answered has given its room back";
    sendsAgain.join();
}

TEST_F(HttpServer, SlowConnectionsHoldUpNobody) {
    m_limits.connections = 20;
    start([](const std::shared_ptr<Exchange>& exchange) { exchange->reply({.status = 200, .body = "ok"}); });
    std::vector<std::unique_ptr<RawClient>> slow;
    for (int count = 0; count < 60; ++count) {
        slow.push_back(std::make_unique<RawClient>(m_path));
        slow.back()->say("POST / HTTP/1.1\r\nHost: here\r\nX: ");
    }
    RawClient quick(m_path);
    quick.say(kAsk);
    EXPECT_THAT(quick.hear("ok", 500ms), StartsWith("HTTP/1.1 200"));
    EXPECT_TRUE(slow.front()->isClosed()) << "the one that has waited longest makes room";
    EXPECT_FALSE(slow.back()->isClosed(0ms));
}

/// The next answer begins where a client that reads no body looks for it.
TEST_F(HttpServer, AnAnswerToHeadHasNoBody) {
    start(
        [](const std::shared_ptr<Exchange>& exchange) { exchange->reply({.status = 200, .body = "words"}); });
    RawClient client(m_path);
    client.say("HEAD / HTTP/1.1\r\nHost: here\r\n\r\nHEAD / HTTP/1.1\r\nHost: here\r\n\r\n");
    client.say("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
    const std::string heard = client.hear("words");
    EXPECT_EQ(heard.find("words"), heard.size() - 5);
    EXPECT_THAT(heard, HasSubstr("Content-Length: 5\r\n\r\nHTTP/1.1 200"));
}

TEST_F(HttpServer, EmptyLinesGiveAHeadNoMoreTime) {
    m_limits.idle = 30s;
    m_limits.head = 300ms;
    startKeeping();
    const RawClient breaks(m_path), lines(m_path);
    lines.say("\r\n");
    breaks.say("\n");
    EXPECT_TRUE(breaks.isClosed()) << "a line without its CR";
    std::this_thread::sleep_for(200ms);
    lines.say("X");
    EXPECT_TRUE(lines.isClosed(250ms)) << "the time runs from the first byte";
}

TEST_F(HttpServer, AHeadHasLessTimeThanABody) {
    m_limits.idle = 30s;
    m_limits.head = 300ms;
    startKeeping();
    const RawClient head(m_path), silent(m_path);
    RawClient body(m_path);
    head.say("POST / HTTP/1.1\r\nX");
    body.say("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbo");
    EXPECT_TRUE(head.isClosed());
    EXPECT_TRUE(silent.isClosed());
    EXPECT_FALSE(body.isClosed(0ms));
}

TEST_F(HttpServer, WhoFindsNoRoomIsToldSo) {
    m_limits.connections = 2;
    startKeeping();
    RawClient first(m_path), second(m_path);
    first.say(kAsk);
    const auto one = next();
    second.say(kAsk);
    const auto two = next();
    ASSERT_TRUE(one && two);
    RawClient third(m_path);
    EXPECT_THAT(third.hear("connections_full"), StartsWith("HTTP/1.1 503"));
    one->reply({.status = 200, .body = "first"});
    EXPECT_THAT(first.hear("first"), HasSubstr("first"));
}

/// Nor is one that has come just before taken for one that waits; and who is turned away can send all of a
/// request, and then reads why.
TEST_F(HttpServer, WhoHasJustComeIsNotClosedForOthers) {
    m_limits.connections = 4;
    start([](const std::shared_ptr<Exchange>& exchange) { exchange->reply({.status = 200, .body = "ok"}); });
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int count = 0; count < 6; ++count) clients.push_back(std::make_unique<RawClient>(m_path));
    std::this_thread::sleep_for(100ms);
    for (size_t each = 0; each < clients.size(); ++each) {
        clients[each]->say("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n");
        clients[each]->say(std::string(100, 'x'));
        EXPECT_THAT(clients[each]->hear(each < 4 ? "ok" : "connections_full"),
                    StartsWith(each < 4 ? "HTTP/1.1 200" : "HTTP/1.1 503"))
            << each;
    }
}

/// From 127.0.0.2 and others, which are addresses of this computer, too.
class AddressClient {
  public:
    AddressClient(const char* from, uint16_t port) : m_socket(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in own{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}}, server = own;
        ::inet_pton(AF_INET, from, &own.sin_addr);
        ::inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
        server.sin_port = htons(port);
        EXPECT_EQ(::bind(m_socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
        EXPECT_EQ(::connect(m_socket.get(), reinterpret_cast<sockaddr*>(&server), sizeof server), 0);
    }
    std::string ask() const {
        char answer[512];
        if (::send(m_socket.get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL) < 0) return "";
        const ssize_t count = ::recv(m_socket.get(), answer, sizeof answer, 0);
        return {answer, static_cast<size_t>(std::max<ssize_t>(count, 0))};
    }

  private:
    FileDescriptor m_socket;
};

TEST_F(HttpServer, OneAddressLeavesRoomForOthers) {
    m_limits.connections = 8;
    auto listener = listenOn({.host = "127.0.0.1"});
    ASSERT_TRUE(listener) << listener.error().message;
    const auto server = Server::start(
        std::move(listener->socket), m_limits, [](const Request&) { return std::nullopt; },
        [this](std::shared_ptr<Exchange> exchange) {
            if (const std::scoped_lock lock(m_mutex); m_kept.size() < 4) return m_kept.push_back(exchange);
            exchange->reply({.status = 200, .body = "ok"});
        });
    ASSERT_TRUE(server);
    std::vector<std::thread> waiting;
    for (int count = 0; count < 4; ++count)
        waiting.emplace_back([&] { (void)AddressClient("127.0.0.2", listener->port).ask(); });
    const auto held = [&] {
        const std::scoped_lock lock(m_mutex);
        return m_kept.size();
    };
    for (int wait = 0; wait < 500 && held() < 4; ++wait) std::this_thread::sleep_for(10ms);
    EXPECT_THAT(AddressClient("127.0.0.2", listener->port).ask(), HasSubstr("connections_full"));
    EXPECT_THAT(AddressClient("127.0.0.3", listener->port).ask(), StartsWith("HTTP/1.1 200"));
    for (const auto& exchange : m_kept) exchange->reply({});
    for (std::thread& each : waiting) each.join();
}

TEST_F(HttpServer, WhoIsRefusedReadsWhyAndItsBodyIsDropped) {
    start(
        [](const std::shared_ptr<Exchange>& exchange) { exchange->reply({.status = 200, .body = "let in"}); },
        [](const Request& request) -> std::optional<Response> {
            if (request.header("host") == "here") return std::nullopt;
            return Response{.status = 403, .body = "kept out"};
        });
    RawClient out(m_path);
    out.say("POST / HTTP/1.1\r\nHost: there\r\nContent-Length: 1900\r\n\r\n" + std::string(1900, 'x'));
    EXPECT_THAT(out.hear("kept out"), StartsWith("HTTP/1.1 403"));
    RawClient in(m_path);
    in.say(kAsk);
    EXPECT_THAT(in.hear("let in"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServer, AKeptConnectionHasItsTimeForEachRequest) {
    m_limits.idle = 1500ms;
    startKeeping();
    RawClient client(m_path);
    for (int count = 0; count < 2; ++count) {
        client.say(kAsk);
        const auto exchange = next();
        ASSERT_TRUE(exchange);
        exchange->reply({.status = 200, .body = fmt::format("answer {}", count)});
        client.hear(fmt::format("answer {}", count));
    }
    // It sends nothing, so the server closes it once the limit has passed since the last answer.
    const RawClient silent(m_path);
    std::this_thread::sleep_for(m_limits.idle / 2);
    client.say("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbo");
    EXPECT_TRUE(silent.isClosed());
    client.say("dy");
    EXPECT_TRUE(next());
}

TEST_F(HttpServer, ItEndsWithWhateverIsUnderWay) {
    startKeeping();
    RawClient waits(m_path), streams(m_path), sends(m_path);
    waits.say(kAsk);
    const auto waiting = next();
    streams.say(kAsk);
    const auto streaming = next();
    ASSERT_TRUE(waiting && streaming);
    streaming->begin({.status = 200, .body = "first"});
    streams.hear("first");
    sends.say("POST / HTT");
    std::atomic<int> gone{0};
    waiting->onGone([&gone] { ++gone; });
    streaming->onGone([&gone] { ++gone; });
    m_server.reset();
    EXPECT_EQ(gone, 2);
    waiting->reply({});
    streaming->write("more");
    streaming->end();
    EXPECT_TRUE(waits.isClosed());
    EXPECT_TRUE(sends.isClosed());
}

}  // namespace
}  // namespace ingle::serve::http
