/// Calls of tools in the forms in which models write them, streamed in any cut.
#include <gtest/gtest.h>

#include "engine/chat/infer_dialect.h"
#include "engine/chat/markup.h"
#include "tests/engine/bombs.h"

namespace ingle::chat {
namespace {

constexpr const char* kLookTools =
    R"([{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":)"
    R"({"star":{"type":"string"},"minutes":{"type":"integer"},"deep":{"type":"boolean"},)"
    R"("word":{"allOf":[{"$ref":"#/definitions/Word"}]},)"
    R"("code":{"anyOf":[{"$ref":"#/definitions/Word"},{"type":"null"}]},"same":{"$ref":"#/properties/star"}},)"
    R"("definitions":{"Word":{"type":"string"}}}}},)"
    R"({"type":"function","function":{"name":"look_up","parameters":{"type":"object"}}}])";

/// "R(…)A(…)T(…)": the parts of an answer to a prompt of a template that has `sign` in its text.
std::string read(std::string_view text, size_t step, const std::string& sign,
                 std::string_view promptEnd = {}) {
    MarkupSplitter splitter(promptEnd, CallReading(kLookTools, sign));
    std::vector<Part> parts;
    const auto take = [&](const std::vector<PartPiece>& pieces) {
        for (const PartPiece& piece : pieces) append(parts, piece);
    };
    for (size_t at = 0; at < text.size(); at += step) take(splitter.push(text.substr(at, step)));
    take(splitter.finish());
    EXPECT_TRUE(splitter.withheld().empty());
    std::string out;
    for (const Part& part : parts)
        out += std::string(1, "ART"[static_cast<int>(part.kind)]) + (part.id.empty() ? "" : "#" + part.id) +
               "(" + part.text + ")";
    return out;
}

void expectRead(const std::string& sign, std::string_view text, const std::string& expected,
                std::string_view promptEnd = {}) {
    for (const size_t step : {size_t{1}, size_t{2}, size_t{7}, text.size()})
        EXPECT_EQ(read(text, step, sign, promptEnd), expected) << text << " by " << step;
}

const std::string kLook = R"({"name":"look","arguments":{"star":"Vega","minutes":12}})";

TEST(Calls, areReadInTheFormOfTheTemplate) {
    const std::pair<const char*, const char*> cases[] = {
        {"<tool_call>",
         "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"star\": \"Vega\", \"minutes\": "
         "12}}\n</tool_call>"},
        {"<tool_call><function=",
         "<tool_call>\n<function=look>\n<parameter=star>\nVega\n</parameter>\n<parameter=minutes>\n12\n"
         "</parameter>\n</function>\n</tool_call>"},
        {"<function=", "<function=look>{\"star\": \"Vega\", \"minutes\": 12}</function>"},
        {"<tool_call><arg_key>",
         "<tool_call>look\n<arg_key>star</arg_key>\n<arg_value>Vega</arg_value>\n<arg_key>minutes</arg_key>\n"
         "<arg_value>12</arg_value>\n</tool_call>"},
        {"<minimax:tool_call>",
         "<minimax:tool_call>\n<invoke name=\"look\">\n<parameter name=\"star\">Vega</parameter>\n"
         "<parameter name=\"minutes\">12</parameter>\n</invoke>\n</minimax:tool_call>"},
        {"[TOOL_CALLS]", "[TOOL_CALLS]look[ARGS]{\"star\": \"Vega\", \"minutes\": 12}"},
        {"[TOOL_CALLS]",
         "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {\"star\": \"Vega\", \"minutes\": 12}}]"},
        {"<|channel|>",
         "<|channel|>commentary to=functions.look <|constrain|>json<|message|>{\"star\": \"Vega\", "
         "\"minutes\": 12}<|call|>"},
        {"<|tool_call_start|>", "<|tool_call_start|>[look(star='Vega', minutes=12)]<|tool_call_end|>"},
        {"<|tool_call>", "<|tool_call>call:look{star:<|\"|>Vega<|\"|>,minutes:12}<tool_call|>"},
        {"<|tools_prefix|>",
         "<|tools_prefix|>[{\"look\": {\"star\": \"Vega\", \"minutes\": 12}}]<|tools_suffix|>"},
        {"ipython", "{\"name\": \"look\", \"parameters\": {\"star\": \"Vega\", \"minutes\": 12}}"},
        // A template that tells nothing of calls: as the instructions in words say.
        {"",
         "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"star\": \"Vega\", \"minutes\": "
         "12}}\n</tool_call>"},
    };
    for (const auto& [sign, text] : cases) expectRead(sign, text, "T(" + kLook + ")");
    expectRead("[TOOL_CALLS]",
               "[TOOL_CALLS]look[CALL_ID]aQ3xR7mK2[ARGS]{\"star\": \"Vega\", \"minutes\": 12}",
               "T#aQ3xR7mK2(" + kLook + ")");
    expectRead("<|tool_calls_section_begin|>",
               "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>"
               "{\"star\": \"Vega\", \"minutes\": 12}<|tool_call_end|><|tool_calls_section_end|>",
               "T#functions.look:0(" + kLook + ")");
}

TEST(Calls, aTextStaysTheBytesThatWereWritten) {
    const auto value = [](const std::string& written) {
        return "<tool_call>\n<function=look>\n<parameter=star>\n" + written +
               "\n</parameter>\n</function>\n</tool_call>";
    };
    const std::string sign = "<tool_call><function=";
    for (const auto& [written, json] : std::vector<std::pair<std::string, std::string>>{
             {"12", R"("12")"},
             {"true", R"("true")"},
             {"\"x\"", R"("\"x\"")"},
             {"{\"a\": 1}", R"("{\"a\": 1}")"},
             {"    if x:\n        return 1\n", R"("    if x:\n        return 1\n")"},
             {"", R"("")"},
             {"ends </parameter> here", R"("ends </parameter> here")"}})
        expectRead(sign, value(written), "T({\"name\":\"look\",\"arguments\":{\"star\":" + json + "}})");
    expectRead(
        sign, "<tool_call>\n<function=look>\n<parameter=deep>\nTrue\n</parameter>\n</function>\n</tool_call>",
        R"(T({"name":"look","arguments":{"deep":true}}))");
    expectRead(sign,
               "<tool_call>\n<function=look>\n<parameter=word>\n42\n</parameter>\n</function>\n</tool_call>",
               R"(T({"name":"look","arguments":{"word":"42"}}))");
    // As Pydantic and zod-to-json-schema write what may be missing, or is as another one.
    for (const std::string parameter : {"code", "same"})
        expectRead(sign,
                   "<tool_call>\n<function=look>\n<parameter=" + parameter +
                       ">\n007\n</parameter>\n</function>\n</tool_call>",
                   R"(T({"name":"look","arguments":{")" + parameter + R"(":"007"}}))");
}

TEST(Calls, severalAreSeveralAndTextStandsAroundThem) {
    expectRead("<tool_call>",
               "So:\n<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>\n<tool_call>{\"name\": "
               "\"look_up\"}</tool_call>!",
               R"(A(So:
)T({"name":"look","arguments":{}})A(
)T({"name":"look_up","arguments":{}})A(!))");
    expectRead("[TOOL_CALLS]", "[TOOL_CALLS]look[ARGS]{}[TOOL_CALLS]look_up[ARGS]{}",
               R"(T({"name":"look","arguments":{}})T({"name":"look_up","arguments":{}}))");
}

TEST(Calls, oneInAnOpenThoughtEndsItWhereNothingElseFollows) {
    const std::string call = "<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>";
    const std::string read = R"(T({"name":"look","arguments":{}}))";
    expectRead("<tool_call>", "Hm." + call, "R(Hm.)" + read, "<think>\n");
    expectRead("<tool_call>", "Hm." + call + call, "R(Hm.)" + read + read, "<think>\n");
    // A thought may quote one.
    expectRead("<tool_call>", "Hm, " + call + " would do.</think>" + call,
               "R(Hm, " + call + " would do.)" + read, "<think>\n");
    expectRead("[TOOL_CALLS]", "Hm, [TOOL_CALLS]look[ARGS]{} would do.[/THINK][TOOL_CALLS]look[ARGS]{}",
               "R(Hm, [TOOL_CALLS]look[ARGS]{} would do.)" + read, "[THINK]");
}

TEST(Calls, whatIsNoneStaysTextEveryByteOfIt) {
    for (const char* text :
         {"The mark <tool_call> begins one.",
          "<tool_call>{\"name\": \"unknown\", \"arguments\": {}}</tool_call>", "<tool_call>{\"nam",
          "<tool_call>[1, 2]</tool_call>", "{\"name\": \"look\"}", "<tool_call>"})
        expectRead("<tool_call>", text, "A(" + std::string(text) + ")");
    expectRead("<function=", "The mark <function=x> is one.", "A(The mark <function=x> is one.)");
}

TEST(Calls, oneThatIsCutOffKeepsItsNameAndWhatWasWritten) {
    expectRead("<tool_call>", "<tool_call>{\"name\": \"look\", \"arguments\": {\"star\": \"Ve",
               R"(T({"name":"look","arguments":"{\"star\": \"Ve"}))");
}

TEST(Calls, whatIsLeftOfAListThatIsCutOffCounts) {
    expectRead(
        "[TOOL_CALLS]",
        "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {}}, {\"name\": \"look_up\", \"arguments\": {\"a",
        R"(T({"name":"look","arguments":{}})T({"name":"look_up","arguments":"{\"a"}))");
}

TEST(Calls, whatStandsBesideACallHasABoundHoweverItIsCut) {
    for (const size_t size : {250, 255, 256, 257, 260}) {
        const std::string text =
            "<|channel|>commentary to=functions.look" + std::string(size, 'x') + "<|message|>{}<|call|>";
        expectRead("<|channel|>", text,
                   size <= 256 ? R"(T({"name":"look","arguments":{}}))" : "A(" + text + ")");
    }
}

TEST(Calls, numbersKeepTheirDigits) {
    const std::string digits = "123456789012345678901234567890";
    for (const auto& [sign, text] : std::vector<std::pair<std::string, std::string>>{
             {"<tool_call>",
              R"(<tool_call>{"name": "look", "arguments": {"minutes": )" + digits + "}}</tool_call>"},
             {"<tool_call><function=", "<tool_call><function=look><parameter=minutes>\n" + digits +
                                           "\n</parameter></function></tool_call>"},
             {"<|tool_call>", "<|tool_call>call:look{minutes:" + digits + "}<tool_call|>"},
             {"<|tool_call_start|>", "<|tool_call_start|>[look(minutes=" + digits + ")]<|tool_call_end|>"}})
        expectRead(sign, text, R"(T({"name":"look","arguments":{"minutes":)" + digits + "}})");
    expectRead("ipython", R"({"name": "look", "parameters": {"minutes": 1.50, "x": 1E30}})",
               R"(T({"name":"look","arguments":{"minutes":1.50,"x":1E30}}))");
}

TEST(Calls, anExampleInAFenceIsText) {
    const std::string call = R"({"name": "look", "arguments": {"star": "Vega"}})";
    expectRead("ipython", "Send this:\n```json\n" + call + "\n```\nand wait.",
               "A(Send this:\n```json\n" + call + "\n```\nand wait.)");
    expectRead("ipython", "Send this:\n```json\n[]\n```\n" + call,
               "A(Send this:\n```json\n[]\n```\n)T({\"name\":\"look\",\"arguments\":{\"star\":\"Vega\"}})");
}

TEST(Calls, aThoughtThatACallHasEndedMayEndLater) {
    expectRead("<tool_call>",
               "Hm.<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>\n</think>\nDone.",
               "R(Hm.)T({\"name\":\"look\",\"arguments\":{}})A(\n)A(\nDone.)", "<think>\n");
    const std::string mention = "Hm, <tool_call> begins one, {\"name\": \"look\"} names it.";
    expectRead("<tool_call>", mention + "</think>Done.", "R(" + mention + ")A(Done.)", "<think>\n");
}

TEST(Calls, manyMentionsOfAMarkHideNoCall) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "The mark <tool_call> begins one. ";
    expectRead("<tool_call>", text + "<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>",
               "A(" + text + ")T({\"name\":\"look\",\"arguments\":{}})");
}

TEST(Calls, aMegabyteInPiecesOfOneByteIsReadInTime) {
    const std::string megabyte(size_t{1} << 20, 'x');
    std::string marks, braces, nested;
    while (marks.size() < megabyte.size()) marks += "<tool_call>{ ";
    while (braces.size() < megabyte.size()) braces += "}])>`\\n";
    while (nested.size() < megabyte.size()) nested += "<tool_call><function=look><parameter=star>";
    const std::string begin = R"(<tool_call>{"name": "look", "arguments": {"star": ")";
    const std::pair<const char*, std::string> cases[] = {
        {"text", megabyte},
        {"argument", begin + megabyte + "\"}}</tool_call>"},
        {"argument of brackets", begin + braces + "\"}}</tool_call>"},
        {"marks", marks},
        {"open marks", nested},
    };
    for (const auto& [name, text] : cases) {
        const double before = test::processorSeconds();
        MarkupSplitter splitter({}, CallReading(kLookTools, "<tool_call><function="));
        size_t size = 0;
        const auto count = [&](const std::vector<PartPiece>& pieces) {
            for (const PartPiece& piece : pieces) size += piece.text.size();
        };
        for (const char c : text) count(splitter.push({&c, 1}));
        count(splitter.finish());
        EXPECT_GE(size, megabyte.size()) << name;
        EXPECT_LT(test::processorSeconds() - before, test::kSlowness * 3) << name;
    }
}

/// What a template writes around `calls`, which writes each of message.tool_calls.
std::string templateOf(const std::string& calls) {
    return "{% for message in messages %}<|turn|>{{ message.role }}\n{{ message.content }}{% if "
           "message.tool_calls %}" +
           calls + "{% endif %}<|end|>\n{% endfor %}";
}

/// A model of next month writes calls as no row says.
TEST(Calls, areReadInAFormThatIsInferredFromItsTemplate) {
    struct Row {
        const char *calls, *answer;
    };
    const Row rows[] = {
        {"{% for c in message.tool_calls %}<@do {{ c.function | tojson }} @>\n{% endfor %}",
         "<@do {\"name\": \"look\", \"arguments\": {\"star\": \"Vega\", \"minutes\": 12}} @>"},
        {"<<do>>[{% for c in message.tool_calls %}{{ c.function | tojson }}{{ ', ' if not loop.last }}"
         "{% endfor %}]<</do>>",
         "<<do>>[{\"name\": \"look\", \"arguments\": {\"star\": \"Vega\", \"minutes\": 12}}]<</do>>"},
        {"<~acts~>{% for c in message.tool_calls %}\n<~act~>{{ c.function.name }}<~with~>"
         "{{ c.function.arguments | tojson }}<~/act~>{% endfor %}\n<~/acts~>",
         "<~acts~>\n<~act~>look<~with~>{\"star\": \"Vega\", \"minutes\": 12}<~/act~>\n<~/acts~>"},
        {"{% for c in message.tool_calls %}<use it=\"{{ c.function.name }}\" id=\"{{ c.id }}\">"
         "{{ c.function.arguments | tojson }}</use>{% endfor %}",
         "<use it=\"look\" id=\"7\">{\"star\": \"Vega\", \"minutes\": 12}</use>"},
        {"<~acts~>{% for c in message.tool_calls %}<~act {{ c.function.name }}~>{% for key, value in "
         "c.function.arguments.items() %}<~arg {{ key }}~>{{ value }}<~/~>{% endfor %}<~/act~>{% endfor "
         "%}<~/acts~>",
         "<~acts~><~act look~><~arg star~>Vega<~/~><~arg minutes~>12<~/~><~/act~><~/acts~>"},
        {"<work>\n{% for c in message.tool_calls %}<job of=\"{{ c.function.name }}\">\n{% for key, value in "
         "c.function.arguments.items() %}<in k=\"{{ key }}\">{{ value }}</in>\n{% endfor %}</job>\n{% endfor "
         "%}</work>",
         "<work>\n<job of=\"look\">\n<in k=\"star\">Vega</in>\n<in k=\"minutes\">12</in>\n</job>\n</work>"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.answer);
        const std::string source = templateOf(row.calls);
        const auto parsed = jinja::Template::parse(source);
        ASSERT_TRUE(parsed) << parsed.error().message;
        const auto inferred = inferDialect(*parsed, source, findMessageForm(*parsed, source));
        ASSERT_TRUE(inferred);
        for (const size_t step : {size_t{1}, size_t{3}, std::string_view(row.answer).size() + 6}) {
            MarkupSplitter splitter({}, CallReading(kLookTools, source, inferred));
            std::vector<Part> parts;
            const std::string answer = "So. \n" + std::string(row.answer);
            for (size_t at = 0; at < answer.size(); at += step)
                for (const PartPiece& piece : splitter.push(std::string_view(answer).substr(at, step)))
                    append(parts, piece);
            for (const PartPiece& piece : splitter.finish()) append(parts, piece);
            ASSERT_EQ(parts.size(), 2u);
            EXPECT_EQ(parts[0].text, "So. \n");
            EXPECT_EQ(parts[1].kind, PartKind::ToolCall);
            EXPECT_EQ(parts[1].text, kLook);
        }
    }
}

TEST(Calls, thoughtsAreReadBetweenMarksThatAreInferredFromTheTemplate) {
    const std::string source =
        "{% for message in messages %}<|turn|>{{ message.role }}\n{% if message.reasoning_content "
        "%}<~muse~>{{ "
        "message.reasoning_content }}<~/muse~>\n{% endif %}{{ message.content }}<|end|>\n{% endfor %}";
    const auto parsed = jinja::Template::parse(source);
    ASSERT_TRUE(parsed);
    const auto thought = inferDialect(*parsed, source, findMessageForm(*parsed, source));
    ASSERT_TRUE(thought);
    for (const size_t step : {size_t{1}, size_t{100}}) {
        for (const std::string promptEnd : {"", "<~muse~>\n"}) {
            MarkupSplitter splitter(promptEnd, CallReading({}, source, thought));
            const std::string answer =
                (promptEnd.empty() ? "<~muse~>" : "") + std::string("Hm.<~/muse~>\nYes <~muse~>.");
            std::vector<Part> parts;
            for (size_t at = 0; at < answer.size(); at += step)
                for (const PartPiece& piece : splitter.push(std::string_view(answer).substr(at, step)))
                    append(parts, piece);
            for (const PartPiece& piece : splitter.finish()) append(parts, piece);
            ASSERT_EQ(parts.size(), 2u);
            EXPECT_EQ(parts[0].kind, PartKind::Thought);
            EXPECT_EQ(parts[0].text, "Hm.");
            EXPECT_EQ(parts[1].text, "\nYes <~muse~>.");
        }
    }
    const std::string known =
        "{% for m in messages %}{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% "
        "endif %}{{ m.content }}{% endfor %}";
    const auto other = jinja::Template::parse(known);
    ASSERT_TRUE(other);
    EXPECT_FALSE(inferDialect(*other, known, findMessageForm(*other, known)));
}

/// Templates whose calls a row reads have none inferred; nor have those that write none.
TEST(Calls, areInferredInTimeWhereATemplateWritesManyBraces) {
    const std::string source =
        templateOf("{{ '{' * 60000 }}{% for c in message.tool_calls %}{{ c.function | tojson }}{% endfor %}");
    const auto parsed = jinja::Template::parse(source);
    ASSERT_TRUE(parsed);
    const double before = test::processorSeconds();
    EXPECT_FALSE(inferDialect(*parsed, source, findMessageForm(*parsed, source)));
    EXPECT_LT(test::processorSeconds() - before, test::kSlowness);
}

TEST(Calls, areInferredOnlyWhereNoRowReadsThem) {
    for (const char* calls :
         {"{% for c in message.tool_calls %}<tool_call>{{ c.function | tojson }}</tool_call>{% endfor %}",
          "calls", "{% for c in message.tool_calls %}{{ c.function.name }}!{% endfor %}"}) {
        const std::string source = templateOf(calls);
        const auto parsed = jinja::Template::parse(source);
        ASSERT_TRUE(parsed);
        EXPECT_FALSE(inferDialect(*parsed, source, findMessageForm(*parsed, source))) << calls;
    }
}

}  // namespace
}  // namespace ingle::chat
