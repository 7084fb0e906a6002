/// The bridge between clients and a far server that does what was agreed.
#include <sys/prctl.h>

#include <algorithm>
#include <list>

#include "tests/app/bridge/bridge_client.h"
#include "tests/app/bridge/fake_far.h"

namespace ingle::bridge {
namespace {

using namespace std::chrono_literals;
using test::BridgeClient;
using test::chatsOf;
using test::FakeFar;
using test::FarConnection;
using test::FarRequest;
using test::question;
using test::refuseAll;
using test::RunningBridge;
using test::Told;
using test::withModels;

TEST(Bridge, AnAnswerIsStreamed) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("Good");
        std::this_thread::sleep_for(50ms);
        connection.delta(" day");
        connection.finish("stop", 12, 3);
        return true;
    }));
    RunningBridge bridge(far.url(), "sk-secret");
    BridgeClient client(bridge.path(), "small");
    const Told told = test::collect(client, client.send(question()));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(), "Good day");
    EXPECT_EQ(told.numTokens, 2) << "each as it came";
    EXPECT_EQ(told.plan.kept, std::vector<uint32_t>{0});
    EXPECT_EQ(told.plan.contextTokens, 4096u);
    EXPECT_EQ(told.done->result.reason, StopReason::EndOfText);
    EXPECT_EQ(told.done->result.stats.promptTokens, 12u);
    EXPECT_EQ(told.done->result.stats.newTokens, 3u);
    EXPECT_GE(told.done->result.stats.decodeMs, 40);
    EXPECT_EQ(told.done->receipt.backend, "remote");
    EXPECT_EQ(told.done->receipt.modelPath, "bridge:small");
    EXPECT_EQ(told.done->receipt.device, far.host());
    const auto chats = chatsOf(far);
    ASSERT_EQ(chats.size(), 1u);
    EXPECT_EQ(chats[0].method, "POST");
    EXPECT_EQ(chats[0].json()["model"], "small");
    EXPECT_NE(chats[0].headers.find("Authorization: Bearer sk-secret\r\n"), std::string::npos);
}

TEST(Bridge, ReasonsOfAnEndAreTold) {
    std::string reason;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("x");
        connection.finish(reason);
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const auto reasonOf = [&](const std::string& told, uint32_t maxTokens) {
        reason = told;
        auto generate = question();
        generate.request.maxTokens = maxTokens;
        return test::collect(client, client.send(generate)).done.value().result.reason;
    };
    EXPECT_EQ(reasonOf("stop", 0), StopReason::EndOfText);
    EXPECT_EQ(reasonOf("tool_calls", 0), StopReason::EndOfText);
    EXPECT_EQ(reasonOf("length", 5), StopReason::MaxTokens);
    EXPECT_EQ(reasonOf("length", 0), StopReason::ContextFull);
    reason = "content_filter";
    EXPECT_TRUE(test::collect(client, client.send(question())).error);
}

