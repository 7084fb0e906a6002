/// The grammar of a demanded call: it allows what the model's template writes, and what it allows is read
/// back.
#include "engine/session/conversations/call_rules.h"

#include <gtest/gtest.h>

#include "engine/chat/call_layout.h"
#include "engine/chat/markup.h"
#include "engine/grammar/matcher.h"

namespace ingle::session {
namespace {

constexpr const char* kStarTools =
    R"([{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":)"
    R"({"star":{"type":"string"},"minutes":{"type":"integer","minimum":1},"mode":{"enum":["slow","fast"]}},)"
    R"("required":["star"]}}},{"type":"function","function":{"name":"stop"}},)"
    R"({"type":"function","function":{"name":"bound","parameters":{"type":"object","properties":)"
    R"({"star":{"type":"string","minLength":3}}}}}])";

struct Form {
    const char* calls;  ///< the template's, of message.tool_calls
    std::vector<const char*> allowed, refused;
};

const Form kForms[] = {
    {"{% for c in message.tool_calls %}\n<tool_call>\n{\"name\": \"{{ c.function.name }}\", \"arguments\": "
     "{{ "
     "c.function.arguments | tojson }}}\n</tool_call>{% endfor %}",
     {"<tool_call>\n{\"name\": \"look\", \"arguments\": {\"star\": \"Vega\", \"minutes\": 12}}\n</tool_call>",
      "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>"},
     {"{\"name\": \"look\", \"arguments\": {\"star\": \"Vega\"}}",
      "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"minutes\": 12}}\n</tool_call>",
      "<tool_call>\n{\"name\": \"other\", \"arguments\": {}}\n</tool_call>"}},
    {"{% for c in message.tool_calls %}<tool_call>\n<function={{ c.function.name }}>\n{% for k, v in "
     "c.function.arguments.items() %}<parameter={{ k }}>\n{{ v }}\n</parameter>\n{% endfor %}</function>\n"
     "</tool_call>{% endfor %}",
     {"<tool_call>\n<function=look>\n<parameter=star>\n  <b> </par "
      "a\n\n</parameter>\n<parameter=minutes>\n12\n"
      "</parameter>\n<parameter=mode>\nfast\n</parameter>\n</function>\n</tool_call>",
      "<tool_call>\n<function=look>\n<parameter=star>\nVega\n</parameter>\n</function>\n</tool_call>",
      "<tool_call>\n<function=stop>\n</function>\n</tool_call>"},
     {"<tool_call>\n<function=look>\n<parameter=minutes>\n12\n</parameter>\n</function>\n</tool_call>",
      "<tool_call>\n<function=look>\n<parameter=star>\nx</parameter>\n<y\n</parameter>\n</function>\n</"
      "tool_call>",
      "<tool_call>\n<function=look>\n<parameter=star>\nx\n</parameter>\n<parameter=mode>\nother\n</"
      "parameter>\n"
      "</function>\n</tool_call>",
      "<tool_call>\n<function=look>\n</function>\n</tool_call>"}},
    {"{% for c in message.tool_calls %}<|tool_call>call:{{ c.function.name }}{{ '{' }}{% for k, v in "
     "c.function.arguments.items() %}{{ ',' if not loop.first }}{{ k }}:{% if v is string %}<|\"|>{{ v "
     "}}<|\"|>{% else %}{{ v }}{% endif %}{% endfor %}{{ '}' }}<tool_call|>{% endfor %}",
     {"<|tool_call>call:look{star:<|\"|>Vega<|\"|>,minutes:12}<tool_call|>",
      "<|tool_call>call:look{star:<|\"|>a, \"b\"<|\"|>}<tool_call|>", "<|tool_call>call:stop{}<tool_call|>"},
     {"<|tool_call>call:look{}<tool_call|>"}},
    {"[TOOL_CALLS]{% for c in message.tool_calls %}{{ c.function.name }}[CALL_ID]{{ c.id }}[ARGS]{{ "
     "c.function.arguments | tojson }}{% endfor %}",
     {"[TOOL_CALLS]look[CALL_ID]aB3456789[ARGS]{\"star\": \"Vega\"}"},
     {"[TOOL_CALLS]look[CALL_ID]x[ARGS]{\"star\": \"Vega\"}"}},
};

class CallRulesOf : public testing::TestWithParam<size_t> {
  protected:
    void SetUp() override {
        m_source = std::string(
                       "{% for message in messages %}<|turn|>{{ message.role }}\n{{ message.content }}{% "
                       "if message.tool_calls %}") +
                   kForms[GetParam()].calls + "{% endif %}<|end|>\n{% endfor %}{{ tools }}";
        const auto parsed = chat::jinja::Template::parse(m_source);
        ASSERT_TRUE(parsed) << parsed.error().message;
        m_layout = chat::findCallLayout(*parsed, m_source, chat::findMessageForm(*parsed, m_source), nullptr);
        ASSERT_TRUE(m_layout);
    }

    bool accepts(const std::vector<std::string>& tools, std::string_view text) {
        const chat::CallReading reading(kStarTools, m_source);
        const auto rules = callRules(*m_layout, kStarTools, tools, reading);
        EXPECT_TRUE(rules) << rules.error().message;
        auto grammar = grammar::compile(*rules);
        EXPECT_TRUE(grammar) << grammar.error().message;
        grammar::Matcher matcher(std::move(*grammar));
        return matcher.advance(text) && matcher.canEnd();
    }

    std::string m_source;
    std::optional<chat::CallLayout> m_layout;
};

TEST_P(CallRulesOf, allowsWhatTheTemplateWritesAndIsReadBack) {
    for (const char* text : kForms[GetParam()].allowed) {
        EXPECT_TRUE(accepts({"look", "stop"}, text)) << text;
        chat::MarkupSplitter splitter({}, chat::CallReading(kStarTools, m_source));
        std::vector<PartPiece> pieces = splitter.push(text);
        for (PartPiece& piece : splitter.finish()) append(pieces, piece);
        ASSERT_EQ(pieces.size(), 1u) << text;
        EXPECT_EQ(pieces[0].kind, PartKind::ToolCall) << text;
    }
    for (const char* text : kForms[GetParam()].refused) EXPECT_FALSE(accepts({"look", "stop"}, text)) << text;
    EXPECT_FALSE(accepts({"stop"}, kForms[GetParam()].allowed[0]));
}

INSTANTIATE_TEST_SUITE_P(All, CallRulesOf, testing::Range(size_t{0}, std::size(kForms)));

/// A text between marks has no length that could be kept to: such a call is demanded in JSON.
TEST(CallRules, refuseWhatTheFormHasNoPlaceFor) {
    const std::string source =
        std::string(
            "{% for message in messages %}{{ message.content }}{% if message.tool_calls "
            "%}") +
        kForms[1].calls + "{% endif %}\n{% endfor %}";
    const auto parsed = chat::jinja::Template::parse(source);
    ASSERT_TRUE(parsed);
    const auto layout =
        chat::findCallLayout(*parsed, source, chat::findMessageForm(*parsed, source), nullptr);
    ASSERT_TRUE(layout);
    const std::string names[] = {"bound"};
    EXPECT_FALSE(callRules(*layout, kStarTools, names, chat::CallReading(kStarTools, source)));
}

/// What a vocabulary has as tokens is written as those: the same letters would be text.
TEST(CallRules, marksThatAreTokensAreThose) {
    formats::TokenizerData data;
    data.tokens = {"<tool_call>", "</tool_call>", "</parameter>"};
    data.types.assign(3, formats::TokenType::Control);
    const auto tokens = std::make_shared<const chat::ControlTokens>(data);
    const std::string source =
        std::string("{% for message in messages %}{{ message.content }}{% if message.tool_calls %}") +
        kForms[1].calls + "{% endif %}\n{% endfor %}";
    const auto parsed = chat::jinja::Template::parse(source);
    ASSERT_TRUE(parsed);
    const auto layout =
        chat::findCallLayout(*parsed, source, chat::findMessageForm(*parsed, source), nullptr);
    ASSERT_TRUE(layout);
    const std::string names[] = {"look"};
    const chat::CallReading reading(kStarTools, source, nullptr, tokens);
    const auto rules = callRules(*layout, kStarTools, names, reading);
    ASSERT_TRUE(rules) << rules.error().message;
    const std::string before = "<tool_call>\n<function=look>\n<parameter=star>\n";
    const std::string behind = "\n</parameter>\n</function>\n</tool_call>";
    for (const auto& [text, expected] : std::vector<std::pair<std::string, bool>>{
             {tokens->spelled(before + "Vega" + behind), true},
             {tokens->spelled(before) + "a </parameter> b" + tokens->spelled(behind), true},
             {before + "Vega" + behind, false}}) {
        grammar::Matcher matcher(grammar::compile(*rules).value());
        EXPECT_EQ(matcher.advance(text) && matcher.canEnd(), expected) << text;
        chat::MarkupSplitter splitter({}, reading);
        auto pieces = splitter.push(text);
        for (const PartPiece& piece : splitter.finish()) append(pieces, piece);
        ASSERT_FALSE(pieces.empty());
        EXPECT_EQ(pieces[0].kind == PartKind::ToolCall, expected) << text;
    }
}

TEST(CallRules, aSchemaThatDemandsACallSaysSo) {
    const std::string call = R"("properties":{"name":{"const":"look"},"arguments":{}})";
    EXPECT_EQ(demandedTools(R"({"$comment":"a call of a tool",)" + call + "}"),
              std::vector<std::string>{"look"});
    EXPECT_EQ(
        demandedTools(R"({"$comment":"a call of a tool","anyOf":[{)" + call + R"(},{)" + call + "}]}").size(),
        2u);
    EXPECT_TRUE(demandedTools("{" + call + "}").empty());
}

}  // namespace
}  // namespace ingle::session
