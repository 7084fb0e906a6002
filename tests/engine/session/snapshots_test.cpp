/// What conversations leave on disk: found again after a restart, never wrong, never more than the limit.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/lab/synth.h"
#include "engine/session/snapshots/snapshot_store.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

namespace fs = std::filesystem;
using test::RecordingSink;

std::vector<fs::path> recordsIn(const std::string& folder) {
    std::vector<fs::path> records;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".snap") records.push_back(entry.path());
    }
    return records;
}

class SnapshotsOf : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        writeModel(1);
    }
    void writeModel(uint64_t seed) {
        fs::remove_all(store() + "/models");  // what tells run() that the hash is there
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0", .seed = seed}, m_path));
    }
    std::string store() const { return m_folder.file("snapshots"); }

    GenerateRequest chat(const std::string& question) const {
        GenerateRequest request;
        request.messages = {textMessage(Role::User, "Tell me about fires, please. " + std::string(120, 'x')),
                            textMessage(Role::Assistant, "Fires are warm and bright."),
                            textMessage(Role::User, question)};
        request.sampler = {.temperature = 0.8f, .seed = 5};
        request.maxTokens = 8;
        request.conversation = "7";
        return request;
    }

    /// As after a restart of everything: nothing is in memory. Waits until all is on disk.
    RecordingSink run(const GenerateRequest& request, LoadOptions options = {.contextTokens = 512},
                      uint64_t maxBytes = uint64_t{1} << 30) {
        const Snapshots snapshots = Snapshots::open({store(), maxBytes}).value();
        RecordingSink sink;
        {
            const auto engine = Engine::load(m_path, options, nullptr, snapshots).value();
            // The model's hash is computed in the background, once, and then remembered here.
            while (fs::is_empty(store() + "/models")) std::this_thread::yield();
            EXPECT_TRUE(engine->submit(request, sink));
            while (engine->step()) {
            }
        }
        EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "");
        snapshots.waitUntilWritten();
        return sink;
    }
    static uint32_t cached(const RecordingSink& sink) { return sink.result->stats.cachedTokens; }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

/// Tokens of "Assistant:" in the vocabulary of synthetic models, which has few pieces beside bytes.
constexpr uint32_t kGenerationPrompt = 9;

TEST_P(SnapshotsOf, aReopenedConversationIsNotReadAgainAndGoesOnTheSame) {
    const RecordingSink first = run(chat("And water?"));
    EXPECT_EQ(cached(first), 0u);
    // Regenerated after a restart: all but the generation prompt is there.
    const RecordingSink again = run(chat("And water?"));
    EXPECT_GE(cached(again) + kGenerationPrompt, again.result->stats.promptTokens);
    EXPECT_EQ(again.ids, first.ids);
    EXPECT_EQ(again.text, first.text);
}

// A message's end takes a step of its own only where what is in memory cannot be had there afterwards.
TEST_P(SnapshotsOf, messagesAreReadInAsFewStepsAsTheirEndsAllow) {
    const RecordingSink first = run(chat("And water?"));
    const uint32_t tokens = first.result->stats.promptTokens;
    const int fewest = static_cast<int>((tokens + 63) / 64);
    const std::string_view family = GetParam();
    if (family == "llama") {
        EXPECT_EQ(first.progressCount, fewest);
    } else {
        EXPECT_GT(first.progressCount, fewest);
    }
    // The end of the question is in the chunk that the prompt ends in, or the test shows nothing of qwen35.
    const bool sameChunk = (tokens - 1) / 32 == (tokens - kGenerationPrompt - 1) / 32;
    ASSERT_TRUE(sameChunk) << tokens;
    if (family == "qwen35") {
        EXPECT_LT(first.progressCount, fewest + 3);  // of three ends
    }
}

TEST_P(SnapshotsOf, anEditedQuestionContinuesFromTheLongestCommonBeginning) {
    GenerateRequest opening = chat("");
    opening.messages.resize(1);
    run(opening);
    const RecordingSink first = run(chat("And water?"));
    EXPECT_GT(cached(first), 100u);  // the first message
    const RecordingSink edited = run(chat("And earth?"));
    EXPECT_GT(cached(edited), 100u);
    EXPECT_LT(cached(edited), edited.result->stats.promptTokens);
    fs::remove_all(store());
    EXPECT_EQ(run(chat("And earth?")).ids, edited.ids);
}

