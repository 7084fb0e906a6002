/// From one text with marks (version 1) to parts (version 2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <random>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/documents/documents.h"
#include "app/history/search/search.h"
#include "app/history/store/backups.h"
#include "app/history/store/schema.h"
#include "app/history/store/settings.h"
#include "app/history/text/marked_text.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using namespace std::string_literals;

std::string bytesOf(std::initializer_list<TokenId> ids) {
    std::string bytes(ids.size() * sizeof(TokenId), '\0');
    std::memcpy(bytes.data(), std::data(ids), bytes.size());
    return bytes;
}

std::span<const std::byte> blob(const std::string& bytes) {
    return std::as_bytes(std::span(bytes));
}

/// A file of version 1 beside the fixture's own.
class MigrationTest : public HistoryFixture {
  protected:
    void SetUp() override {
        HistoryFixture::SetUp();
        m_history.reset();
        m_path = m_dir + "/data/old.db";
        m_old = valueOf(Database::open(m_path, FileMode::ReadWrite));
        ASSERT_TRUE(migrate(*m_old, 0, allMigrations().first(1)));
        m_old->execute("INSERT INTO conversations (title, created_ms, updated_ms) VALUES ('Old', 1, 2)");
    }
    void TearDown() override {
        m_old.reset();
        HistoryFixture::TearDown();
    }
    RowId add(const char* role, const std::string& text, const char* status = "complete",
              const std::string& error = "") {
        m_old->execute(
            "INSERT INTO messages (conversation_id, parent_id, role, text, status, error, created_ms, seed, "
            "temperature, top_k, top_p, token_ids) "
            "VALUES (1, (SELECT max(id) FROM messages), ?1, ?2, ?3, ?4, 5, ?5, 0.25, 7, 0.5, ?6)",
            role, text, status, error, ~uint64_t{0} - 1, blob(bytesOf({1, -2})));
        const RowId id = m_old->sqlite().getLastInsertRowid();
        m_old->execute("UPDATE conversations SET active_leaf = ?1", id);
        return id;
    }
    void addChunk(RowId message, const std::string& text, TokenId id, const std::string& withheld) {
        m_old->execute(
            "INSERT INTO answer_chunks (message_id, text, token_ids, withheld) VALUES (?1, ?2, ?3, ?4)",
            message, text, blob(bytesOf({id})), blob(withheld));
    }
    void open() {
        m_old.reset();
        reopen();
        EXPECT_EQ(integrity(), "ok");
        EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
    }

    std::unique_ptr<Database> m_old;
};