TEST(Bridge, ManyClientsAreServedAtOnce) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest& request) {
        connection.beginStream();
        const std::string asked = request.json()["messages"][0]["content"];
        for (int i = 0; i < 20; ++i) {
            connection.delta(asked);
            std::this_thread::sleep_for(2ms);
        }
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    std::vector<std::thread> threads;
    for (int number = 0; number < 8; ++number) {
        threads.emplace_back([&, number] {
            BridgeClient client(bridge.path(), number % 2 ? "small" : "large");
            for (int round = 0; round < 3; ++round) {
                const std::string word = fmt::format("<{}>", number);
                const Told told = test::collect(client, client.send(question(word)));
                ASSERT_TRUE(told.done);
                std::string expected;
                for (int i = 0; i < 20; ++i) expected += word;
                EXPECT_EQ(told.text(), expected);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST(Bridge, ACancelClosesTheFarConnectionAtOnce) {
    std::atomic<bool> closed = false;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("Some");
        closed = connection.isClosed();
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const auto id = client.send(question());
    EXPECT_TRUE(std::holds_alternative<protocol::Planned>(client.next().body));
    EXPECT_TRUE(std::holds_alternative<protocol::Tokens>(client.next().body));
    const auto begin = std::chrono::steady_clock::now();
    client.send(protocol::Cancel{id});
    const auto event = client.next();
    const auto* done = std::get_if<protocol::Done>(&event.body);
    ASSERT_TRUE(done) << protocol::encode(event);
    EXPECT_EQ(event.id, id);
    EXPECT_EQ(done->result.reason, StopReason::Cancelled);
    while (!closed && std::chrono::steady_clock::now() - begin < 4s) std::this_thread::yield();
    EXPECT_TRUE(closed);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
    client.send(protocol::Cancel{id});  // of what is over: no word
    EXPECT_TRUE(std::holds_alternative<protocol::Retained>(client.ask(protocol::Retain{})));
}

TEST(Bridge, AClientThatGoesTakesItsAnswersAlong) {
    std::atomic<bool> closed = false;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("Some");
        closed = connection.isClosed();
        return false;
    }));
    RunningBridge bridge(far.url());
    {
        BridgeClient client(bridge.path(), "small");
        client.send(question());
        client.next();
    }
    for (int waited = 0; waited < 3000 && !closed; ++waited) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(closed);
}

// What it does not take waits at the far server, and not in the bridge.
TEST(Bridge, ASlowClientHoldsUpItsOwnAnswerOnly) {
    constexpr size_t kDeltas = 400, kDeltaBytes = 100'000;
    std::atomic<size_t> sent = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest& request) {
        connection.beginStream();
        const bool isLong = request.json()["messages"][0]["content"] == "long";
        for (size_t i = 0; i < (isLong ? kDeltas : 1); ++i) {
            connection.delta(std::string(kDeltaBytes, 'x'));
            if (isLong) ++sent;
        }
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient slow(bridge.path(), "small"), other(bridge.path(), "small");
    const auto id = slow.send(question("long"));
    for (size_t before = 0; sent == 0 || before != sent;) {
        before = sent;
        std::this_thread::sleep_for(200ms);
    }
    EXPECT_LT(sent, kDeltas / 2) << "the rest waits";
    EXPECT_EQ(test::collect(other, other.send(question("short"))).text().size(), kDeltaBytes);
    EXPECT_EQ(test::collect(slow, id).text().size(), kDeltas * kDeltaBytes);
}

TEST(Bridge, ModelsAreRecognisedInspectedAndLoaded) {
    FakeFar far(withModels(refuseAll));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "");
    const auto answered = client.ask(protocol::Recognise{{"/a.gguf", "bridge:", "bridge:other"}, {}});
    const auto& things = std::get<protocol::Recognised>(answered).things;
    ASSERT_EQ(things.size(), 4u);
    EXPECT_EQ(things[0].path, "bridge:small");
    EXPECT_EQ(things[0].kind, "remote");
    EXPECT_TRUE(things[0].can(ModelAction::Open));
    EXPECT_FALSE(things[0].refusal);
    EXPECT_EQ(things[1].info.name, "large");
    EXPECT_EQ(things[1].info.family, "remote");
    EXPECT_EQ(things[2].path, "/a.gguf");
    EXPECT_TRUE(things[2].refusal);
    EXPECT_EQ(things[3].path, "bridge:other");
    EXPECT_TRUE(things[3].refusal);

    const auto inspected = client.ask(protocol::Inspect{"bridge:small", {}});
    const ModelInfo& info = std::get<protocol::Inspected>(inspected).info;
    EXPECT_EQ(info.path, "bridge:small");
    EXPECT_EQ(info.contextTokens, 4096u);
    EXPECT_EQ(info.backend, "remote");
    EXPECT_EQ(info.device, far.host());
    EXPECT_TRUE(info.memory.fits());
    EXPECT_NE(client.refusal(protocol::Inspect{"bridge:other", {}}, ErrorCode::Unsupported), "");

    EXPECT_NE(client.refusal(question(), ErrorCode::InvalidArgument), "") << "none is loaded";
    EXPECT_NE(client.refusal(protocol::Load{"bridge:other", {}}, ErrorCode::Unsupported), "");
    const size_t before = far.requests().size();
    EXPECT_TRUE(std::holds_alternative<protocol::Loaded>(client.ask(protocol::Load{"bridge:large", {}})));
    EXPECT_EQ(far.requests().size(), before + 1);
    EXPECT_TRUE(std::holds_alternative<protocol::Unloaded>(client.ask(protocol::Unload{})));
    EXPECT_NE(client.refusal(question(), ErrorCode::InvalidArgument), "");
}

TEST(Bridge, OnlyNamedModelsAreOffered) {
    FakeFar listing(withModels(refuseAll));
    RunningBridge bridge(listing.url(), "", {"large", "gone"});
    BridgeClient client(bridge.path(), "large");
    EXPECT_EQ(std::get<protocol::Recognised>(client.ask(protocol::Recognise{{"bridge:"}, {}})).things.size(),
              1u);
    EXPECT_NE(client.refusal(protocol::Load{"bridge:small", {}}), "");
    // A server without a list has those that are named.
    FakeFar silent([](const FarConnection& connection, const FarRequest&) {
        connection.answer(404, "");
        return true;
    });
    RunningBridge named(silent.url(), "", {"mine"}), unnamed(silent.url());
    BridgeClient one(named.path(), "mine"), two(unnamed.path(), "");
    EXPECT_NE(two.refusal(protocol::Load{"bridge:mine", {}}), "");
}

protocol::Count countOf(const std::string& text, bool withIds = false) {
    protocol::Count count;
    count.text = text;
    count.withIds = withIds;
    return count;
}

TEST(Bridge, TokensAreCountedByServersThatTell) {
    std::string answer, refusedName = "content";
    int status = 200;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest& request) {
        if (request.json().contains(refusedName))
            connection.answer(400, R"({"detail":"what is that?"})");
        else
            connection.answer(status, answer);
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    answer = R"({"count":3,"max_model_len":512,"tokens":[1,2,3]})";  // vLLM
    auto counted = std::get<protocol::Counted>(client.ask(countOf("a b", true)));
    EXPECT_EQ(counted.tokens, 3u);
    EXPECT_EQ(counted.ids, (std::vector<TokenId>{1, 2, 3}));
    EXPECT_EQ(far.requests().back().path, "/tokenize");
    EXPECT_EQ(far.requests().back().json(),
              nlohmann::json::parse(R"({"model":"small","prompt":"a b","add_special_tokens":false})"));
    const size_t before = far.requests().size();
    EXPECT_TRUE(std::get<protocol::Counted>(client.ask(countOf("a"))).ids.empty());
    EXPECT_EQ(far.requests().size(), before + 1) << "by then it is known how to ask";
    protocol::Count messages;
    messages.messages = question().request.messages;
    counted = std::get<protocol::Counted>(client.ask(messages));
    EXPECT_EQ(counted.tokens, 3u);
    EXPECT_EQ(counted.room, 512u);
    refusedName = "prompt";  // llama.cpp, which reads no messages
    answer = R"({"tokens":[7,8]})";
    EXPECT_EQ(std::get<protocol::Counted>(client.ask(countOf("a"))).tokens, 2u);
    EXPECT_EQ(far.requests().back().json(),
              nlohmann::json::parse(R"({"model":"small","content":"a","add_special":false})"));
    EXPECT_NE(client.refusal(messages, ErrorCode::Unsupported), "");
    refusedName = "messages";  // ingle-serve
    EXPECT_NE(client.refusal(messages, ErrorCode::Unsupported), "");
    refusedName = "model";
    EXPECT_NE(client.refusal(countOf("a"), ErrorCode::Unsupported), "");
    refusedName.clear();
    for (const char* bad : {"[]", "{}", R"({"tokens":3})", "no JSON"}) {
        answer = bad;
        EXPECT_NE(client.refusal(countOf("a"), ErrorCode::Unsupported), "") << bad;
        EXPECT_NE(client.refusal(messages, ErrorCode::Unsupported), "") << bad;
    }
    status = 404;
    EXPECT_NE(client.refusal(countOf("a"), ErrorCode::Unsupported), "");
    status = 500;
    EXPECT_NE(client.refusal(countOf("a"), ErrorCode::Io), "");
}

TEST(Bridge, TextsAreEmbedded) {
    std::string answer;
    FakeFar far([&](const FarConnection& connection, const FarRequest&) {
        connection.answer(200, answer);
        return true;
    });
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "");
    answer = R"({"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],
                 "usage":{"prompt_tokens":6}})";
    const protocol::Embed embed{"bridge:e", {"one", "two"}, false};
    const auto embedded = std::get<protocol::Embedded>(client.ask(embed));
    EXPECT_EQ(embedded.dim, 2u);
    EXPECT_EQ(embedded.tokens, 6u);
    std::vector<float> rows(4);
    ASSERT_EQ(embedded.rows.size(), 16u);
    std::memcpy(rows.data(), embedded.rows.data(), 16);
    EXPECT_EQ(rows, (std::vector<float>{0.6f, 0.8f, 0, 1}));
    for (const char* bad : {"", "{}", R"({"data":[{"index":0,"embedding":[1]}]})",
                            R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
                            R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]})",
                            R"({"data":[{"index":0,"embedding":[0]},{"index":1,"embedding":[1]}]})",
                            R"({"data":[{"index":0,"embedding":["1"]},{"index":1,"embedding":[1]}]})"}) {
        answer = bad;
        EXPECT_NE(client.refusal(embed, ErrorCode::Corrupt), "") << bad;
    }
}

