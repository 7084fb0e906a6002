/// The bridge between a client and a far server: requests, streams, and all that can go wrong.
#include <sys/prctl.h>

#include <algorithm>

#include "tests/app/bridge/bridge_client.h"
#include "tests/app/bridge/fake_far.h"

namespace ingle::bridge {
namespace {

using namespace std::chrono_literals;
using test::BridgeClient;
using test::FakeFar;
using test::FarConnection;
using test::FarRequest;
using test::question;
using test::RunningBridge;
using test::Told;

constexpr const char* kModels =
    R"({"data":[{"id":"small","max_model_len":4096},{"id":"large"},{"name":"none"}]})";

/// Answers /models, and leaves all else to `handler`.
FakeFar::Handler withModels(FakeFar::Handler handler) {
    return [handler = std::move(handler)](const FarConnection& connection, const FarRequest& request) {
        if (request.path != "/v1/models") return handler(connection, request);
        connection.answer(200, kModels);
        return true;
    };
}

bool refuseAll(const FarConnection& connection, const FarRequest&) {
    connection.answer(500, "");
    return true;
}

std::vector<FarRequest> chatsOf(const FakeFar& far) {
    auto requests = far.requests();
    std::erase_if(requests, [](const FarRequest& request) { return request.path != "/v1/chat/completions"; });
    return requests;
}

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

TEST(Bridge, ABrokenAnswerIsContinuedWhereTheServerGoesOn) {
    std::atomic<int> calls = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        switch (calls++) {
            case 0:
                for (const char* word : {"Once", " upon", " a", " time,", " there"}) connection.delta(word);
                return false;
            case 1:
                connection.delta(" was a");
                return false;
            default:
                connection.delta(" fire.");
                connection.finish("stop", 20, 2);
                return true;
        }
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    auto generate = question();
    generate.request.maxTokens = 100;
    const Told told = test::collect(client, client.send(generate));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(), "Once upon a time, there was a fire.");
    EXPECT_EQ(told.numPlans, 1);
    EXPECT_EQ(told.done->result.stats.newTokens, 5u + 1 + 2);
    const auto chats = chatsOf(far);
    ASSERT_EQ(chats.size(), 3u);
    EXPECT_FALSE(chats[0].json().contains("continue_final_message"));
    const auto last = chats[2].json();
    EXPECT_EQ(last["messages"].size(), 2u);
    EXPECT_EQ(last["messages"][1]["role"], "assistant");
    EXPECT_EQ(last["messages"][1]["content"], "Once upon a time, there was a");
    EXPECT_EQ(last["continue_final_message"], true);
    EXPECT_EQ(last["add_generation_prompt"], false);
    EXPECT_EQ(last["max_tokens"], 94);
}

/// Whether or not it breaks again, what was told is that it broke.
void expectBroken(const Told& told, const std::string& text) {
    ASSERT_TRUE(told.error);
    EXPECT_EQ(told.error->code, ErrorCode::Io);
    EXPECT_NE(told.error->message.find("broke; the answer can be continued by asking again"),
              std::string::npos)
        << told.error->message;
    EXPECT_EQ(told.text(), text);
}

TEST(Bridge, AServerThatBeginsAnewInterruptsTheAnswer) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("More than sixteen bytes. ");
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    // The same words again: such a server begins anew.
    expectBroken(test::collect(client, client.send(question())), "More than sixteen bytes. ");
    EXPECT_EQ(chatsOf(far).size(), 2u);
    // And it is not asked to go on any more.
    expectBroken(test::collect(client, client.send(question())), "More than sixteen bytes. ");
    EXPECT_EQ(chatsOf(far).size(), 3u);
}

TEST(Bridge, AnAnswerThatHasBegunIsGoneOnWith) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta(" time, there was a fire, and it was warm beside it.");
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    auto generate = question();
    generate.request.resumeText = "Once upon a";
    const Told told = test::collect(client, client.send(generate));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(), " time, there was a fire, and it was warm beside it.");
    const auto chat = chatsOf(far).at(0).json();
    EXPECT_EQ(chat["messages"].back()["role"], "assistant");
    EXPECT_EQ(chat["messages"].back()["content"], "Once upon a");
    EXPECT_EQ(chat["continue_final_message"], true);
}

TEST(Bridge, AServerThatCannotGoOnSaysSoAndNothingIsWrittenTwice) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest& request) {
        if (request.json()["model"] == "large") {
            connection.answer(400, R"({"error":{"message":"unknown field continue_final_message"}})");
            return true;
        }
        connection.beginStream();
        connection.delta("Once upon a time, there was a fire.");
        connection.finish();
        return true;
    }));
    for (const char* model : {"small", "large"}) {
        RunningBridge bridge(far.url());
        BridgeClient client(bridge.path(), model);
        auto generate = question();
        generate.request.resumeText = "Once upon a time, there";
        for (int time = 0; time < 2; ++time) {
            const Told told = test::collect(client, client.send(generate));
            ASSERT_TRUE(told.error) << model;
            EXPECT_EQ(told.error->id, "farCannot") << told.error->message;
            EXPECT_EQ(told.text(), "");
        }
    }
    EXPECT_EQ(chatsOf(far).size(), 2u) << "the second time it is known";
}

TEST(Bridge, AfterTwoContinuationsItIsEnough) {
    std::atomic<int> calls = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta(fmt::format("{} part of a long answer. ", calls++));
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    expectBroken(test::collect(client, client.send(question())),
                 "0 part of a long answer. 1 part of a long answer. 2 part of a long answer. ");
    EXPECT_EQ(chatsOf(far).size(), 3u);
}

