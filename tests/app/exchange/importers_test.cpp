// What each importer makes of a sample, and that an import is written whole or not at all.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <iostream>
#include <thread>

#include "app/exchange/import_chats.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/store/copies.h"
#include "app/history/store/settings.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"
#include "app/storage/storage.h"
#include "tests/app/exchange/sample_exports.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::exchange {
namespace {

using history::Message;
using history::valueOf;

class Importers : public history::HistoryFixture {
  protected:
    Findings import(const std::string& path) {
        const auto recognised = recognise(path);
        if (!recognised) {
            ADD_FAILURE() << recognised.error().message;
            return {};
        }
        m_program = recognised->importer->program;
        return valueOf(importChats(*recognised, *m_history)).findings;
    }
    Findings importSample(const char* name) {
        for (const Sample& sample : samples())
            if (std::string_view(sample.name) == name) return import(sample.write(m_dir));
        ADD_FAILURE() << name;
        return {};
    }
    std::vector<Message> branch() {
        return valueOf(history::branch(*m_history, valueOf(history::conversations(*m_history)).at(0).id, 0));
    }
    static std::string shape(const std::vector<Message>& messages) {
        std::string result;
        for (const Message& message : messages) {
            result += message.role == Role::User ? "U(" : message.role == Role::System ? "S(" : "A(";
            for (const Part& part : message.parts) {
                constexpr const char* kKinds[] = {
                    "", "thought:", "call:", "result:", "file:", "image:", "source:"};
                result += kKinds[static_cast<size_t>(part.kind)] + part.text;
                if (!part.data.empty()) result += "@" + part.data;
                result += '|';
            }
            result += ')';
        }
        return result;
    }

    std::string m_program;
};

TEST_F(Importers, chatGptKeepsBranchesCallsAndTimes) {
    for (const char* sample : {"chatgpt", "chatgptZip"}) {
        const Findings found = importSample(sample);
        EXPECT_EQ(found.conversations, 1u);
        EXPECT_EQ(found.messages, 3u);
        EXPECT_EQ(found.leftOut, (std::map<LossKind, uint64_t>{{LossKind::Pictures, 1},
                                                               {LossKind::Attachments, 1},
                                                               {LossKind::HiddenMessages, 1},
                                                               {LossKind::EmptyConversations, 1}}));
    }
    const auto conversation = valueOf(history::conversations(*m_history)).at(0);
    EXPECT_EQ(conversation.title, "Trees");
    EXPECT_EQ(conversation.createdMs, 1700000000500);
    EXPECT_EQ(conversation.updatedMs, 1700000100250);
    EXPECT_EQ(shape(branch()),
              "U(What is a tree?|file:@notes.txt|)A(call:print(1)@python|result:1@python|A graph.|)");
    const auto answer = branch().at(1);
    EXPECT_EQ(answer.siblingCount, 2);
    EXPECT_EQ(answer.siblingIndex, 1);
    EXPECT_EQ(answer.modelName, "o1");
    EXPECT_EQ(valueOf(history::search(*m_history, "graph", 10)).size(), 2u);
    EXPECT_EQ(sqlite().execAndGet("SELECT origin FROM conversations").getString(), "chatgpt");
}

TEST_F(Importers, openWebUiFromListAndDatabase) {
    for (const char* sample : {"openWebUi", "openWebUiDatabase"}) {
        const Findings found = importSample(sample);
        EXPECT_EQ(found.conversations, 1u);
        EXPECT_EQ(found.leftOut,
                  (std::map<LossKind, uint64_t>{{LossKind::Pictures, 1}, {LossKind::Ratings, 1}}));
        EXPECT_EQ(shape(branch()), "S(Be brief.|)U(file:salt@list.txt|Soup?|)A(thought:Salt & water|Yes.|)")
            << sample;
        EXPECT_EQ(branch().at(2).siblingCount, 2);
        EXPECT_EQ(branch().at(2).modelName, "Llama 3");
        EXPECT_TRUE(valueOf(history::conversations(*m_history)).at(0).pinned);
    }
    EXPECT_EQ(
        sqlite()
            .execAndGet(
                "SELECT p.name || '/' || f.name FROM conversations c JOIN folders f ON f.id = c.folder_id "
                "JOIN folders p ON p.id = f.parent_id")
            .getString(),
        "Home/Recipes");
}

TEST_F(Importers, gpt4AllInEveryVersion) {
    for (int version = 1; version <= 12; ++version) {
        const std::string path = m_dir + "/gpt4all-x.chat";
        writeFile(path, gpt4AllChat(version));
        const Findings found = import(path);
        ASSERT_EQ(found.messages, 2u) << version;
        EXPECT_EQ(valueOf(history::conversations(*m_history)).at(0).title, "Bücher 📚");
        const std::string file = version >= 10 ? "file:one@list.txt|" : "";
        const std::string source = version >= 8 ? "source:Books are read.@/books/a.txt|" : "";
        EXPECT_EQ(shape(branch()),
                  "U(" + file + "What are books for?|)A(" + source + "thought:Paper.|Read.|)")
            << version;
        EXPECT_EQ(branch().at(1).status, history::MessageStatus::Stopped);
        EXPECT_EQ(branch().at(1).modelName, "llama-3.gguf");
        ASSERT_TRUE(
            history::trashConversation(*m_history, valueOf(history::conversations(*m_history)).at(0).id));
    }
    writeFile(m_dir + "/gpt4all-x.chat", gpt4AllChat(12).replace(7, 1, 1, '\x0d'));
    const auto newer = examine(valueOf(recognise(m_dir + "/gpt4all-x.chat")));
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().message, "The chat has version 13; versions 1 to 12 are read.");
}

