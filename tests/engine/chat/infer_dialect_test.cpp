/// Templates that no row describes: what they write of thoughts, answers and calls is read back.
#include "engine/chat/infer_dialect.h"

#include <gtest/gtest.h>

#include "engine/chat/dialects/written_values.h"
#include "engine/chat/markup.h"
#include "tests/engine/chat/template_run.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

struct Template {
    const char* name;
    const char* prompt;  ///< that begins an answer
    const char* answer;  ///< of a message `m`; CALLS, NAME, ARGS and PAIRS stand for loops and values
    bool thinks = false;
};

const Template kTemplates[] = {
    {"double brackets", "[[bot]]", "[[bot]]{{ m.content }}CALLS[[use NAME]]ARGS[[/use]]END[[/bot]]"},
    {"percent signs", "%bot ", "%bot {{ m.content }}CALLS%%run NAME ARGS%%END\n%end\n"},
    {"lines", "bot> ", "bot> {{ m.content }}CALLS\n::call NAME\nPAIRSKEY: VALUE\nDONE::doneEND\n::over\n"},
    {"a separator", "<|b|>",
     "<|b|>{{ m.content }}{% if m.tool_calls %}<|acts|>CALLSNAME => ARGS{{ ' ;; ' if not loop.last "
     "}}END<|/acts|>"
     "{% endif %}<|e|>"},
    {"a fence", "<|b|>",
     "<|b|>{{ m.content }}CALLS\n```act\n{\"function_name\": \"NAME\", \"kwargs\": ARGS}\n```END<|e|>"},
    {"attributes", "<bot>", "<bot>{{ m.content }}CALLS<do fn=\"NAME\"PAIRS KEY=\"VALUE\"DONE/>END</bot>"},
    {"wide brackets", "\u3010\u7b54\u3011",
     "\u3010\u7b54\u3011{% if m.reasoning_content %}\u300a\u60f3\u300b{{ m.reasoning_content "
     "}}\u300a/\u60f3\u300b"
     "{% endif %}{{ m.content "
     "}}CALLS\u3010\u7528\u3011NAME\u3010\u53c2\u3011ARGS\u3010/\u7528\u3011END\u3010/"
     "\u7b54\u3011",
     true},
    {"counted", "<|b|>", "<|b|>{{ m.content }}CALLS<act {{ loop.index0 }}>NAME<with>ARGS</act>END<|e|>"},
    {"headers", "<|im|>bot:",
     "{% if m.reasoning_content %}<|im|>bot:muse\n{{ m.reasoning_content }}<|ee|>{% endif %}"
     "{% if m.content %}<|im|>bot:say\n{{ m.content }}<|ee|>{% endif %}"
     "CALLS<|im|>bot:use NAME\nARGS<|ee|>END",
     true},
    {"headers and a frame", "<|start|>bot",
     "{% if m.reasoning %}<|start|>bot<|muse|>{{ m.reasoning }}<|stop|>{% endif %}"
     "{% if m.tool_calls %}<|start|>bot<|acts|>CALLS<|act|>{{ c.id "
     "}}<|of|>NAME<|with|>ARGS<|/act|>END<|/acts|>"
     "{% else %}<|start|>bot<|say|>{{ m.content }}<|stop|>{% endif %}",
     true},
    {"sections", "<|b|>",
     "<|b|>{% if m.reasoning_content %}<idea>{{ m.reasoning_content }}</idea>{% endif %}"
     "{% if m.content %}<reply>{{ m.content }}</reply>{% endif %}CALLS<act>NAME(ARGS)</act>END<|e|>",
     true},
    {"arguments beside the name", "<|b|>",
     "<|b|>{{ m.content }}CALLS<do>{\"act\": \"NAME\"PAIRS, \"KEY\": JSONDONE}</do>END<|e|>"},
    {"types", "<|b|>",
     "<|b|>{{ m.content }}CALLS<use f='NAME'>PAIRS<p n='KEY' t='{{ 'string' if v is string else 'other' }}'>"
     "VALUE</p>DONE</use>END<|e|>"},
    {"Python", "<|b|>",
     "<|b|>{% if m.thinking %}<~{{ m.thinking }}~>{% endif %}{{ m.content }}"
     "{% if m.tool_calls %}<@py>CALLSNAME(PAIRSKEY={{ v | tojson if v is string else v }}"
     "{{ ', ' if not loop.last }}DONE){{ '; ' if not loop.last }}END</@py>{% endif %}<|e|>",
     true},
    {"keyed by the name", "<|b|>", "<|b|>{{ m.content }}CALLS<|fn|>{\"NAME\": ARGS}<|/fn|>END<|e|>"},
    {"a Python dict", "<|b|>",
     "<|b|>{{ m.content }}CALLS<exec>NAME {{ c.function.arguments }}</exec>END<|e|>"},
    {"elements", "<|b|>",
     "<|b|>{{ m.content }}CALLS<call>\n  <name>NAME</name>\n  <args>\nPAIRS    <KEY>VALUE</KEY>\nDONE  "
     "</args>\n</call>\nEND<|e|>"},
    {"ids in marks", "<|b|>",
     "<|b|>{{ m.content }}CALLS<|act id={{ c.id }}|>NAME<|with|>ARGS<|/act|>END<|e|>"},
    {"arguments first", "<|b|>", "<|b|>{{ m.content }}CALLS(( ARGS )) -> NAME !!END<|e|>"},
    {"a list as in requests", "<|b|>",
     "<|b|>{{ m.content }}{% if m.tool_calls %}<|acts|>{{ m.tool_calls | tojson }}<|/acts|>{% endif %}<|e|>"},
    {"all keyed by their names", "<|b|>",
     "<|b|>{{ m.content }}{% if m.tool_calls %}<|c|>{ {%- for c in m.tool_calls %}\"NAME\": ARGS"
     "{{ ', ' if not loop.last }}END }<|/c|>{% endif %}<|e|>"},
    {"attributes of JSON", "<|b|>", "<|b|>{{ m.content }}CALLS<do f=\"NAME\"PAIRS KEY=JSONDONE/>END<|e|>"},
    {"lines with marks", "<|b|>",
     "<|b|>{{ m.content }}CALLS<|c|>NAME\nPAIRS<|p|>KEY<|is|>VALUE\nDONE<|/c|>END<|e|>"},
    {"semicolons", "<|b|>", "<|b|>{{ m.content }}CALLS<|c|>NAME: PAIRSKEY = JSON; DONE<|/c|>END<|e|>"},
    {"an open thought", "<|b|>~muse~\n",
     "<|b|>~muse~\n{{ m.reasoning_content or '' }}\n~/muse~\n{{ m.content "
     "}}CALLS\n~act~ARGS~of~NAME~/act~END<|e|>",
     true},
};

std::string filled(std::string text) {
    for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
             {"CALLS", "{% for c in m.tool_calls or [] %}"},
             {"PAIRS", "{% for k, v in c.function.arguments.items() %}"},
             {"DONE", "{% endfor %}"},
             {"END", "{% endfor %}"},
             {"NAME", "{{ c.function.name }}"},
             {"ARGS", "{{ c.function.arguments | tojson }}"},
             {"KEY", "{{ k }}"},
             {"VALUE", "{{ v if v is string else v | tojson }}"},
             {"JSON", "{{ v | tojson }}"}})
        for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    return text;
}

std::string sourceOf(const Template& from) {
    return "{% if tools %}Tools: {{ tools | tojson }}\n{% endif %}{% for m in messages %}"
           "{% if m.role == 'assistant' %}" +
           filled(from.answer) +
           "{% else %}<|{{ m.role }}|>{{ m.content }}<|/{{ m.role }}|>{% endif %}{% endfor %}"
           "{% if add_generation_prompt %}" +
           from.prompt + "{% endif %}";
}

json lampTools() {
    return json::parse(R"([
        {"type":"function","function":{"name":"turn_lamp","parameters":{"type":"object","properties":{
            "room":{"type":"string"},"minutes":{"type":"integer"}}}}},
        {"type":"function","function":{"name":"play","parameters":{"type":"object","properties":{
            "song":{"type":"string"},"loud":{"type":"boolean"}}}}}])");
}

json callOf(const char* id, const char* name, const json& arguments) {
    return {{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

struct Said {
    std::string thought, text;
    std::vector<std::pair<std::string, json>> calls;

    bool operator==(const Said&) const = default;
};

class Conversation {
  public:
    explicit Conversation(std::string source) : m_source(std::move(source)) {
        const auto parsed = jinja::Template::parse(m_source);
        EXPECT_TRUE(parsed) << parsed.error().message;
        m_inferred = inferDialect(*parsed, m_source, findMessageForm(*parsed, m_source));
    }

    /// What is read of an answer that the template writes. Nothing but what ends each answer is cut off.
    Said read(const json& answer, size_t step) const {
        const json question{{"role", "user"}, {"content", "What now?"}};
        const auto render = [&](const json& messages, bool adds) {
            return renderText(
                m_source, {{"tools", lampTools()}, {"messages", messages}, {"add_generation_prompt", adds}});
        };
        const json other{{"role", "assistant"}, {"content", "zzz"}};
        const std::string prompt = render(json::array({question}), true),
                          whole = render(json::array({question, answer}), false),
                          plain = render(json::array({question, other}), false);
        const size_t shared = static_cast<size_t>(std::ranges::mismatch(prompt, whole).in1 - prompt.begin());
        std::string raw = whole.substr(shared);
        const std::string end = plain.substr(plain.find("zzz") + 3);
        if (raw.ends_with(end)) raw.resize(raw.size() - end.size());
        MarkupSplitter splitter(prompt.substr(0, shared),
                                CallReading(lampTools().dump(), m_source, m_inferred));
        std::vector<Part> parts;
        for (size_t at = 0; at < raw.size(); at += step)
            for (const PartPiece& piece : splitter.push(std::string_view(raw).substr(at, step)))
                append(parts, piece);
        for (const PartPiece& piece : splitter.finish()) append(parts, piece);
        Said said{.thought = std::string(stripped(ingle::textOf(parts, PartKind::Thought))),
                  .text = std::string(stripped(ingle::textOf(parts, PartKind::Text))),
                  .calls = {}};
        for (const Part& part : parts)
            if (part.kind == PartKind::ToolCall)
                said.calls.emplace_back(part.data, json::parse(part.text)["arguments"]);
        return said;
    }

  private:
    std::string m_source;
    std::shared_ptr<const InferredDialect> m_inferred;
};

class InferDialect : public testing::TestWithParam<size_t> {};

TEST_P(InferDialect, readsWhatTheTemplateWrites) {
    const Template& from = kTemplates[GetParam()];
    SCOPED_TRACE(from.name);
    const Conversation chat(sourceOf(from));
    const json lamp{{"room", "the \u201cblue\u201d room"}, {"minutes", 12}},
        song{{"song", "7"}, {"loud", true}};
    const json one = json::array({callOf("aB3xR7mK2", "turn_lamp", lamp)});
    const json two = json::array({callOf("aB3xR7mK2", "turn_lamp", lamp), callOf("aB3xR7mK3", "play", song)});
    const bool writesBoth = std::string_view(from.answer).find("{% else %}") == std::string_view::npos;
    const auto answer = [&](const std::string& thought, const std::string& text, const json& calls) {
        json message{{"role", "assistant"}, {"content", text}};
        for (const char* name : {"reasoning_content", "reasoning", "thinking"})
            if (!thought.empty()) message[name] = thought;
        if (!calls.empty()) message["tool_calls"] = calls;
        return message;
    };
    const auto expectRead = [&](const std::string& thought, const std::string& text, const json& calls) {
        if (!thought.empty() && !from.thinks) return;
        Said expected{thought, text, {}};
        for (const json& call : calls)
            expected.calls.emplace_back(call["function"]["name"], call["function"]["arguments"]);
        for (const size_t step : {size_t{1}, size_t{5}, size_t{1000}}) {
            const Said said = chat.read(answer(thought, text, calls), step);
            EXPECT_EQ(said.thought, expected.thought) << step;
            EXPECT_EQ(said.text, expected.text) << step;
            EXPECT_EQ(said.calls, expected.calls) << step;
        }
    };
    const json none = json::array();
    expectRead("", "It is dark.", none);
    expectRead("Is it dark?", "It is dark.", none);
    expectRead("", "", one);
    expectRead("", "", two);
    expectRead("Is it dark?", "", one);
    if (writesBoth) expectRead("", "I turn it on.", two);
}

INSTANTIATE_TEST_SUITE_P(All, InferDialect, testing::Range(size_t{0}, std::size(kTemplates)));

/// What cannot be told from what a template writes is no call.
TEST(InferDialect, whatItCannotTellStaysText) {
    for (const char* calls :
         {"CALLS<do>NAME(PAIRSVALUE,DONE)</do>END", "CALLSNAME!END",
          "CALLS<do>PAIRSKEY=VALUE DONEby NAME</do>END", "CALLS<do>NAMEPAIRSKEYVALUEDONE</do>END"}) {
        SCOPED_TRACE(calls);
        const Conversation chat(
            sourceOf({"", "<|b|>", (std::string("<|b|>{{ m.content }}") + calls + "<|e|>").c_str()}));
        const json call = callOf("aB3xR7mK2", "turn_lamp", {{"room", "blue"}, {"minutes", 12}});
        const Said said = chat.read(
            {{"role", "assistant"}, {"content", "So: "}, {"tool_calls", json::array({call})}}, 1000);
        EXPECT_TRUE(said.calls.empty());
        EXPECT_TRUE(said.text.starts_with("So: ")) << said.text;
        EXPECT_NE(said.text.find("turn_lamp"), std::string::npos) << said.text;
    }
}

}  // namespace
}  // namespace ingle::chat