/// The last token of a prompt is fed in any case: what can forget it is restored with it.
TEST_P(SnapshotsOf, aPromptThatIsKeptToItsLastTokenServesAgain) {
    GenerateRequest request{.maxTokens = 1, .conversation = "7"};
    for (TokenId id = 3; id < 103; ++id) request.rawTokens.push_back(id);
    const RecordingSink first = run(request);
    const RecordingSink again = run(request);
    const bool forgets = std::string_view(GetParam()).find("rwkv") == std::string_view::npos;
    EXPECT_EQ(cached(again), forgets ? 99u : 0u);
    EXPECT_EQ(again.ids, first.ids);
}

TEST_P(SnapshotsOf, anotherModelOrConfigurationUsesNothing) {
    const RecordingSink first = run(chat("And water?"));
    EXPECT_EQ(cached(run(chat("And water?"), {.contextTokens = 512, .kv = KvType::F32})), 0u);
    EXPECT_EQ(cached(run(chat("And water?"), {.contextTokens = 512, .activations = ActivationType::F32})),
              0u);
    writeModel(2);  // under the same name
    EXPECT_EQ(cached(run(chat("And water?"))), 0u);
    writeModel(1);
    EXPECT_GT(cached(run(chat("And water?"))), 0u);
}

// It may be a shorter one because less memory is free than yesterday.
TEST_P(SnapshotsOf, anotherContextUsesThemToo) {
    run(chat("And water?"));
    const RecordingSink straight = run(chat("And earth?"));
    const RecordingSink longer = run(chat("And earth?"), {.contextTokens = 1024});
    EXPECT_GT(cached(longer), 100u);
    EXPECT_EQ(longer.ids, straight.ids);
}

TEST_P(SnapshotsOf, aPrivateConversationLeavesNothing) {
    GenerateRequest request = chat("And water?");
    request.conversation.clear();
    run(request);
    EXPECT_TRUE(recordsIn(store()).empty());
    request.conversation = "../../outside";
    run(request);
    EXPECT_TRUE(recordsIn(store()).empty());
    EXPECT_FALSE(fs::exists(m_folder.file("outside")));
}

TEST_P(SnapshotsOf, aDeletedConversationTakesItsRecordsWithItButNotThoseOfOthers) {
    run(chat("And water?"));
    const size_t own = recordsIn(store()).size();
    GenerateRequest other = chat("And earth?");
    other.conversation = "8";
    run(other);
    const size_t both = recordsIn(store()).size();
    EXPECT_GT(both, own);
    {
        const Snapshots snapshots = Snapshots::open({store()}).value();
        snapshots.retain({"8", "9"});
        snapshots.waitUntilWritten();
    }
    const size_t left = recordsIn(store()).size();
    EXPECT_LT(left, both);
    EXPECT_GT(left, 0u);
    EXPECT_GE(cached(run(other)) + kGenerationPrompt, run(other).result->stats.promptTokens);
    const Snapshots snapshots = Snapshots::open({store()}).value();
    snapshots.retain({});
    snapshots.waitUntilWritten();
    EXPECT_TRUE(recordsIn(store()).empty());
    EXPECT_TRUE(fs::is_empty(store() + "/conversations"));
}

TEST_P(SnapshotsOf, theDiskLimitHoldsAndTheOldestGoFirst) {
    run(chat("And water?"));
    uint64_t bytes = 0;
    for (const fs::path& record : recordsIn(store())) bytes += fs::file_size(record);
    const uint64_t limit = bytes + bytes / 2;
    for (const char* question : {"And earth?", "And wind?", "And stones, which are rather cold?"}) {
        GenerateRequest other = chat(question);
        other.messages[0].parts[0].text = question + std::string(140, 'y');
        run(other, {.contextTokens = 512}, limit);
        uint64_t now = 0;
        for (const fs::path& record : recordsIn(store())) now += fs::file_size(record);
        EXPECT_LE(now, limit);
    }
    EXPECT_EQ(cached(run(chat("And water?"))), 0u);
}

