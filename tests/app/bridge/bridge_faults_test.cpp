/// The bridge, and a far server that breaks off, refuses, or sends what was not agreed.
#include "app/bridge/far_models.h"
#include "tests/app/bridge/bridge_client.h"
#include "tests/app/bridge/fake_far.h"
#include "tests/processor_time.h"

namespace ingle::bridge {
namespace {

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

TEST(BridgeFaults, ABrokenAnswerIsContinuedWhereTheServerGoesOn) {
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
                connection.finish("stop", 26, 2);  // the prompt, and the six tokens of before
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
    EXPECT_EQ(told.done->result.stats.promptTokens, 20u);
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

TEST(BridgeFaults, AServerOfWhichNobodyKnowsThatItGoesOnInterruptsTheAnswer) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("It");
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "large");
    // It would begin anew, perhaps in other words.
    expectBroken(test::collect(client, client.send(question())), "It");
    EXPECT_EQ(chatsOf(far).size(), 1u);
}

TEST(BridgeFaults, ARefrainIsGoneOnWith) {
    std::atomic<int> calls = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        connection.delta("La la la la, says the song of the fire. ");
        if (calls++ == 0) return false;
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const Told told = test::collect(client, client.send(question()));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(),
              "La la la la, says the song of the fire. La la la la, says the song of the fire. ");
}

TEST(BridgeFaults, AnAnswerThatHasBegunIsGoneOnWith) {
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

TEST(BridgeFaults, AServerThatCannotGoOnSaysSoAndNothingIsWrittenTwice) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.answer(400, R"({"error":{"message":"unknown field continue_final_message"}})");
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
    EXPECT_EQ(chatsOf(far).size(), 1u) << "of one it is known, of the other it is known the second time";
}

TEST(BridgeFaults, AServerThatIsStartedAgainIsWaitedFor) {
    std::atomic<int> calls = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        const int call = calls++;
        if (call >= 1 && call <= 4) {  // itself, and a proxy before it; then it has too many clients
            connection.answer(call == 4 ? 429 : 501 + call, R"({"error":{"message":"Loading model"}})");
            return true;
        }
        connection.beginStream();
        connection.delta(call == 0 ? "Once upon a time, there" : " was a fire, and it was warm beside it.");
        if (call == 0) return false;
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const Told told = test::collect(client, client.send(question()));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(), "Once upon a time, there was a fire, and it was warm beside it.");
    EXPECT_EQ(calls, 6);
}

TEST(BridgeFaults, AfterTwoContinuationsItIsEnough) {
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

TEST(BridgeFaults, AServerThatDoesNotKnowHowToGoOnInterruptsTheAnswer) {
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

TEST(BridgeFaults, WhatIsRefusedOfOneAnswerSaysNothingOfOthers) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest& request) {
        const auto chat = request.json();
        if (chat["messages"].back()["content"] == "far too long") {
            connection.answer(400,
                              R"({"error":{"message":"more than fits","code":"context_length_exceeded"}})");
            return true;
        }
        connection.beginStream();
        connection.delta(chat.contains("continue_final_message") ? " and an end." : "A beginning");
        if (!chat.contains("continue_final_message")) return false;
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    auto generate = question();
    generate.request.resumeText = "far too long";
    const Told refused = test::collect(client, client.send(generate));
    ASSERT_TRUE(refused.error);
    EXPECT_NE(refused.error->id, "farCannot") << refused.error->message;
    EXPECT_THAT(refused.error->message, testing::HasSubstr("more than fits"));
    const Told told = test::collect(client, client.send(question()));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(), "A beginning and an end.");
}