TEST(Bridge, WhatAServerFarAwayCannotDoIsRefusedInASentence) {
    FakeFar far(withModels(refuseAll));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    protocol::Preview preview;
    preview.request = question().request;
    protocol::Score score;
    score.score.request = question().request;
    protocol::Read read;
    read.reading.messages = question().request.messages;
    for (const protocol::RequestBody& body :
         {protocol::RequestBody(preview), protocol::RequestBody(score), protocol::RequestBody(read),
          protocol::RequestBody(protocol::Computer{}),
          protocol::RequestBody(protocol::Import{"bridge:small"})})
        EXPECT_TRUE(client.refusal(body, ErrorCode::Unsupported).ends_with('.'));
    auto resumed = question();
    resumed.request.resumeIds = {1};
    EXPECT_NE(client.refusal(resumed, ErrorCode::Unsupported), "");
    const auto listed = client.ask(protocol::Devices{});
    EXPECT_EQ(std::get<protocol::DevicesListed>(listed).list.devices.at(0).name, far.host());
    EXPECT_EQ(far.requests().size(), 1u) << "of the load alone";
}

TEST(Bridge, TheFirstRequestIsHelloAndLinesAreChecked) {
    FakeFar far(withModels(refuseAll));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path());
    EXPECT_NE(client.refusal(protocol::Devices{}, ErrorCode::InvalidArgument), "");
    EXPECT_NE(client.refusal(protocol::Hello{99}, ErrorCode::Unsupported), "");
    EXPECT_NE(client.refusal(protocol::Devices{}, ErrorCode::InvalidArgument), "");
    client.sendBytes("no JSON at all\n{\"id\":77,\"op\":\"unknown\"}\n");
    EXPECT_EQ(client.next().id, 0u);
    EXPECT_EQ(client.next().id, 77u);
    client.sendBytes(std::string(2 << 20, 'x') + "\n");
    EXPECT_EQ(client.next().id, 0u);
    const auto greeted = client.ask(protocol::Hello{});
    EXPECT_TRUE(std::get<protocol::HelloOk>(greeted).program.starts_with("ingle-bridge "));
}

