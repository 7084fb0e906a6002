// `ingle history` as people run it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

struct HistoryOutcome {
    int exitCode = 0;
    std::string out;  ///< of both streams
};

class HistoryCommand : public testing::Test {
  protected:
    HistoryOutcome history(const std::string& command) {
        const std::string line = "INGLE_DATA_DIR=" + m_folder.file("data") +
                                 " " INGLE_BIN_DIR "/ingle history " + command + " 2>&1";
        HistoryOutcome outcome;
        std::FILE* pipe = popen(line.c_str(), "r");
        std::array<char, 4096> buffer{};
        while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
            outcome.out.append(buffer.data(), count);
        outcome.exitCode = WEXITSTATUS(pclose(pipe));
        return outcome;
    }
    std::string file(const std::string& name) const { return m_folder.file(name); }

    test::TemporaryFolder m_folder;
};

constexpr const char* kExportedChat =
    R"([{"title":"Trees","create_time":1700000000,"update_time":1700000100,"current_node":"a","mapping":{
"q":{"parent":null,"children":["a"],"message":{"author":{"role":"user"},"content":{"content_type":"text",
"parts":["A tree?"]}}},
"a":{"parent":"q","children":[],"message":{"author":{"role":"assistant"},"content":{"content_type":"multimodal_text",
"parts":["A plant.",{"content_type":"image_asset_pointer"}]}}}}}])";

TEST_F(HistoryCommand, importExportBackupRestore) {
    EXPECT_EQ(history("backups").out, "");
    EXPECT_EQ(history("export " + file("x.json")).exitCode, 1);
    std::ofstream(file("conversations.json")) << kExportedChat;
    const std::string found = history("import --dry-run " + file("conversations.json")).out;
    EXPECT_NE(found.find("found from ChatGPT: 1 chat, 2 messages\n"), std::string::npos) << found;
    EXPECT_NE(found.find("left out: 1 picture\n"), std::string::npos) << found;
    EXPECT_FALSE(std::filesystem::exists(file("data/history.sqlite")));
    const HistoryOutcome imported = history("import " + file("conversations.json"));
    EXPECT_EQ(imported.exitCode, 0);
    EXPECT_NE(imported.out.find("imported from ChatGPT: 1 chat, 2 messages\n"), std::string::npos)
        << imported.out;
    EXPECT_EQ(history("export " + file("all.json")).out, "1 chat in " + file("all.json") + "\n");
    EXPECT_EQ(history("backup").exitCode, 0);
    EXPECT_EQ(history("import " + file("all.json")).exitCode, 0);
    EXPECT_EQ(history("export " + file("twice.md")).out, "2 chats in " + file("twice.md") + "\n");
    const std::string listed = history("backups").out;
    EXPECT_NE(listed.find("\tcan be restored\n"), std::string::npos) << listed;
    const HistoryOutcome restored = history("restore " + listed.substr(0, listed.find('\t')));
    EXPECT_EQ(restored.exitCode, 0) << restored.out;
    EXPECT_EQ(history("export " + file("again.json")).out, "1 chat in " + file("again.json") + "\n");
    EXPECT_EQ(test::readBytes(file("again.json")), test::readBytes(file("all.json")));
}

TEST_F(HistoryCommand, whatIsWrongIsOneSentence) {
    EXPECT_EQ(history("").exitCode, 2);
    EXPECT_EQ(history("import").exitCode, 2);
    EXPECT_EQ(history("import " + file("none")).out, "ingle: There is no file " + file("none") + ".\n");
    std::ofstream(file("chats.pdf")) << "no chats";
    EXPECT_EQ(history("import " + file("chats.pdf")).exitCode, 1);
    EXPECT_EQ(history("export " + file("out.pdf")).out,
              "ingle: " + file("out.pdf") + ": chats are written as .html, .json, .md.\n");
}

}  // namespace
}  // namespace ingle::cli