TEST(BridgeFaults, AThoughtIsNotGoneOnWith) {
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

TEST(BridgeFaults, AConnectionThatBreaksBeforeTheFirstWordIsAskedAnew) {
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
    const Told told = test::collect(client, client.send(question()));
    EXPECT_EQ(told.text(), "Here.");
    EXPECT_EQ(told.done->result.stats.promptTokens, 5u);
    EXPECT_EQ(told.done->result.stats.newTokens, 2u);
}

TEST(BridgeFaults, TokensOfAContinuationAreThoseThatWereKept) {
    std::atomic<int> calls = 0;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest&) {
        connection.beginStream();
        switch (calls++) {
            case 0:  // of a thought the continuation is told nothing
                connection.chunk("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm\"}}]}\n\n");
                connection.delta("Once upon a time, there");
                return false;
            case 1:
                return false;
            default:
                connection.delta(" was a fire.");
                connection.finish("stop", 11, 3);
                return true;
        }
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const Told told = test::collect(client, client.send(question()));
    ASSERT_TRUE(told.done) << told.error->message;
    EXPECT_EQ(told.text(), "Once upon a time, there was a fire.");
    EXPECT_EQ(told.done->result.stats.promptTokens, 10u);
    EXPECT_EQ(told.done->result.stats.newTokens, 2u + 3);
}

TEST(BridgeFaults, EachStatusIsOneSentence) {
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
    EXPECT_EQ(sentence(500, open), "reported an error (500): because\\nof that");
    EXPECT_EQ(sentence(503, open), "reported an error (503): because\\nof that");
    EXPECT_EQ(sentence(400, open), "refuses this (400): because\\nof that");
    EXPECT_EQ(sentence(307, open), "sends this program elsewhere, where it does not go (307).");
}

TEST(BridgeFaults, AServerThatIsNotThereIsOneSentence) {
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

TEST(BridgeFaults, StreamsThatAreNoneEndTheAnswer) {
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

TEST(BridgeFaults, HeadersWithoutEndAreRefused) {
    FakeFar far(withModels([](const FarConnection& connection, const FarRequest&) {
        connection.send("HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 3000; ++i) connection.send(fmt::format("X-{}: {}\r\n", i, std::string(80, 'y')));
        (void)connection.isClosed();
        return false;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    const Told told = test::collect(client, client.send(question()));
    EXPECT_EQ(told.error.value().message,
              far.host() + " answers otherwise than agreed: more than an answer may have.");
    EXPECT_EQ(chatsOf(far).size(), 1u) << "it is not asked again";
}

TEST(BridgeFaults, APageInPlaceOfAnAnswerIsOneSentence) {
    std::atomic<bool> isPage = false;
    FakeFar far([&](const FarConnection& connection, const FarRequest&) {
        connection.answer(200, isPage ? "<!DOCTYPE html>\n<title>Sign in</title>\n\n" : test::kModels);
        return true;
    });
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    isPage = true;
    const Told told = test::collect(client, client.send(question()));
    EXPECT_EQ(told.error.value().message,
              far.host() + " answers otherwise than agreed: it sends no stream of an answer.");
    EXPECT_EQ(chatsOf(far).size(), 1u) << "it is not asked again";
    EXPECT_EQ(client.refusal(protocol::Recognise{{"bridge:"}, {}}, ErrorCode::Corrupt),
              far.host() + " answers otherwise than agreed: its list of models is none.");
}

TEST(BridgeFaults, FieldsThatAServerDoesNotTakeAreLeftOutAndNamed) {
    std::string refused, words;  // written while nothing is asked
    int status = 400;
    FakeFar far(withModels([&](const FarConnection& connection, const FarRequest& request) {
        if (!refused.empty() && request.json().contains(refused)) {
            connection.answer(status, words);
            return true;
        }
        connection.beginStream();
        connection.delta("An answer.");
        connection.finish();
        return true;
    }));
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "small");
    auto generate = question();
    generate.request.sampler.repeatPenalty = 1.5f;
    const auto noteOf = [&] { return test::collect(client, client.send(generate)).plan.note; };
    const auto last = [&] { return chatsOf(far).back().json(); };
    EXPECT_EQ(noteOf(), "");
    EXPECT_EQ(chatsOf(far).size(), 1u);

    refused = "messages", words = R"({"error":{"message":"top_k and not_min_p, and more"}})";
    EXPECT_EQ(test::collect(client, client.send(generate)).error.value().message,
              far.host() + " refuses this (400): top_k and not_min_p, and more");
    EXPECT_EQ(chatsOf(far).size(), 3u) << "and that it was top_k has turned out not to be so";

    refused = "top_k", words = R"({"error":{"message":"Unrecognized argument supplied: top_k"}})";  // OpenAI
    EXPECT_EQ(noteOf(), far.host() + " does not take top-k, and answers without.");
    EXPECT_EQ(chatsOf(far).size(), 5u);
    EXPECT_FALSE(last().contains("top_k"));
    EXPECT_EQ(last()["min_p"], 0.05);
    EXPECT_NE(noteOf(), "");
    EXPECT_EQ(chatsOf(far).size(), 6u) << "by then it is known";

    refused = "repeat_penalty",
    words = R"({"error":{"message":"?","param":"repeat_penalty"}})";  // ingle-serve
    EXPECT_EQ(noteOf(), far.host() + " does not take top-k, and answers without.");
    EXPECT_EQ(last()["repetition_penalty"], 1.5) << "under one of its names";

    status = 422, refused = "min_p", words = R"({"detail":[{"loc":["body","min_p"],"msg":"Extra inputs"}]})";
    EXPECT_EQ(noteOf(), far.host() + " does not take top-k and min-p, and answers without.");
}

/// Reading it took time with the square of their number, in which the bridge did nothing else.
TEST(BridgeFaults, AServerOfAHundredThousandModelsStallsNobody) {
    std::string list = R"({"data":[)";
    for (int number = 0; number < 100'000; ++number)
        list += fmt::format(R"({}{{"id":"m{}"}})", number == 0 ? "" : ",", number);
    list += "]}";
    const double began = test::processorSeconds();
    const auto models = readModels(list);
    ASSERT_TRUE(models) << models.error().message;
    EXPECT_EQ(models->size(), 1000u) << "more are no list to choose from";
    EXPECT_LT(test::processorSeconds() - began, 1.5);

    FakeFar far([&](const FarConnection& connection, const FarRequest&) {
        connection.answer(200, list);
        return true;
    });
    RunningBridge bridge(far.url());
    BridgeClient client(bridge.path(), "");
    const auto answered = client.ask(protocol::Recognise{{"bridge:"}, {}});
    ASSERT_TRUE(std::holds_alternative<protocol::Recognised>(answered));
    EXPECT_EQ(std::get<protocol::Recognised>(answered).things.size(), 1000u);
}

}  // namespace
}  // namespace ingle::bridge
