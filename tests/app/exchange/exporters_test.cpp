// Chats as people read them.
#include "app/exchange/export_chats.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/pictures.h"
#include "tests/app/exchange/sample_exports.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::exchange {
namespace {

using history::valueOf;
using testing::HasSubstr;
using testing::Not;

class Exporters : public history::HistoryFixture {
  protected:
    std::string exported(const char* extension) {
        const std::string path = m_dir + "/out." + extension;
        EXPECT_EQ(
            valueOf(exportChats(*m_history, {}, *findExporter(extension), path, io::Existing::Replaced)), 1u);
        return readFile(path);
    }
};

TEST_F(Exporters, markdownAndHtmlShowTheBranch) {
    ask("Is 1 < 2 & <script>alert(1)</script>?");
    const auto other = beginAnswer();
    ASSERT_TRUE(history::finishAnswer(*m_history, other, {.pieces = history::piece("Not shown.")}));
    const auto answer = beginAnswer();
    ASSERT_TRUE(history::finishAnswer(
        *m_history, answer,
        {.pieces = history::piece(
             "**Yes**, [here](https://a.example/?\"x).\n\n- one\n- `two`\n\n| a | b |\n|---|---|\n"
             "| 1 | 2 |\n\n```c\nif (a < b) {}\n```\n")}));
    const std::string markdown = exported("md");
    EXPECT_THAT(markdown, HasSubstr("# Title\n\n## You · "));
    EXPECT_THAT(markdown, HasSubstr("## Model · "));
    EXPECT_THAT(markdown, HasSubstr("**Yes**"));
    EXPECT_THAT(markdown, HasSubstr("```c\nif (a < b) {}\n```"));
    EXPECT_THAT(markdown, Not(HasSubstr("Not shown")));
    const std::string html = exported("html");
    EXPECT_THAT(html, HasSubstr("<strong>Yes</strong>"));
    EXPECT_THAT(html, HasSubstr("<td>1</td><td>2</td>"));
    EXPECT_THAT(html, HasSubstr("<pre><code>if (a &lt; b) {}"));
    EXPECT_THAT(html, HasSubstr("<code>two</code>"));
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, Not(HasSubstr("Not shown")));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    EXPECT_EQ(std::filesystem::status(m_dir + "/out.html").permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Exporters, picturesAreInTheFile) {
    const auto bee = valueOf(history::storePicture(*m_history, {"image/png", "bee"}));
    const auto odd = valueOf(history::storePicture(*m_history, {"image/svg\"><script>", "odd"}));
    m_conversation = valueOf(history::createConversation(*m_history, "Bees", "m"));
    const auto first = valueOf(history::addUserMessage(*m_history, m_conversation, 0,
                                                       {{PartKind::Image, "A [\"bee\"]", bee},
                                                        {PartKind::Image, "Odd", odd},
                                                        {PartKind::Text, "What is it?", ""}}));
    ASSERT_TRUE(history::addUserMessage(*m_history, m_conversation, first, {{PartKind::Image, "", bee}}));
    const std::string markdown = exported("md");
    EXPECT_THAT(markdown, HasSubstr("![A \\[\"bee\"\\]][picture-1]\n\n![Odd]()\n\nWhat is it?\n"));
    EXPECT_THAT(markdown,
                HasSubstr("![][picture-2]\n\n[picture-1]: data:image/png;base64,YmVl\n\n[picture-2]: "
                          "data:image/png;base64,YmVl\n"));
    const std::string html = exported("html");
    EXPECT_THAT(html, HasSubstr("img-src data:\">"));
    EXPECT_THAT(html, HasSubstr("<img src=\"data:image/png;base64,YmVl\" alt=\"A [&quot;bee&quot;]\">"));
    EXPECT_THAT(html, Not(HasSubstr("script")));
}

TEST_F(Exporters, aCancelledOneLeavesNoFile) {
    ask();
    const auto result = exportChats(*m_history, {}, *findExporter("html"), m_dir + "/out.html",
                                    io::Existing::Kept, {.isCancelled = [] { return true; }});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
    EXPECT_FALSE(std::filesystem::exists(m_dir + "/out.html"));
}

}  // namespace
}  // namespace ingle::exchange
