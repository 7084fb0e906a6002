/// Prompts that published chat templates make of requests, and what clients are told of raw answers, as
/// Jinja2, transformers and the templates' own words have them.
#include <gtest/gtest.h>

#include <map>

#include "app/serve/api/answer_request.h"
#include "app/serve/api/choice.h"
#include "app/serve/api/json_text.h"
#include "engine/lab/chat_form.h"
#include "tests/golden.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

std::filesystem::path dialects() {
    return test::goldenRoot() / "dialects";
}

class DialectLines {
  public:
    explicit DialectLines(const char* name) : m_lines(dialects() / name) {
        m_places = json::parse(test::readBytes(dialects() / "templates.json"));
    }

    /// Calls `check` with each line and its template.
    template <typename Check>
    void each(Check check) {
        for (std::string line; std::getline(m_lines, line);) {
            const json each = json::parse(line);
            const auto name = each["template"].get<std::string>();
            const auto form = m_forms.try_emplace(name, lab::ChatForm::open(pathOf(name))).first;
            ASSERT_TRUE(form->second) << name << form->second.error().message;
            check(each, *form->second);
        }
    }

  private:
    std::string pathOf(const std::string& name) const {
        const std::string where = m_places[name]["where"];
        for (const auto& [start, root] :
             {std::pair<std::string, std::filesystem::path>{"shared/golden/", test::goldenRoot()},
              {"handed/", dialects()}})
            if (where.starts_with(start)) return root / where.substr(start.size());
        return where;
    }

    std::ifstream m_lines;
    json m_places;
    std::map<std::string, Result<lab::ChatForm>> m_forms;
};

TEST(GoldenDialects, PromptsAreThoseOfTransformers) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    size_t count = 0, exact = 0;
    DialectLines("prompts.jsonl").each([&](const json& line, const lab::ChatForm& form) {
        json body = line["request"];
        body["model"] = "m";
        const auto request = readChatRequest(toText(body));
        ASSERT_TRUE(request) << line["id"] << request.error().message;
        const auto textAt = [&line](const char* name) {
            return line.contains(name) && line[name].is_string() ? line[name].get<std::string>()
                                                                 : std::string();
        };
        const auto prompt =
            form.prompt(request->generate, {textAt("bos_token"), textAt("eos_token"), textAt("now")});
        ASSERT_TRUE(prompt) << line["id"] << prompt.error().message;
        bool isRight = line.contains("error") ? !prompt->note.empty() : prompt->text == textAt("prompt");
        for (const json& other : line.value("also", json::array()))
            isRight = isRight || other == prompt->text;
        ++count;
        if (isRight) ++exact;
    });
    EXPECT_EQ(count, 405u);
    EXPECT_GE(exact, 403u);
}

std::string trimmedText(const json& text) {
    if (!text.is_string()) return {};
    const auto whole = text.get<std::string>();
    const size_t begin = whole.find_first_not_of(" \t\r\n");
    return begin == whole.npos ? "" : whole.substr(begin, whole.find_last_not_of(" \t\r\n") - begin + 1);
}

bool areCalls(const json& expected, const std::vector<ToolCall>& calls) {
    const bool mayBeMissing = !expected.empty() && expected.back().value("cut", false);
    if (calls.empty() && mayBeMissing) return true;
    if (calls.size() != expected.size()) return false;
    for (size_t i = 0; i < calls.size(); ++i) {
        if (calls[i].name != expected[i]["name"]) return false;
        if (expected[i].value("cut", false)) continue;
        // Without an order of keys.
        if (nlohmann::json(parseJson(calls[i].arguments)) != nlohmann::json(expected[i]["arguments"]))
            return false;
    }
    return true;
}

TEST(GoldenDialects, RepliesAreReadWholeAndInPieces) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    size_t count = 0;
    std::map<size_t, size_t> exact;  // by the size of pieces
    DialectLines("replies.jsonl").each([&](const json& line, const lab::ChatForm& form) {
        PromptForm asked;
        if (line["tools"].is_array() && !line["tools"].empty()) asked.tools = toText(line["tools"]);
        const json& expected = line["expected"];
        ++count;
        for (const size_t cut : {0, 1, 7}) {
            Choice choice(0, Calls::AsWritten);
            choice.add(form.read({.raw = line["raw"].get_ref<const std::string&>(),
                                  .promptEnd = line["generation_prompt"].get_ref<const std::string&>(),
                                  .form = asked,
                                  .cut = cut}),
                       {});
            choice.finish({});
            if (trimmedText(choice.text()) == trimmedText(expected["content"]) &&
                trimmedText(choice.thought()) == trimmedText(expected["reasoning_content"]) &&
                areCalls(expected["tool_calls"], choice.calls()))
                ++exact[cut];
        }
    });
    EXPECT_EQ(count, 353u);
    for (const auto& [cut, number] : exact) EXPECT_GE(number, 343u) << cut;
}

}  // namespace
}  // namespace ingle::serve::api
