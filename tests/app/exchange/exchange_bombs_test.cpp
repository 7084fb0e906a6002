/// Chats of other programs that want to be read for ever: long chains, circles, thousands of branches, deep
/// nesting, tags that are never closed. Each ends soon, in chats or in one sentence.
#include <fmt/format.h>

#include "app/exchange/import_chats.h"
#include "tests/app/exchange/sample_exports.h"
#include "tests/app/history/history_fixture.h"
#include "tests/processor_time.h"

namespace ingle::exchange {
namespace {

using history::valueOf;

constexpr double kMostSeconds = 2;
constexpr size_t kNodes = 5000;

std::string repeated(std::string_view piece, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += piece;
    return text;
}

/// A tree of messages as ChatGPT writes it: the parent of each by its number, "" for none.
std::string tree(const std::function<std::string(size_t)>& parentOf, const std::string& text) {
    std::string mapping;
    for (size_t i = 0; i < kNodes; ++i)
        mapping += fmt::format(
            R"({}"n{}":{{"id":"n{}","parent":{},"children":[],"message":{{"id":"n{}","author":{{"role":"{}"}},)"
            R"("create_time":1,"content":{{"content_type":"text","parts":["{}"]}},"metadata":{{}}}}}})",
            i == 0 ? "" : ",", i, i, parentOf(i).empty() ? "null" : "\"" + parentOf(i) + "\"", i,
            i % 2 == 0 ? "user" : "assistant", text);
    return fmt::format(
        R"([{{"title":"t","create_time":1,"update_time":1,"current_node":"n{}","mapping":{{{}}}}}])",
        kNodes - 1, mapping);
}

class ExchangeBombs : public history::HistoryFixture {
  protected:
    void expectSoon(const std::string& name, const std::string& bytes) {
        const std::string path = m_dir + "/bomb/conversations.json";
        writeFile(path, bytes);
        const double begin = test::processorSeconds();
        if (const auto recognised = recognise(path)) {
            const auto findings = importChats(*recognised, *m_history);
            EXPECT_TRUE(findings || findings.error().message.size() < 400) << name;
        }
        EXPECT_LT(test::processorSeconds() - begin, kMostSeconds) << name;
    }
};

TEST_F(ExchangeBombs, endSoon) {
    const auto node = [](size_t i) { return "n" + std::to_string(i); };
    expectSoon("chain", tree([&](size_t i) { return i == 0 ? "" : node(i - 1); }, "a"));
    expectSoon("chain backwards", tree([&](size_t i) { return i + 1 == kNodes ? "" : node(i + 1); }, "a"));
    expectSoon("star", tree([&](size_t i) { return i == 0 ? "" : node(0); }, "a"));
    expectSoon("circle", tree([&](size_t i) { return node((i + 1) % kNodes); }, "a"));
    expectSoon("circles of two", tree([&](size_t i) { return node(i ^ 1); }, "a"));
    expectSoon("itself", tree(node, "a"));
    expectSoon("orphans", tree([](size_t) { return "nowhere"; }, "a"));
    expectSoon("deep arrays", repeated("[", 1'000'000));
    expectSoon("deep objects", repeated("{\"mapping\":", 300'000));
    expectSoon("many empty chats",
               "[" + repeated(R"({"mapping":{},"title":"t","current_node":""},)", 20'000) + "{}]");
    for (const char* tag :
         {"<details type=\\\"reasoning\\\">", "<think>", "</think>", "<details", "&amp;", "> ", "\\n"}) {
        const std::string content = repeated(tag, 20'000);
        expectSoon(
            tag, fmt::format(R"([{{"id":"c","title":"t","chat":{{"title":"t","history":{{"currentId":"a",)"
                             R"("messages":{{"a":{{"id":"a","parentId":null,"childrenIds":[],)"
                             R"("role":"assistant","content":"{}"}}}}}}}},"created_at":1,"updated_at":1}}])",
                             content));
    }
}

/// What a stranger's file is called, or calls its parts, is a line in a sentence at most.
TEST_F(ExchangeBombs, sentencesStayShort) {
    const std::string path = m_dir + "/a\x1b[2J\u202e.json";
    for (const std::string& bytes :
         {std::string("{\"") + std::string(100'000, 'x') + "\": 1}", std::string(100'000, '\x1b'),
          "[{\"title\": \"" + std::string(100'000, 'x') + "\"}]"}) {
        writeFile(path, bytes);
        const auto recognised = recognise(path);
        const auto findings = recognised ? importChats(*recognised, *m_history)
                                         : Result<Imported>(tl::unexpected<Error>(recognised.error()));
        if (findings) continue;
        EXPECT_LT(findings.error().message.size(), 400U);
        EXPECT_EQ(findings.error().message, escaped(findings.error().message));
    }
}

}  // namespace
}  // namespace ingle::exchange
