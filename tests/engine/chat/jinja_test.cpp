/// The template language: results of Jinja2, origins of text, limits.
#include <gtest/gtest.h>

#include "tests/engine/chat/template_run.h"
#include "tests/golden.h"

namespace ingle::chat {
namespace {

using tokenizer::TextSegment;

TEST(Jinja, givesWhatJinja2Gives) {
    const auto data = nlohmann::ordered_json::parse(
        test::readBytes(std::filesystem::path(INGLE_SOURCE_DIR) / "tests/engine/chat/jinja_cases.json"));
    ASSERT_GT(data["cases"].size(), 90U);
    for (const auto& each : data["cases"]) {
        const auto source = each[0].get<std::string>();
        const auto expected = each[1].get<std::string>();
        const std::string text = renderText(source, data["variables"]);
        if (expected.starts_with("error: "))
            EXPECT_TRUE(text.starts_with("error: ")) << source << "\n" << text;
        else
            EXPECT_EQ(text, expected) << source;
    }
}

TEST(Jinja, errorsNameTheLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"a\n{{ x", "line 2: a tag has no end"},
        {"{% if x %}", "line 1: a block has no 'endif'"},
        {"\n\n{% endif %}", "line 3: 'endif' without a beginning"},
        {"{{ 'abc }}", "line 1: a string has no end"},
        {"{# abc", "line 1: a comment has no end"},
        {"{% raw %}", "line 1: 'raw' has no end"},
        {"{{ 1 + }}", "line 1: the end of the tag where a value belongs"},
        {"{{ a b }}", "line 1: 'b' where the end of the tag belongs"},
        {"{{ ( }}", "line 1: unexpected '}'"},
        {"{{ ! }}", "line 1: unexpected character '!'"},
        {"{{ 99999999999999999999 }}", "line 1: the number 99999999999999999999 is out of range"},
        {"{% include 'x' %}", "line 1: the tag 'include' is not supported"},
        {"{% break %}", "line 1: outside of a loop"},
        {"{{ f(**a, *b) }}", "line 1: '*' where ')' belongs"},
        {"{% call 1 %}{% endcall %}", "line 1: a call block without a call"},
        {"{% set a, b %}{% endset %}", "line 1: the end of the tag where '=' belongs"},
        {"{{ f(a=1, 2) }}", "line 1: '2' where a named argument belongs"},
    };
    for (const auto& [source, message] : cases)
        EXPECT_EQ(renderText(source), std::string("error: ") + message) << source;
}

TEST(Jinja, blocksOfOtherEnginesAndOfTemplatesThatNothingExtends) {
    const std::pair<const char*, const char*> cases[] = {
        {"{% filter trim | upper %}  a{{ 'b' }} {% endfilter %}!", "AB!"},
        {"{% with a = 1, b = 'x' %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}", "1xFalse"},
        {"{% set a = 1 %}{% with a = a + 1 %}{{ a }}{% endwith %}{{ a }}", "21"},
        {"{% macro f(x) %}<{{ x }}>{{ caller() }}</{{ x }}>{% endmacro %}{% call f('b') %}in{% endcall %}",
         "<b>in</b>"},
        {"{% macro f() %}{{ caller(1) }}{{ caller(2) }}{% endmacro %}{% call(n) f() %}{{ n * n }};{% endcall "
         "%}",
         "1;4;"},
        {"{% block head %}a{% endblock head %}{% block b scoped %}b{% endblock %}", "ab"},
        {"{% set l = [1] %}{% set _ = l.append(2) %}{{ l }}{% for x in [3] %}{% set _ = l.append(x) %}{% "
         "endfor %}{{ l }}",
         "[1, 2][1, 2, 3]"},
        {"{% set ns = namespace(l=[]) %}{% for x in 'ab' %}{% set _ = ns.l.append(x) %}{% endfor %}{{ ns.l "
         "}}",
         "['a', 'b']"},
        {"{{ [1, 2] | map('string') | tojson }}", "[\"1\", \"2\"]"},
        {"{{ [1].append(2) }}", "error: only the list of a variable can be changed"},
        {"{% set l = [1, 2, 3] %}{{ l.pop(0) }}{{ l.pop() }}{{ l }}", "13[2]"},
        {"{% set l = [] %}{{ l.pop() }}", "error: 'pop' finds no such element"},
        {"{% set l = [] %}{{ l.append() }}", "error: 'append' takes one argument"},
    };
    for (const auto& [source, expected] : cases) EXPECT_EQ(renderText(source), expected) << source;
}

/// What a template does with a message, and which of its text may be parsed for special tokens ("[…]").
std::string marked(const std::string& source) {
    const auto segments = renderSegments(
        source,
        {{"m", "<s>Hi, <s>!"}, {"list", nlohmann::ordered_json::array({"<s>", "b"})}, {"d", {{"k", "<s>"}}}});
    if (!segments) return "error: " + segments.error().message;
    std::string text;
    for (const TextSegment& segment : *segments)
        text += segment.parseSpecial ? "[" + segment.text + "]" : segment.text;
    return text;
}

TEST(Jinja, textOfMessagesKeepsItsOrigin) {
    const std::pair<const char*, const char*> cases[] = {
        {"<a>{{ m }}<b>", "[<a>]<s>Hi, <s>![<b>]"},
        {"{{ '<a>' + m + '<b>' }}", "[<a>]<s>Hi, <s>![<b>]"},
        {"{{ '<a>' ~ m ~ 1 }}", "[<a>]<s>Hi, <s>![1]"},
        {"{{ (' ' ~ m ~ '<b> ') | trim }}", "<s>Hi, <s>![<b>]"},
        {"{{ m[3:5] }}{{ ('<a>' + m)[:4] }}", "Hi[<a>]<"},
        {"{{ m | replace('Hi', '<a>') }}", "<s>[<a>], <s>!"},
        {"{{ '<a>x' | replace('x', m) }}", "[<a>]<s>Hi, <s>!"},
        {"{{ m.split(',') | join('<a>') }}", "<s>Hi[<a>] <s>!"},
        {"{{ list | join('|') }}", "<s>[|]b"},
        {"{{ m | upper }}{{ m.title() }}", "<S>HI, <S>!<S>Hi, <S>!"},
        {"{{ m | tojson }}{{ d }}", "\"<s>Hi, <s>!\"{'k': '<s>'}"},
        {"{% macro f(x) %}<a>{{ x }}{% endmacro %}{{ f(m) }}", "[<a>]<s>Hi, <s>!"},
        {"{% set x %}<a>{{ m }}{% endset %}{{ x }}", "[<a>]<s>Hi, <s>!"},
        {"{% set ns = namespace(t='') %}{% for x in list %}{% set ns.t = ns.t + '<a>' + x %}{% endfor %}{{ "
         "ns.t }}",
         "[<a>]<s>[<a>]b"},
        {"{% for c in m %}{{ c }}{% endfor %}", "<s>Hi, <s>!"},
        {"{% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}", "k<s>"},
        {"{{ '<a>%s' % m }}{{ '<a>{}'.format(m) }}", "[<a>]<s>Hi, <s>![<a>]<s>Hi, <s>!"},
        {"{{ m | default('<a>') }}{{ x | default('<a>') }}", "<s>Hi, <s>![<a>]"},
        {"{{ m | indent }}{{ m | e }}", "<s>Hi, <s>!&lt;s&gt;Hi, &lt;s&gt;!"},
        {"{{ list | map('replace', 'b', '<a>') | join }}", "<s>[<a>]"},
        {"{{ m.strip('<>!s') }}{{ m.partition(',')[0] }}{{ m * 2 }}", "Hi, <s>Hi<s>Hi, <s>!<s>Hi, <s>!"},
        {"{{ list | first }}{{ list | last }}{{ list | sort | join }}", "<s>b<s>b"},
        {"{% macro f() %}{{ varargs | join('<a>') }}{% endmacro %}{{ f(*list) }}", "<s>[<a>]b"},
        {"{{ '{:*>5}{1[k]}'.format(m[:2], d) }}", "***<s<s>"},
        {"{{ m | truncate(6, true, '<a>', 0) }}{{ m | urlencode }}", "<s>[<a>]%3Cs%3EHi%2C%20%3Cs%3E%21"},
        {"{{ m | wordwrap(9, wrapstring='<a>') }}", "<s>Hi,[<a>]<s>!"},
        {"{{ m | reverse }}{{ m[::-1] }}", "!>s< ,iH>s<!>s< ,iH>s<"},
        {"{{ '<|image_' ~ 1 ~ '|>' }}", "[<|image_1|>]"},
    };
    for (const auto& [source, expected] : cases) EXPECT_EQ(marked(source), expected) << source;
}

}  // namespace
}  // namespace ingle::chat