TEST(Bridge, AServerThatDoesNotKnowHowToGoOnInterruptsTheAnswer) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest& request) {
        if (request.json().contains("continue_final_message")) {
            connection.answer(400, R"({"error":{"message":"unknown field continue_final_message"}})");
            return true;
        }
        connection.beginStream();
        connection.delta("A beginning");
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    expectBroken(test::collect(client, client.send(question())), "A beginning");
    expectBroken(test::collect(client, client.send(question())), "A beginning");
    EXPECT_EQ(chatsOf(far).size(), 3u) << "the second time it is known";
}

TEST(Bridge, AThoughtIsNotGoneOnWith) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.chunk("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm\"}}]}\n\n");
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const Told told = test::collect(client, client.send(question()));
    expectBroken(told, "");
    EXPECT_EQ(told.parts, (std::vector<Part>{{PartKind::Thought, "Hm", {}}}));
    EXPECT_EQ(chatsOf(far).size(), 1u);
}

TEST(Bridge, AConnectionThatBreaksBeforeTheFirstWordIsAskedAnew) {
    std::atomic<int> calls = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        if (calls++ == 0) return false;
        connection.beginStream();
        connection.delta("Here.");
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    EXPECT_EQ(test::collect(client, client.send(question())).text(), "Here.");
}

TEST(Bridge, EachStatusIsOneSentence) {
    int status = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.answer(status, R"({"error":{"message":"because\nof that"}})",
                          "Location: http://a.example/\r\n");
        return true;
    }));
    RunningBridge open(far.url()), keyed(far.url(), "k");
    const auto sentence = [&](int given, const RunningBridge& bridge) {
        status = given;
        BridgeClient client(bridge.path(), "small");
        const Told told = test::collect(client, client.send(question()));
        EXPECT_EQ(told.numPlans, 0);
        const std::string message = told.error.value().message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        EXPECT_TRUE(message.starts_with(far.host()) || message.starts_with("This")) << message;
        return message.substr(message.find(' ') + 1);
    };
    EXPECT_EQ(sentence(401, open), "wants a key (--key-file).");
    EXPECT_EQ(sentence(401, keyed), "does not accept the key: because\\nof that");
    EXPECT_EQ(sentence(403, keyed), "does not accept the key: because\\nof that");
    EXPECT_EQ(sentence(404, open), "does not know the model 'small'.");
    EXPECT_EQ(sentence(429, open), "takes no more requests for now: because\\nof that");
    EXPECT_EQ(sentence(500, open), "has a fault (500): because\\nof that");
    EXPECT_EQ(sentence(503, open), "has a fault (503): because\\nof that");
    EXPECT_EQ(sentence(400, open), "refuses this (400): because\\nof that");
    EXPECT_EQ(sentence(307, open), "sends this program elsewhere, where it does not go (307).");
}

TEST(Bridge, AServerThatIsNotThereIsOneSentence) {
    auto far = std::make_unique<FakeFar>(withModels(refuseAll));
    RunningBridge bridge(far->url());
    BridgeClient client(bridge.path(), "small");
    const std::string host = far->host();
    far.reset();
    const Told told = test::collect(client, client.send(question()));
    ASSERT_TRUE(told.error);
    EXPECT_TRUE(told.error->message.starts_with(host + " cannot be reached: ")) << told.error->message;
    EXPECT_TRUE(
        client.refusal(protocol::Recognise{{"bridge:"}, {}}, ErrorCode::Io).starts_with(host + " cannot be"));
}

TEST(Bridge, StreamsThatAreNoneEndTheAnswer) {
    std::string sent;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("Before");
        for (size_t at = 0; at < sent.size(); at += 60'000) connection.chunk(sent.substr(at, 60'000));
        (void)connection.isClosed();
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    for (const std::string& bad : {std::string("data: {\"choices\": oops}\n\n"), std::string(3 << 20, 'x'),
                                   "data: " + std::string(200'000, '{') + "\n\n"}) {
        sent = bad;
        const Told told = test::collect(client, client.send(question()));
        ASSERT_TRUE(told.error);
        EXPECT_EQ(told.error->code, ErrorCode::Corrupt);
        EXPECT_TRUE(told.error->message.starts_with(far.host() + " answers otherwise than agreed: "))
            << told.error->message;
        EXPECT_EQ(told.text(), "Before");
    }
    EXPECT_EQ(chatsOf(far).size(), 3u) << "none is asked again";
    sent = "data: {\"error\":{\"message\":\"the GPU is gone\"}}\n\n";
    EXPECT_NE(test::collect(client, client.send(question())).error.value().message.find("the GPU is gone"),
              std::string::npos);
    sent =
        "data: {\"choices\":[{\"delta\":{\"content\":\"\xff\xc3(\"},\"finish_reason\":\"stop\"}]}\n\ndata: "
        "[DONE]\n\n";
    EXPECT_EQ(test::collect(client, client.send(question())).text(), "Before\uFFFD\uFFFD(");
}

TEST(Bridge, HeadersWithoutEndAreRefused) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.send("HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 3000; ++i) connection.send(fmt::format("X-{}: {}\r\n", i, std::string(80, 'y')));
        (void)connection.isClosed();
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    EXPECT_TRUE(test::collect(client, client.send(question())).error);
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