TEST_F(MigrationTest, EveryFieldArrives) {
    const RowId question = add("user", "<think>\nWhy?\0 really\n</think>\n\n"s);
    const RowId answer = add("assistant", "<think>\nHm.\n</think>\n\nBecause.\n```tool_call\nadd(1)\n```\n");
    m_old->execute(
        "UPDATE messages SET prompt_hash = 3, model_id = 'm', model_name = 'M', prompt_tokens = 4, "
        "cached_tokens = 5, new_tokens = 6, prefill_ms = 7.5, decode_ms = 8.5, withheld = x'FF00'");
    m_old->execute(
        "INSERT INTO attachments (message_id, position, name, media_type, content) "
        "VALUES (?1, 0, 'a.txt', 'text/plain', x'00FF'), (?1, 1, 'b.txt', 'text/plain', x'01')",
        question);
    m_old->execute("INSERT INTO search_index (rowid, folded) VALUES (?1, 'Because.')", answer);
    m_old->execute("INSERT INTO drafts VALUES (1, 'half', 3)");
    m_old->execute("INSERT INTO settings VALUES ('theme', 'dark')");
    m_old->execute(
        "INSERT INTO conversations (title, created_ms, updated_ms, deleted_ms) VALUES ('gone', 1, 2, 3)");
    open();

    const auto branch = valueOf(history::branch(*m_history, 1, 0));
    ASSERT_EQ(branch.size(), 2u);
    EXPECT_THAT(branch[0].parts,
                testing::ElementsAre(Part{PartKind::Text, "<think>\nWhy?\0 really\n</think>\n\n"s},
                                     Part{PartKind::Attachment, "", "a.txt"},
                                     Part{PartKind::Attachment, "", "b.txt"}));
    EXPECT_EQ(branch[0].stopReason, std::nullopt);
    const Message& message = branch[1];
    EXPECT_THAT(message.parts,
                testing::ElementsAre(Part{PartKind::Thought, "Hm."}, Part{PartKind::Text, "Because."},
                                     Part{PartKind::ToolCall, "add(1)"}));
    EXPECT_EQ(message.id, answer);
    EXPECT_EQ(message.parent, question);
    EXPECT_EQ(message.role, Role::Assistant);
    EXPECT_EQ(message.status, MessageStatus::Complete);
    EXPECT_EQ(message.stopReason, StopReason::EndOfText);
    EXPECT_THAT(message.tokenIds, testing::ElementsAre(1, -2));
    EXPECT_EQ(message.withheld, "\xFF\0"s);
    EXPECT_EQ(message.promptHash, 3u);
    EXPECT_EQ(message.modelId, "m");
    EXPECT_EQ(message.modelName, "M");
    EXPECT_EQ(message.sampler,
              (SamplerParams{.temperature = 0.25f, .topK = 7, .topP = 0.5f, .seed = ~uint64_t{0} - 1}));
    EXPECT_EQ(message.stats.promptTokens, 4u);
    EXPECT_EQ(message.stats.cachedTokens, 5u);
    EXPECT_EQ(message.stats.newTokens, 6u);
    EXPECT_EQ(message.stats.prefillMs, 7.5);
    EXPECT_EQ(message.stats.decodeMs, 8.5);
    EXPECT_EQ(message.createdMs, 5);
    EXPECT_EQ(sqlite().execAndGet("SELECT hex(content) FROM files ORDER BY id").getString(), "00FF");
    EXPECT_EQ(valueOf(search(*m_history, "Because", 5)).size(), 1u);
    const auto list = valueOf(conversations(*m_history));
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].draft, "half");
    EXPECT_EQ(valueOf(setting(*m_history, "theme")), "dark");
    // Ids are never used again.
    EXPECT_GT(valueOf(addUserMessage(*m_history, 1, 0, said("new"))), answer);
}

TEST_F(MigrationTest, SentencesBecomeReasons) {
    add("assistant", "a", "stopped", "The answer reached its length limit.");
    add("assistant", "b", "stopped", "Der Kontext des Modells ist voll.");
    add("assistant", "c", "stopped");
    add("assistant", "d", "failed", "The disk is gone.");
    open();
    const auto branch = valueOf(history::branch(*m_history, 1, 0));
    ASSERT_EQ(branch.size(), 4u);
    EXPECT_EQ(branch[0].stopReason, StopReason::MaxTokens);
    EXPECT_EQ(branch[1].stopReason, StopReason::ContextFull);
    EXPECT_EQ(branch[2].stopReason, StopReason::Cancelled);
    EXPECT_EQ(branch[3].stopReason, std::nullopt);
    EXPECT_FALSE(branch[0].error || branch[1].error || branch[2].error);
    EXPECT_EQ(branch[3].error.value().message, "The disk is gone.");
}

TEST_F(MigrationTest, AnAnswerThatWasBeingWrittenIsFoldedInAndGoesOn) {
    const RowId id = add("assistant", "<thi", "streaming");
    addChunk(id, "nk>\nHm", 3, "");
    addChunk(id, ".\n</thi", 4, "nk");
    addChunk(id, "nk>\n\nSo", 5, "\xE6\0"s);
    open();
    Message message = valueOf(history::message(*m_history, id));
    EXPECT_THAT(message.parts,
                testing::ElementsAre(Part{PartKind::Thought, "Hm."}, Part{PartKind::Text, "So"}));
    EXPECT_THAT(message.tokenIds, testing::ElementsAre(1, -2, 3, 4, 5));
    EXPECT_EQ(message.withheld, "\xE6\0"s);
    EXPECT_EQ(message.status, MessageStatus::Interrupted);
    EXPECT_EQ(valueOf(search(*m_history, "Hm", 5)).size(), 1u);
    ASSERT_TRUE(resumeAnswer(*m_history, id));
    ASSERT_TRUE(finishAnswer(*m_history, id, {.pieces = piece(" it is."), .ids = {6}}));
    message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(message.parts.back(), (Part{PartKind::Text, "So it is."}));
}

TEST_F(MigrationTest, AProcessThatIsKilledInTheMiddleChangesNothing) {
    const RowId id = add("assistant", "<think>\nHm.\n</think>\n\nSo.");
    m_old.reset();
    const pid_t child = ::fork();
    if (child == 0) {
        const std::array steps{allMigrations()[0], allMigrations()[1],
                               Migration{.move = [](Database&) -> Status {
                                   ::raise(SIGKILL);
                                   return {};
                               }}};
        const auto file = Database::open(m_path, FileMode::ReadWrite);
        if (file) (void)migrate(**file, 1, steps);  // does not return
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    m_old = valueOf(Database::open(m_path, FileMode::ReadWrite));
    EXPECT_EQ(valueOf(schemaVersion(*m_old)), 1);
    open();
    EXPECT_EQ(valueOf(history::message(*m_history, id)).parts.size(), 2u);
}

TEST_F(MigrationTest, DocumentsOfVersionThreeStayAndTheirPassagesMayGetVectors) {
    ASSERT_TRUE(migrate(*m_old, 1, allMigrations().first(3)));
    m_old->execute("INSERT INTO files (media_type, content) VALUES ('text/plain', ?1)", blob("one two"));
    m_old->execute(
        "INSERT INTO documents (file_id, title, format, added_ms, used_ms) VALUES (1, 'Old', 'text', 1, 2)");
    m_old->execute(
        "INSERT INTO passages (document_id, begins, ends, page, heading) VALUES (1, 4, 7, 0, 'Top')");
    m_old->execute("INSERT INTO readings VALUES (1, 'm', 'M', 100, 0, 0, 21, 0)");
    open();
    EXPECT_EQ(valueOf(documents(*m_history)).at(0).title, "Old");
    const auto passages = valueOf(passagesWithoutVector(*m_history, "bge", 100));
    ASSERT_EQ(passages.size(), 1u);
    EXPECT_EQ(passages[0].text, "Top\ntwo");
    ASSERT_TRUE(setPassageVectors(*m_history, "bge", std::vector{PassageVector{1, {1, 0}}}));
    EXPECT_THAT(valueOf(passagesWithoutVector(*m_history, "bge", 100)), testing::IsEmpty());
    SQLite::Database copy(backupPath(m_path, 3), SQLite::OPEN_READONLY);
    EXPECT_EQ(copy.execAndGet("PRAGMA user_version").getInt(), 3);
}

TEST_F(MigrationTest, AFullDiskChangesNothing) {
    const RowId id = add("assistant", std::string(50'000, 'x'));
    const auto pages = m_old->sqlite().execAndGet("PRAGMA page_count").getInt();
    m_old->sqlite().exec(fmt::format("PRAGMA max_page_count = {}", pages + 4));
    const Status migrated = migrate(*m_old, 1, allMigrations());
    ASSERT_FALSE(migrated);
    EXPECT_THAT(migrated.error().message, testing::HasSubstr("disk is full"));
    EXPECT_EQ(valueOf(schemaVersion(*m_old)), 1);
    EXPECT_EQ(m_old->sqlite().execAndGet("SELECT length(text) FROM messages").getInt(), 50'000);
    open();
    EXPECT_EQ(allText(valueOf(history::message(*m_history, id))).size(), 50'000u);
}

TEST(MarkedText, PartsAreCutAtMarksThatBeginALine) {
    const auto text = [](const std::string& words) { return Part{PartKind::Text, words, ""}; };
    const auto thought = [](const std::string& words) { return Part{PartKind::Thought, words, ""}; };
    const auto call = [](const std::string& words) { return Part{PartKind::ToolCall, words, ""}; };
    const std::vector<std::pair<std::string, std::vector<Part>>> cases{
        {"", {}},
        {"plain\n\ntext\n", {text("plain\n\ntext\n")}},
        {"<think>\na\nb\n</think>\n\nc", {thought("a\nb"), text("c")}},
        {"c\n<think>\na\n</think>\n\n", {text("c\n"), thought("a")}},
        {"<think>\n\n\n</think>\n\n\nc", {thought("\n"), text("\nc")}},
        {"<think>\n\n</think>\n\nc", {text("c")}},
        {"a\n<think>\n\n</think>\n\nc", {text("a\nc")}},
        {"x <think>\na\n</think>\n\n", {text("x <think>\na\n</think>\n\n")}},
        {"\n```tool_call\nf()\n```\n", {call("f()")}},
        {"<think>\na\n</think>\n\n\n```tool_call\nf()\n```\nb", {thought("a"), call("f()"), text("b")}},
        {"a\n```tool_call\nf()\n```\n\n```tool_call\ng()\n```\n", {text("a"), call("f()"), call("g()")}},
        // Broken off.
        {"<think>", {}},
        {"<think>\n", {}},
        {"<thi", {text("<thi")}},
        {"<think>\nhalf\n</thi", {thought("half\n</thi")}},
        {"<think>\nhalf\n</think>", {thought("half")}},
        {"a\n```tool_call\nf(", {text("a"), call("f(")}},
        // Damaged or strange.
        {"</think>\n\na", {text("</think>\n\na")}},
        {"<think>\na\n</think>\nb", {thought("a"), text("b")}},
        {"<think>\n<think>\na\n</think>\n\nb", {thought("<think>\na"), text("b")}},
        {"\0<think>\n"s, {text("\0<think>\n"s)}},
        {"<think>\n\0\n</think>\n\n\0"s, {thought("\0"s), text("\0"s)}},
        {"\xFF\n<think>\n\xFE", {text("\xFF\n"), thought("\xFE")}},
        // What a block of code shows is no mark.
        {"```\n<think>\na\n</think>\n```\nb", {text("```\n<think>\na\n</think>\n```\nb")}},
        {"~~~ x\n```tool_call\n~~~\n<think>\na", {text("~~~ x\n```tool_call\n~~~\n"), thought("a")}},
        {"`` `\n<think>\na", {text("`` `\n"), thought("a")}},
    };
    for (const auto& [marked, parts] : cases) {
        EXPECT_EQ(partsOfMarkedText(marked), parts) << testing::PrintToString(marked);
    }
}

TEST(MarkedText, DamagedTextsLoseNoWord) {
    const std::vector<std::string> pieces{
        "<think>", "</think>", "\n", "\n\n", "```tool_call", "```",           "~~~",
        "word",    "\0"s,      " ",  "\xE6", "<think>\n",    "\n</think>\n\n"};
    std::mt19937 random(5);
    for (int round = 0; round < 3000; ++round) {
        std::string marked;
        for (auto n = random() % 14; n > 0; --n) marked += pieces[random() % pieces.size()];
        std::string together;
        for (const Part& part : partsOfMarkedText(marked)) {
            EXPECT_FALSE(part.text.empty());
            together += part.text;
        }
        const auto countWords = [](const std::string& text) {
            size_t count = 0;
            for (size_t at = text.find("word"); at != std::string::npos; at = text.find("word", at + 1))
                ++count;
            return count;
        };
        EXPECT_EQ(countWords(together), countWords(marked)) << testing::PrintToString(marked);
    }
}

}  // namespace
}  // namespace ingle::history
