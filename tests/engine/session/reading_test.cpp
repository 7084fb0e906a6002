/// Texts that are read ahead: kept page by page, whatever is killed, and found by every question about them.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

namespace fs = std::filesystem;
using test::RecordingSink;

constexpr uint32_t kPageTokens = 64;

struct RecordingReading final : ReadSink {
    void onCost(const ReadCost& found) override { cost = found; }
    void onProgress(uint32_t done, uint32_t total) override {
        EXPECT_LE(done, total);
        if (steps++ == 0) first = done;
        last = done;
        if (steps == cancelAfter) engine->cancel(id);
    }
    void onRead(const ReadCost& found) override { result = found; }
    void onError(const Error& found) override { error = found; }

    Engine* engine = nullptr;
    GenerationId id = 0;
    int cancelAfter = -1, steps = 0;
    uint32_t first = 0, last = 0;
    std::optional<ReadCost> cost, result;
    std::optional<Error> error;
};

class Readings : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    }
    std::string store() const { return m_folder.file("snapshots"); }

    static ChatMessage document(char filler = 'x') {
        std::string text;
        for (int line = 0; line < 40; ++line) text += fmt::format("Line {} of the text: {}.\n", line, filler);
        return {Role::System, {{PartKind::Attachment, text, "fires.txt"}}};
    }
    static GenerateRequest question(const std::string& text, const std::string& conversation) {
        GenerateRequest request;
        request.messages = {document(), textMessage(Role::User, text)};
        request.sampler = {.temperature = 0.8f, .seed = 5};
        request.maxTokens = 8;
        request.conversation = conversation;
        return request;
    }

    /// As after a restart of everything.
    template <typename Work>
    void inNewEngine(Work work, uint64_t maxBytes = uint64_t{1} << 30, uint32_t contextTokens = 2048) {
        const Snapshots snapshots = Snapshots::open({store(), maxBytes}).value();
        {
            const auto engine =
                Engine::load(m_path, {.contextTokens = contextTokens}, nullptr, snapshots).value();
            work(*engine);
            while (engine->step()) {
            }
        }
        snapshots.waitUntilWritten();
    }
    RecordingReading read(ChatMessage message = document(), const std::string& keeper = "1",
                          int cancelAfter = -1, uint64_t maxBytes = uint64_t{1} << 30,
                          uint32_t contextTokens = 2048) {
        RecordingReading sink;
        sink.cancelAfter = cancelAfter;
        inNewEngine(
            [&](Engine& engine) {
                sink.engine = &engine;
                sink.id = engine.submit(ReadRequest{{std::move(message)}, keeper}, sink).value();
                while (!sink.result && !sink.error) engine.step();
            },
            maxBytes, contextTokens);
        return sink;
    }
    RecordingSink ask(const GenerateRequest& request, uint64_t maxBytes = uint64_t{1} << 30) {
        RecordingSink sink;
        inNewEngine(
            [&](Engine& engine) {
                // The model's hash, which names records, is known once this is told its cost.
                if (!request.conversation.empty()) {
                    RecordingReading waits;
                    engine.submit(ReadRequest{{textMessage(Role::System, "")}, "wait"}, waits).value();
                    while (!waits.cost && !waits.error) engine.step();
                    while (engine.step()) {
                    }
                }
                EXPECT_TRUE(engine.submit(request, sink));
                while (engine.step()) {
                }
            },
            maxBytes);
        EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "");
        return sink;
    }
    uint64_t bytesOnDisk() const {
        uint64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(store())) {
            if (entry.path().extension() == ".snap") bytes += fs::file_size(entry.path());
        }
        return bytes;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_P(Readings, everyQuestionInAnyConversationGoesOnFromTheText) {
    const RecordingSink unread = ask(question("And water?", ""));
    const RecordingReading reading = read();
    ASSERT_TRUE(reading.result) << reading.error->message;
    EXPECT_GT(reading.result->tokens, 5 * kPageTokens);
    EXPECT_EQ(reading.result->readTokens, reading.result->tokens);
    const RecordingSink first = ask(question("And water?", "7"));
    EXPECT_GE(first.result->stats.cachedTokens, reading.result->tokens);
    EXPECT_EQ(first.ids, unread.ids);
    // Whatever it begins with.
    for (const char* text : {"8 fires?", "\u201cFires\u201d?", " What?", "(a) Why?"})
        EXPECT_GE(ask(question(text, "8")).result->stats.cachedTokens, reading.result->tokens) << text;
}

TEST_P(Readings, aReadingThatIsCutOffAnywhereGoesOnWhereItWas) {
    const RecordingReading whole = read(document(), "whole");
    ASSERT_TRUE(whole.result);
    fs::remove_all(store());
    uint32_t done = 0;
    int cuts = 0;
    for (; done + kPageTokens < whole.result->tokens; ++cuts) {
        const RecordingReading part = read(document(), "1", /*cancelAfter=*/2);
        ASSERT_TRUE(part.error || part.result);
        EXPECT_LE(part.cost->readTokens, done);
        EXPECT_GE(part.cost->readTokens + kPageTokens, done);
        EXPECT_GT(part.last, done);
        done = part.last;
    }
    EXPECT_GT(cuts, 3);
    const RecordingReading rest = read();
    ASSERT_TRUE(rest.result);
    EXPECT_EQ(ask(question("And water?", "7")).ids, ask(question("And water?", "")).ids);
    // Of the states on the way only the last ones are left.
    EXPECT_LE(bytesOnDisk(), 2 * rest.result->keptBytes + (uint64_t{1} << 20));
}

TEST_P(Readings, whatIsReadAlreadyIsNotReadAgain) {
    ASSERT_TRUE(read().result);
    const RecordingReading again = read();
    ASSERT_TRUE(again.result);
    EXPECT_EQ(again.cost->readTokens, again.cost->tokens);
    EXPECT_EQ(again.steps, 0);
}

TEST_P(Readings, aDocumentStaysHoweverLittleRoomThereIsAndGoesWithItsOwner) {
    const RecordingReading reading = read(document(), "1", -1, /*maxBytes=*/1);
    ASSERT_TRUE(reading.result);
    EXPECT_GE(ask(question("And water?", "7"), /*maxBytes=*/1).result->stats.cachedTokens,
              reading.result->tokens);
    const Snapshots snapshots = Snapshots::open({store()}).value();
    snapshots.retain({"7"}, {"1"});
    snapshots.waitUntilWritten();
    EXPECT_GE(bytesOnDisk(), reading.result->keptBytes / 2);
    snapshots.retain({}, {"2"});
    snapshots.waitUntilWritten();
    EXPECT_EQ(bytesOnDisk(), 0u);
}

TEST_P(Readings, anotherTextThatBeginsWithItLeavesItWhole) {
    const RecordingReading reading = read();
    ASSERT_TRUE(reading.result);
    RecordingReading longer;
    inNewEngine([&](Engine& engine) {
        engine.submit(ReadRequest{{document(), textMessage(Role::User, std::string(70, 'y'))}, "2"}, longer)
            .value();
        while (!longer.result && !longer.error) engine.step();
    });
    ASSERT_TRUE(longer.result);
    EXPECT_GE(longer.cost->readTokens, reading.result->tokens);
    EXPECT_EQ(read().steps, 0);
}

TEST_P(Readings, answersGoFirst) {
    RecordingReading reading;
    RecordingSink answer;
    inNewEngine([&](Engine& engine) {
        engine.submit(ReadRequest{{document()}, "1"}, reading).value();
        while (reading.steps < 2) engine.step();
        const int before = reading.steps;
        GenerateRequest request = question("And water?", "7");
        request.messages.erase(request.messages.begin());
        ASSERT_TRUE(engine.submit(request, answer));
        while (!answer.result && !answer.error) engine.step();
        EXPECT_LE(reading.steps, before + 1);
        EXPECT_FALSE(reading.result);
    });
    EXPECT_TRUE(reading.result);
    EXPECT_TRUE(answer.result);
}

TEST_P(Readings, refusalsSayWhy) {
    RecordingReading empty;
    inNewEngine([&](Engine& engine) {
        engine.submit(ReadRequest{{}, "1"}, empty).value();
        while (!empty.error) engine.step();
    });
    EXPECT_EQ(empty.error->code, ErrorCode::InvalidArgument);
    if (std::string_view(GetParam()) != "rwkv7") {
        const RecordingReading tooLong = read(document(), "1", -1, uint64_t{1} << 30, 256);
        ASSERT_TRUE(tooLong.error);
        EXPECT_EQ(tooLong.error->id, "messageTooLong");
    }
    const auto engine = Engine::load(m_path, {.contextTokens = 2048}, nullptr).value();
    RecordingReading nowhere;
    engine->submit(ReadRequest{{document()}, "1"}, nowhere).value();
    while (engine->step()) {
    }
    ASSERT_TRUE(nowhere.error);
    EXPECT_EQ(nowhere.error->code, ErrorCode::Unsupported);
}

INSTANTIATE_TEST_SUITE_P(Families, Readings, testing::Values("llama", "qwen35", "rwkv7", "gemma3"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle
