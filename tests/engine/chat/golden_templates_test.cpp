/// Published chat templates give the text Jinja2 gives.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/chat/call_layout.h"
#include "engine/chat/infer_dialect.h"
#include "tests/engine/chat/template_run.h"
#include "tests/golden.h"

namespace ingle::chat {
namespace {

using nlohmann::ordered_json;

enum class Absent { None, Undefined };

ordered_json variablesOf(const ordered_json& conversation, const ordered_json& model, Absent absent) {
    ordered_json variables = conversation;
    for (const char* name : {"bos_token", "eos_token"}) variables[name] = model[name];
    for (const char* name : {"tools", "documents"}) {
        if (variables.contains(name) && !variables[name].is_null()) continue;
        variables.erase(name);
        if (absent == Absent::None) variables[name] = nullptr;
    }
    return variables;
}

TEST(GoldenTemplates, everyCaseIsEqual) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    const auto folder = test::goldenRoot() / "chat_templates";
    const auto golden = ordered_json::parse(test::readBytes(folder / "expected.json"));
    size_t numCases = 0;
    size_t numFailures = 0;
    for (const auto& model : golden["templates"]) {
        const auto name = model["template"].get<std::string>();
        const std::string source = test::readBytes(folder / name);
        for (const auto& each : model["cases"]) {
            const auto caseName = each["case"].get<std::string>();
            SCOPED_TRACE(name + " " + caseName);
            const auto& conversation = golden["conversations"][caseName];
            const auto expected = each["expected"].get<std::string>();
            const std::string text = renderText(source, variablesOf(conversation, model, Absent::None));
            ++numCases;
            // Other engines do what transformers' sandbox refuses, and so do we.
            const bool isOnlyTheSandboxs = expected.find("is unsafe") != expected.npos ||
                                           expected.find("not JSON serializable") != expected.npos;
            if (expected.starts_with("error: ") && isOnlyTheSandboxs) {
                ++numFailures;
                EXPECT_FALSE(text.starts_with("error: ")) << text;
            } else if (expected.starts_with("error: ")) {
                ++numFailures;
                EXPECT_TRUE(text.starts_with("error: ")) << text;
                const bool isRefusal = each.value("raised", "") == "TemplateError";
                EXPECT_TRUE(!isRefusal || text == expected) << text;
            } else {
                EXPECT_EQ(text, expected);
            }
            if (each.contains("expected_absent_arguments_undefined")) {
                EXPECT_EQ(renderText(source, variablesOf(conversation, model, Absent::Undefined)),
                          each["expected_absent_arguments_undefined"].get<std::string>());
            }
        }
    }
    EXPECT_EQ(numCases, 189U);
    EXPECT_GT(numFailures, 0U);
}

/// A call that is demanded of a model is written as its template has it.
TEST(GoldenTemplates, callsHaveALayout) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    std::vector<std::string> without;
    size_t count = 0;
    for (const char* folder : {"chat_templates", "templates2", "dialects/templates"}) {
        for (const auto& file : std::filesystem::directory_iterator(test::goldenRoot() / folder)) {
            if (file.path().extension() != ".jinja") continue;
            const std::string source = test::readBytes(file.path());
            const auto parsed = jinja::Template::parse(source);
            ASSERT_TRUE(parsed) << file.path();
            const MessageForm form = findMessageForm(*parsed, source);
            if (!form.hasCalls) continue;
            ++count;
            if (!findCallLayout(*parsed, source, form, inferDialect(*parsed, source, form)))
                without.push_back(file.path().filename());
        }
    }
    std::ranges::sort(without);
    EXPECT_GE(count, 16U);
    // It asks for a variable that nobody gives.
    EXPECT_EQ(without, std::vector<std::string>{"fireworks-ai-llama-3-firefunction-v2.jinja"});
}

}  // namespace
}  // namespace ingle::chat