TEST_F(Importers, lmStudioKeepsVersionsThoughtsAndFolders) {
    writeFile(m_dir + "/conversations/Sky/Night/1.conversation.json", kLmStudio);
    const Findings found = import(m_dir + "/conversations");
    EXPECT_EQ(found.folders, 2u);
    EXPECT_EQ(found.leftOut, (std::map<LossKind, uint64_t>{{LossKind::Pictures, 1}}));
    EXPECT_EQ(shape(branch()), "S(Answer in verse.|)U(What is a star?|)A(thought:It burns.|A fire.|)");
    EXPECT_EQ(branch().at(2).siblingCount, 2);
    EXPECT_EQ(branch().at(2).modelName, "openai/gpt-oss-20b");
    EXPECT_EQ(branch().at(2).createdMs, 1754424591000);
}

TEST_F(Importers, oneDamagedChatIsAnErrorAndOneOfManyIsCounted) {
    const std::string half = std::string(kLmStudio).substr(0, 200);
    writeFile(m_dir + "/c/1.conversation.json", half);
    writeFile(m_dir + "/c/2.conversation.json", kLmStudio);
    const auto alone = importChats(valueOf(recognise(m_dir + "/c/1.conversation.json")), *m_history);
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.error().message, "The chat is damaged or ends too early.");
    EXPECT_EQ(import(m_dir + "/c").leftOut.at(LossKind::UnreadableConversations), 1u);
    EXPECT_EQ(valueOf(history::conversations(*m_history)).size(), 1u);
}

TEST_F(Importers, janAndOllama) {
    EXPECT_EQ(importSample("jan").leftOut, (std::map<LossKind, uint64_t>{{LossKind::Pictures, 1}}));
    EXPECT_EQ(shape(branch()), "S(Be kind.|)U(Will it rain?|)A(thought:Clouds.|Yes.|)");
    EXPECT_EQ(branch().at(2).modelName, "qwen3-4b");
    EXPECT_EQ(importSample("ollama").leftOut, (std::map<LossKind, uint64_t>{{LossKind::Attachments, 1}}));
    EXPECT_EQ(shape(branch()),
              "U(file:hard@stone.txt|file:@stone.jpg|Why "
              "stones?|)A(thought:Hm.|Because.|call:{\"at\":\"stone\"}@look|)");
    EXPECT_EQ(branch().at(0).createdMs, 1754042401000);  // 2025-08-01T10:00:01Z
}

TEST_F(Importers, eachSampleIsItsProgramsAndExaminingWritesNothing) {
    for (const Sample& sample : samples()) {
        std::filesystem::create_directories(m_dir + "/of-" + sample.name);
        const auto recognised = recognise(sample.write(m_dir + "/of-" + sample.name));
        ASSERT_TRUE(recognised) << sample.name << ": " << recognised.error().message;
        EXPECT_EQ(recognised->importer->program, sample.program);
        EXPECT_EQ(valueOf(examine(*recognised)).conversations, 1u) << sample.name;
    }
    EXPECT_TRUE(valueOf(history::conversations(*m_history)).empty());
    writeFile(m_dir + "/letter.txt", "Dear Ann");
    const auto letter = recognise(m_dir + "/letter.txt");
    ASSERT_FALSE(letter);
    EXPECT_THAT(letter.error().message,
                testing::HasSubstr("holds no chats of a program that is known (ChatGPT, "));
}

std::string manyChats(int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) {
        if (i > 0) text += ',';
        text += fmt::format(
            R"({{"title":"Chat {0}","create_time":{1},"update_time":{1},"current_node":"a2","mapping":{{)", i,
            1700000000 + i);
        const char* const names[] = {"q1", "a1", "q2", "a2"};
        for (int k = 0; k < 4; ++k) {
            text += fmt::format(
                R"({}"{}":{{"parent":{},"children":[{}],"message":{{"author":{{"role":"{}"}},"create_time":{},)"
                R"("content":{{"content_type":"text",)"
                R"("parts":["Words about thing {} and what else {} has to say about the matter,)"
                R"( which is more than a line or two long."]}}}}}})",
                k ? "," : "", names[k], k ? fmt::format("\"{}\"", names[k - 1]) : "null",
                k < 3 ? fmt::format("\"{}\"", names[k + 1]) : "", k % 2 ? "assistant" : "user",
                1700000000 + i, i, k);
        }
        text += "}}";
    }
    return text + "]";
}

