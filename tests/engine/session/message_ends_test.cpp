/// Chats that are kept nowhere but in memory: each turn reads what is new, also where a recurrent state
/// serves no shorter beginning than its own.
#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using test::RecordingSink;

class MessageEndsOf : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0", .seed = 3}, m_path));
        m_engine = load();
    }
    std::unique_ptr<Engine> load() const {
        return Engine::load(m_path, {.contextTokens = 4096}, nullptr).value();
    }

    static GenerateRequest requestOf(const std::vector<ChatMessage>& messages) {
        GenerateRequest request;
        request.messages = messages;
        request.sampler = {.temperature = 0.8f, .seed = 5};
        request.maxTokens = 40;
        return request;
    }
    static RecordingSink run(Engine& engine, const GenerateRequest& request) {
        RecordingSink sink;
        EXPECT_TRUE(engine.submit(request, sink));
        while (engine.step()) {
        }
        EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "");
        return sink;
    }
    RecordingSink answer(const std::vector<ChatMessage>& messages) {
        return run(*m_engine, requestOf(messages));
    }
    static uint32_t read(const RecordingSink& sink) {
        return sink.result->stats.promptTokens - sink.result->stats.cachedTokens;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
    std::unique_ptr<Engine> m_engine;
};

/// Tokens of "Assistant:" and what ends a message, in the vocabulary of synthetic models.
constexpr uint32_t kMarkup = 24;

TEST_P(MessageEndsOf, tenTurnsReadWhatIsNewAndAnswerTheSame) {
    std::vector<ChatMessage> messages{textMessage(Role::System, "Be brief. " + std::string(200, 'x'))};
    uint32_t before = 0;  // tokens of the last prompt
    for (int turn = 0; turn < 10; ++turn) {
        messages.push_back(
            textMessage(Role::User, "Question " + std::to_string(turn) + std::string(60, 'y')));
        const RecordingSink sink = answer(messages);
        // The answer is written anew by the client, and may be cut into tokens in another way.
        if (turn > 0) {
            EXPECT_GE(sink.result->stats.cachedTokens + kMarkup, before) << turn;
        }
        EXPECT_EQ(run(*load(), requestOf(messages)).ids, sink.ids) << turn;
        before = sink.result->stats.promptTokens;
        messages.push_back(
            textMessage(Role::Assistant, "Answer " + std::to_string(turn) + " of many words."));
    }
}

TEST_P(MessageEndsOf, theSameQuestionAgainReadsAlmostNothing) {
    const std::vector<ChatMessage> messages{textMessage(Role::User, "And water? " + std::string(300, 'x'))};
    const RecordingSink first = answer(messages);
    EXPECT_EQ(first.result->stats.cachedTokens, 0u);
    for (int again = 0; again < 3; ++again) {
        const RecordingSink sink = answer(messages);
        EXPECT_LE(read(sink), kMarkup) << again;
        EXPECT_EQ(sink.ids, first.ids) << again;
    }
}

// Another client's chat begins alike, and those of one do not push out each other's.
TEST_P(MessageEndsOf, chatsOfOneBeginningShareIt) {
    const ChatMessage rules = textMessage(Role::System, "Be brief. " + std::string(300, 'x'));
    answer({rules, textMessage(Role::User, "And water?")});
    const RecordingSink other = answer({rules, textMessage(Role::User, "And earth?")});
    EXPECT_GT(other.result->stats.cachedTokens, 300u);
}

INSTANTIATE_TEST_SUITE_P(Families, MessageEndsOf, testing::Values("rwkv7", "rwkv6", "qwen35", "llama"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace ingle