TEST(Bridge, SomeRequestsAtOnceAreEnough) {
    FakeFar far([](const FarConnection& connection, const FarRequest&) {
        (void)connection.isClosed();
        return false;
    });
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "");
    std::vector<protocol::RequestId> ids;
    for (size_t i = 0; i < Session::kMostRequests; ++i)
        ids.push_back(client.send(protocol::Inspect{"bridge:small", {}}));
    EXPECT_NE(client.refusal(protocol::Inspect{"bridge:small", {}}, ErrorCode::InvalidArgument), "");
    for (const auto id : ids) {
        client.send(protocol::Cancel{id});
        const auto event = client.next();
        EXPECT_EQ(event.id, id);
        EXPECT_EQ(std::get<protocol::Failed>(event.body).error.code, ErrorCode::Cancelled);
    }
    EXPECT_TRUE(std::holds_alternative<protocol::Retained>(client.ask(protocol::Retain{})));
}

/// Whether the bridge closes it, within ten seconds.
bool isLetGo(const BridgeClient& client) {
    pollfd ended{client.descriptor(), POLLRDHUP, 0};
    return ::poll(&ended, 1, 10'000) == 1;
}

TEST(Bridge, MoreClientsThanItServesAreLetGo) {
    FakeFar far(withModels(refuseAll));
    RunningBridge bridge(far.url());
    std::list<BridgeClient> clients;
    for (size_t i = 0; i < Bridge::kMostClients; ++i) clients.emplace_back(bridge.path(), "");
    EXPECT_TRUE(isLetGo(BridgeClient(bridge.path())));
    for (BridgeClient& client : clients)
        EXPECT_TRUE(std::holds_alternative<protocol::Retained>(client.ask(protocol::Retain{})));
    clients.pop_front();  // it comes and goes
    for (int waited = 0; waited < 100; ++waited) {
        BridgeClient next(bridge.path());
        next.send(protocol::Hello{});
        if (std::holds_alternative<protocol::HelloOk>(next.next().body)) return;
        std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "there is room for one again";
}

TEST(Bridge, AClientThatNeverReadsIsLetGo) {
    std::string list;
    for (int i = 0; i < 1000; ++i)
        list += fmt::format("{}{{\"id\":\"{}-{}\"}}", i ? "," : "", i, std::string(250, 'm'));
    FakeFar far([&](const FarConnection& connection, const FarRequest&) {
        connection.answer(200, "{\"data\":[" + list + "]}");
        return true;
    });
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), ""), other(bridge.path(), "");
    for (size_t asked = 0; asked < 640; ++asked) {
        pollfd ended{client.descriptor(), POLLRDHUP, 0};
        if (::poll(&ended, 1, 0) == 1) break;
        client.send(protocol::Recognise{{"bridge:"}, {}});
        if (asked % 32 != 31) continue;  // no more may be under way than that and those
        const auto answered = other.ask(protocol::Recognise{{"bridge:"}, {}});
        EXPECT_TRUE(std::holds_alternative<protocol::Recognised>(answered));
    }
    EXPECT_TRUE(isLetGo(client));
    EXPECT_TRUE(std::holds_alternative<protocol::Retained>(other.ask(protocol::Retain{})));
}

TEST(Bridge, ProtectKeepsItsMemoryOutOfDumps) {
    FakeFar far(withModels(refuseAll));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "");
    ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 1), 0);
    EXPECT_TRUE(std::holds_alternative<protocol::Protected>(client.ask(protocol::Protect{})));
    EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 0);
    ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 1), 0);
}

}  // namespace
}  // namespace ingle::bridge