// 10,000 conversations in at most 20 s is what is asked for; a machine that does other things gets three
// times that.
TEST_F(Importers, tenThousandConversations) {
    writeFile(m_dir + "/conversations.json", manyChats(10000));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(import(m_dir + "/conversations.json").messages, 40000u);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << "10,000 conversations of 4 messages: " << seconds << " s\n";
    EXPECT_LE(seconds, 60);
    EXPECT_EQ(valueOf(history::conversations(*m_history)).size(), 10000u);
    EXPECT_EQ(integrity(), "ok");
}

TEST_F(Importers, whatIsCancelledOrBreaksOffLeavesNothing) {
    ask("Mine");
    writeFile(m_dir + "/conversations.json", manyChats(500));
    const auto recognised = valueOf(recognise(m_dir + "/conversations.json"));
    uint64_t done = 0;
    const auto cancelled = importChats(
        recognised, *m_history,
        {.isCancelled = [&] { return done >= 300; }, .progress = [&](uint64_t count) { done = count; }});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(done, 300u);
    const std::string text = manyChats(500);
    writeFile(m_dir + "/conversations.json", text.substr(0, text.size() * 9 / 10));
    const auto broken = importChats(recognised, *m_history);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().message, "The file is damaged or ends too early: it is no JSON.");
    EXPECT_EQ(valueOf(history::conversations(*m_history)).size(), 1u);
    EXPECT_EQ(valueOf(history::search(*m_history, "thing", 10)).size(), 0u);
    EXPECT_TRUE(valueOf(history::trash(*m_history)).empty());
    // What was written of it goes in the background; backups stay as they are: they never were to hold it.
    const auto backup = valueOf(history::makeBackup(m_path));
    while (valueOf(history::shredSlice(*m_history, std::chrono::milliseconds(5))) !=
           history::ShredState::Done)
        ASSERT_TRUE(std::filesystem::exists(backup.path));
    ASSERT_TRUE(std::filesystem::exists(backup.path));
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM messages").getInt(), 1);
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM conversations").getInt(), 1);
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM search_index").getInt(), 2);
}

TEST_F(Importers, othersWriteMeanwhileAndSeeNothingOfIt) {
    m_history.reset();
    std::filesystem::create_directories(m_dir + "/window");
    writeFile(m_dir + "/conversations.json", manyChats(1500));
    const auto recognised = valueOf(recognise(m_dir + "/conversations.json"));
    storage::Storage storage(m_dir + "/window");
    // One small write after the other, as an answer's pieces come.
    std::atomic<bool> over = false, over2 = false;
    std::atomic<int> writes = 0, sights = 0;
    std::function<void()> write = [&] {
        storage.run(
            [](history::History& history) -> Result<size_t> {
                INGLE_TRY(history::setSetting(history, "x", "y"));
                INGLE_TRY_ASSIGN(const auto conversations, history::conversations(history));
                INGLE_TRY_ASSIGN(const auto hits, history::search(history, "thing", 1));
                return conversations.size() + hits.size();
            },
            [&](const Result<size_t>& seen) {
                ++writes;
                if (!over && valueOf(seen) > 0) ++sights;
                if (over)
                    over2 = true;
                else
                    write();
            });
    };
    write();
    const WithHistory with = [&](const std::function<Status(history::History&)>& work) {
        std::promise<Status> done;
        storage.run([&](history::History& history) { return work(history); },
                    [&](const Status& status) { done.set_value(status); });
        return done.get_future().get();
    };
    const auto imported = valueOf(importChats(recognised, with));
    over = true;
    EXPECT_EQ(imported.conversations.size(), 1500u);
    EXPECT_GE(writes, 50);  // at least one between two slices
    EXPECT_LE(sights, 1);   // at most what was read after the last slice
    while (!over2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(Importers, aKilledImportLeavesAllOrNothing) {
    ask("Mine");
    writeFile(m_dir + "/conversations.json", manyChats(1500));
    const auto recognised = valueOf(recognise(m_dir + "/conversations.json"));
    m_history.reset();
    int killed = 0;
    for (int round = 0; round < 12; ++round) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto history = history::openHistory(m_path);
            const bool done = history && importChats(recognised, **history);
            ::_exit(done ? 0 : 1);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(40 + 60 * round));
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        killed += WIFSIGNALED(status);
        reopen();
        const size_t count = valueOf(history::conversations(*m_history)).size();
        EXPECT_EQ((count - 1) % 1500, 0u) << round;
        EXPECT_EQ(integrity(), "ok");
        m_history.reset();
    }
    EXPECT_GT(killed, 3);  // else it was never in the middle
    reopen();
}

}  // namespace
}  // namespace ingle::exchange