/// Messages that were all read at once, not one after the other: each of their ends is a place to go on from.
TEST_P(SnapshotsOf, anEarlyMessageCanBeEditedAfterTheWholeWasReadAtOnce) {
    GenerateRequest request = chat("And water?");
    request.messages[1].parts[0].text += std::string(90, 'z');
    request.messages.push_back(textMessage(Role::Assistant, "Wet. " + std::string(90, 'w')));
    request.messages.push_back(textMessage(Role::User, "And wind?"));
    run(request, {.contextTokens = 2048});
    GenerateRequest edited = request;
    edited.messages.resize(3);
    edited.messages[2].parts[0].text = "Which colour?";
    const RecordingSink again = run(edited, {.contextTokens = 2048});
    EXPECT_GT(cached(again), 200u);  // two messages
    EXPECT_LT(cached(again), again.result->stats.promptTokens);
    fs::remove_all(store());
    EXPECT_EQ(run(edited, {.contextTokens = 2048}).ids, again.ids);
}

/// A record under another record's name is damage, too.
TEST_P(SnapshotsOf, swappedRecordsCostOnlyAReRead) {
    GenerateRequest other = chat("And water?");
    other.messages[0].parts[0].text = "Tell me about stones, please. " + std::string(121, 'y');
    const RecordingSink expected = run(chat("And water?"));
    run(other);
    std::vector<fs::path> records = recordsIn(store());
    std::ranges::sort(records);
    for (size_t i = 0; i + 1 < records.size(); i += 2) {
        fs::rename(records[i], store() + "/between");
        fs::rename(records[i + 1], records[i]);
        fs::rename(store() + "/between", records[i + 1]);
    }
    EXPECT_EQ(run(chat("And water?")).ids, expected.ids);
}

/// Every kind of damage costs a re-read and nothing else.
TEST_P(SnapshotsOf, DamagedRecordsCostOnlyAReRead) {
    const RecordingSink whole = run(chat("And water?"));
    const char* setting = std::getenv("INGLE_MUTATIONS");
    const int mutations = setting ? std::min(std::atoi(setting), 400) : 24;
    uint64_t random = 12345;
    const auto next = [&](uint64_t below) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        return (random >> 33) % below;
    };
    for (int mutation = 0; mutation < mutations; ++mutation) {
        SCOPED_TRACE(mutation);
        for (const fs::path& record : recordsIn(store())) {
            const auto size = fs::file_size(record);
            if (size == 0) continue;  // damaged before, and not looked at since
            if (mutation % 3 == 0) {
                fs::resize_file(record, next(size));
            } else {
                std::fstream file(record, std::ios::in | std::ios::out | std::ios::binary);
                const auto at = static_cast<std::streamoff>(mutation % 3 == 1 ? next(48) : next(size));
                file.seekg(at);
                const char byte = static_cast<char>(file.get() ^ static_cast<int>(1 + next(255)));
                file.seekp(at);
                file.put(byte);
            }
        }
        const RecordingSink again = run(chat("And water?"));
        EXPECT_EQ(again.ids, whole.ids);
        EXPECT_EQ(cached(again), 0u);
        EXPECT_GT(cached(run(chat("And water?"))), 0u);  // written anew
    }
}

TEST(SnapshotFolder, thatCannotBeMadeIsOneSentence) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("file")) << "in the way";
    const auto opened = Snapshots::open({folder.file("file") + "/snapshots"});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::Io);
}

TEST(SnapshotFolder, strangeFilesInItAreLeftAlone) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.file("s"));
    std::ofstream(folder.file("s/readme.txt")) << "mine";
    std::ofstream(folder.file("s/zz.snap")) << "mine, too";
    {
        const Snapshots snapshots = Snapshots::open({folder.file("s"), 1}).value();
        snapshots.retain({});
        snapshots.waitUntilWritten();
    }
    EXPECT_TRUE(fs::exists(folder.file("s/readme.txt")));
    EXPECT_TRUE(fs::exists(folder.file("s/zz.snap")));
}

INSTANTIATE_TEST_SUITE_P(Table, SnapshotsOf, testing::Values("llama", "rwkv5", "rwkv7", "qwen35"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle
