// What leaves and comes back leaves again byte by byte.
#include "app/exchange/conversation_json.h"
#include "app/exchange/export_chats.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/chats/pictures.h"
#include "app/history/documents/documents.h"
#include "app/history/opening.h"
#include "app/history/trash/trash.h"
#include "tests/app/exchange/sample_exports.h"
#include "tests/app/history/history_fixture.h"
#include "tests/golden_text.h"

namespace ingle::exchange {
namespace {

using history::valueOf;

class RoundTrip : public history::HistoryFixture {
  protected:
    std::string exported(history::History& from, const char* name, history::Selection selection = {}) {
        const std::string path = m_dir + "/" + name;
        const auto reader = valueOf(history::openReader(from.path()));
        const auto count =
            exportChats(*reader, selection, *findExporter("json"), path, io::Existing::Replaced);
        EXPECT_TRUE(count) << (count ? "" : count.error().message);
        return readFile(path);
    }
    /// A history with everything that can be in one.
    void fill() {
        ask("Zero \0 byte"), sqlite().exec("UPDATE parts SET text = 'nul' || char(0) || ' \u2028 end'");
        const auto first = beginAnswer();
        history::AnswerEnd end;
        end.pieces = {{PartKind::Thought, "hm", ""}, {PartKind::Text, "Yes.", ""}};
        end.ids = {1, -5, 70000};
        end.withheld = "\xE2\x82";
        end.reason = StopReason::MaxTokens;
        end.stats = {.promptTokens = 9,
                     .newTokens = 3,
                     .prefillMs = 1.0 / 3,
                     .decodeMs = 1e-9,
                     .guessedTokens = 5,
                     .takenTokens = 2};
        end.receipt.program = "0.0";
        end.receipt.overrides["a"] = "b";
        ASSERT_TRUE(history::finishAnswer(*m_history, first, end));
        ASSERT_TRUE(history::setPrompt(*m_history, first, 0xFEDCBA9876543210u, m_question));
        SamplerParams sampler;
        sampler.temperature = 0.1f;
        sampler.logitBias = {{5, -1.5f}};
        sampler.seed = ~uint64_t{0};
        const history::AnswerTerms terms{.systemPrompt = "Be brief.",
                                         .maxTokens = 7,
                                         .contextTokens = 900,
                                         .whenFull = WhenFull::Refuse,
                                         .form = {history::AnswerForm::Kind::JsonSchema, "{}"},
                                         .promptForm = {"{{ messages[0].content }}", Thinking::On}};
        const auto second =
            valueOf(history::beginAnswer(*m_history, m_conversation, m_question, "m", "M", sampler, terms));
        ASSERT_TRUE(
            history::finishAnswer(*m_history, second, history::failedWith(Error{ErrorCode::Io, "No disk."})));
        const auto gone =
            valueOf(history::addUserMessage(*m_history, m_conversation, second, history::said("secret")));
        ASSERT_TRUE(history::trashMessage(*m_history, gone));
        ASSERT_TRUE(history::setMessagePinned(*m_history, m_question, true));
        const auto drawn = valueOf(history::storePicture(*m_history, {"image/webp", "drawn"}));
        ASSERT_TRUE(history::setDraft(*m_history, m_conversation,
                                      "half a th\x1D" + (history::kDraftPicture + drawn)));
        sqlite().exec(
            "INSERT INTO folders (id, parent_id, name, position) VALUES (7, NULL, 'Top', 3), (9, 7, 'In', 1);"
            "INSERT INTO profiles (id, name, settings) VALUES (4, 'Short', '{\"b\":1,\"a\":[0.5]}');"
            "INSERT INTO files (id, hash, media_type, content) VALUES (3, "
            "x'3D1F57C984978EF98A18378C8166C1CB8EDE02C03EEB6AEE7E2F121DFEEE3E56', 'text/plain', "
            "x'000102FF')");
        const auto picture = valueOf(history::storePicture(*m_history, {"image/png", "pixels"}));
        const auto other = valueOf(history::createConversation(*m_history, "Other", "m"));
        ASSERT_TRUE(history::addUserMessage(
            *m_history, other, 0,
            {{PartKind::Attachment, "read", "a.txt"}, {PartKind::Image, "A bee", picture}}));
        sqlite().exec(
            "UPDATE parts SET file_id = 3 WHERE kind = 'attachment';"
            "UPDATE conversations SET folder_id = 9, profile_id = 4, archived_ms = 12, origin = 'jan', "
            "pinned = 1 WHERE title = "
            "'Other'");
        ASSERT_TRUE(
            history::setFolderProfile(*m_history, 9, {.systemPrompt = "In verse.", .temperature = 0.5}));
        const auto report =
            valueOf(history::addDocument(*m_history, {.title = "Report",
                                                      .format = "PDF",
                                                      .leftOut = {"2 pictures"},
                                                      .text = "# Bees\n\nBees make h\xC3\xB6ney.\n",
                                                      .passages = {{0, 7, 0, ""}, {7, 25, 2, "Bees"}}}));
        const auto gone2 = valueOf(history::addDocument(*m_history, {.title = "Off the shelf",
                                                                     .format = "text",
                                                                     .leftOut = {},
                                                                     .text = "Wasps do not.",
                                                                     .passages = {}}));
        (void)valueOf(history::addDocument(*m_history, {.title = "Unused",
                                                        .format = "text",
                                                        .leftOut = {},
                                                        .text = "Nobody asks about this.",
                                                        .passages = {{0, 23, 0, ""}}}));
        const history::RowId both[] = {gone2, report};
        ASSERT_TRUE(history::setDocumentsOf(*m_history, other, both));
        ASSERT_TRUE(history::removeDocument(*m_history, gone2));
        // Being written while it leaves.
        m_conversation = valueOf(history::createConversation(*m_history, "Third", "m"));
        m_question = valueOf(history::addUserMessage(*m_history, m_conversation, 0, history::said("And?")));
        ASSERT_TRUE(history::appendAnswer(*m_history, beginAnswer(), history::piece("Beg"), {1}, ""));
    }
};

TEST_F(RoundTrip, exportImportExportIsTheSameBytes) {
    fill();
    const std::string once = exported(*m_history, "once.json");
    EXPECT_EQ(once.find("secret"), std::string::npos);
    EXPECT_NE(once.find("\"tokenIds\":[1,-5,70000]"), std::string::npos);
    const auto into = valueOf(history::openHistory(m_dir + "/other/history.db"));
    const auto recognised = valueOf(recognise(m_dir + "/once.json"));
    EXPECT_EQ(recognised.importer->program, "Inglenook");
    EXPECT_EQ(valueOf(importChats(recognised, *into)).conversations.size(), 3u);
    EXPECT_EQ(exported(*into, "twice.json"), once);
    const auto shelf = valueOf(history::documents(*into));
    ASSERT_EQ(shelf.size(), 2u);
    EXPECT_EQ(valueOf(history::folderProfile(*into, 2)).systemPrompt, "In verse.");
    EXPECT_EQ(into->database()
                  .sqlite()
                  .execAndGet("SELECT count(*) FROM passage_index WHERE passage_index "
                              "MATCH 'honey'")
                  .getInt(),
              1);
    // Beside what is there already it is the same once more, and folders, profiles and files are not doubled.
    ASSERT_TRUE(importChats(recognised, *into));
    auto& database = into->database().sqlite();
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM conversations").getInt(), 6);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM folders").getInt(), 2);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM profiles").getInt(), 1);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM documents").getInt(), 3);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM conversation_documents").getInt(), 4);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM files WHERE hash IS NOT NULL").getInt(), 3);
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST_F(RoundTrip, aHashIsNotBelieved) {
    const auto bee = valueOf(history::storePicture(*m_history, {"image/png", "bee"}));
    m_conversation = valueOf(history::createConversation(*m_history, "Bees", "m"));
    ASSERT_TRUE(history::addUserMessage(*m_history, m_conversation, 0, {{PartKind::Image, "A bee", bee}}));
    std::string text = exported(*m_history, "true.json");
    text.replace(text.find("YmVl"), 4, "d2FzcA==");  // "wasp"
    writeFile(m_dir + "/false.json", text);
    const auto into = valueOf(history::openHistory(m_dir + "/other/history.db"));
    const auto imported = valueOf(importChats(valueOf(recognise(m_dir + "/false.json")), *into));
    EXPECT_FALSE(history::picture(*into, bee));
    const auto branch = valueOf(history::branch(*into, imported.conversations.front(), 0));
    EXPECT_EQ(valueOf(history::picture(*into, branch.front().parts.front().data)).bytes, "wasp");
}

TEST_F(RoundTrip, anExportIsWrittenByteByByte) {
    fill();
    sqlite().exec(
        "UPDATE messages SET created_ms = 1000 + id, finished_ms = iif(finished_ms IS NULL, NULL, 2000 + id);"
        "UPDATE conversations SET created_ms = 3000 + id, updated_ms = 4000 + id;"
        "UPDATE documents SET added_ms = 5000 + id, used_ms = 6000 + id;"
        "UPDATE messages SET cached_tokens = 4, error_id = 'noDisk', error_arguments = '[\"a\",\"b\"]' "
        "WHERE error <> '';");
    const std::string written = exported(*m_history, "golden.json");
    const std::string golden = test::goldenText("export.json", written);
    EXPECT_EQ(written, golden);
    writeFile(m_dir + "/golden.json", golden);
    const auto into = valueOf(history::openHistory(m_dir + "/other/history.db"));
    ASSERT_TRUE(importChats(valueOf(recognise(m_dir + "/golden.json")), *into));
    EXPECT_EQ(exported(*into, "again.json"), golden);
}

TEST_F(RoundTrip, whatIsOfAnotherKindIsToldInTheSameWords) {
    const auto whole = nlohmann::json::parse(readFile(INGLE_SOURCE_DIR "/tests/vectors/text/export.json"));
    test::MemberReport report;
    const auto ask = [&](const char* key, auto from) {
        for (const nlohmann::json& each : whole[key])
            report.ask(each, [&](const std::string& text) -> Result<std::string> {
                INGLE_TRY_ASSIGN(const auto value, from(nlohmann::json::parse(text)));
                return lineOf(jsonOf(value));
            });
    };
    ask("folders", readAs<history::PortableFolder>);
    ask("profiles", readAs<history::PortableProfile>);
    ask("documents", readAs<history::PortableDocument>);
    ask("conversations", readAs<history::PortableConversation>);
    EXPECT_EQ(report.text(), test::goldenText("export_mistakes.txt", report.text()));
}

TEST_F(RoundTrip, oneChatOrAFolder) {
    fill();
    const std::string one = exported(*m_history, "one.json", {.conversation = 1});
    EXPECT_NE(one.find("\"Title\""), std::string::npos);
    EXPECT_EQ(one.find("\"Other\""), std::string::npos);
    EXPECT_NE(one.find("\"folders\":[]"), std::string::npos);
    const std::string folder = exported(*m_history, "folder.json", {.folder = 7});
    EXPECT_NE(folder.find("\"Other\""), std::string::npos);
    EXPECT_EQ(folder.find("\"Third\""), std::string::npos);
    EXPECT_NE(folder.find("\"Report\""), std::string::npos);  // it stands in a chat of that folder
    EXPECT_EQ(folder.find("\"Unused\""), std::string::npos);
    EXPECT_EQ(one.find("\"documents\""), std::string::npos);
    const auto none = exportChats(*m_history, {.conversation = 99}, *findExporter("json"),
                                  m_dir + "/none.json", io::Existing::Kept);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "The history has no conversation 99.");
    EXPECT_FALSE(std::filesystem::exists(m_dir + "/none.json"));
}

TEST_F(RoundTrip, aWrongExportIsToldAndLeavesNothing) {
    const auto error = [&](const std::string& conversations) {
        writeFile(m_dir + "/x.json", "{\"format\":\"inglenook.history\",\"version\":1,\"conversations\":[" +
                                         conversations + "]}");
        const auto result = importChats(valueOf(recognise(m_dir + "/x.json")), *m_history);
        EXPECT_EQ(valueOf(history::conversations(*m_history)).size(), 0u);
        return result ? std::string("none") : result.error().message;
    };
    EXPECT_EQ(error(R"({"title":"a"},{"title":5})"),
              "The file has a conversation whose \"title\" is not as the format says.");
    EXPECT_EQ(error(R"({"messages":[{"id":1,"parent":2},{"id":2}]})"),
              "It refers to message 2, which did not come before it.");
    EXPECT_EQ(error(R"({"documents":[4]})"), "It refers to document 4, which did not come before it.");
    EXPECT_EQ(error(R"({"messages":[{"id":1},{"id":1}]})"),
              "The conversation \"\" has two messages with the number 1.");
    EXPECT_EQ(error(R"({"folder":3})"), "It refers to folder 3, which did not come before it.");
    EXPECT_EQ(error(R"({"messages":[{"id":1,"role":"tool"}]})"),
              "The file has a message whose \"role\" is not as the format says.");
}

}  // namespace
}  // namespace ingle::exchange
