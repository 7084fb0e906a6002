// Every builtin and operator of templates is charged for what it does: with large values, in loops, a
// rendering ends soon. The bombs are made here, by the seed that a failure names; `./dev soak` tries 20,000.
#include <gmock/gmock.h>

#include "engine/chat/jinja/builtins.h"
#include "tests/engine/bombs.h"
#include "tests/engine/chat/template_run.h"

namespace ingle::chat {
namespace {

using jinja::Builtin;
using test::BombParts;

/// What a whole meter may take.
constexpr double kMostSeconds = 2;
/// Texts and lists of the bombs themselves are made and freed beside the meter.
constexpr double kSecondsBeside = 0.1;

enum class Use { Filter, Test, Method, Function, Template };

/// A builtin, or a template in which $x is a value and $y and $z are others.
struct BombRow {
    Use use;
    std::string name;
    std::vector<std::string> parameters;
};

std::vector<BombRow> allRows() {
    std::vector<BombRow> rows;
    const auto add = [&rows](Use use, std::span<const Builtin> table) {
        for (const Builtin& builtin : table) {
            BombRow row{use, std::string(builtin.name), {}};
            for (const std::string_view parameter : builtin.parameters)
                if (!parameter.empty()) row.parameters.emplace_back(parameter);
            rows.push_back(std::move(row));
        }
    };
    for (const auto table : {jinja::textFilters(), jinja::layoutFilters(), jinja::htmlFilters()})
        add(Use::Filter, table);
    add(Use::Filter, jinja::sequenceFilters());
    add(Use::Test, jinja::tests());
    add(Use::Function, jinja::functions());
    for (const auto table : {jinja::textMethods(), jinja::dictMethods(), jinja::listMethods()})
        add(Use::Method, table);
    for (const char* source : {"$x + $y",
                               "$x - $y",
                               "$x * $y",
                               "$x / $y",
                               "$x // $y",
                               "$x % $y",
                               "$x ** $y",
                               "$x ~ $y",
                               "$x in $y",
                               "$x not in $y",
                               "$x == $y",
                               "$x != $y",
                               "$x < $y",
                               "$x <= $y < $z",
                               "$x[$y]",
                               "$x[-1]",
                               "$x[1:]",
                               "$x[::-1]",
                               "$x[$y:$z]",
                               "$x.a",
                               "$x.items",
                               "$x and $y",
                               "not $x",
                               "-$x",
                               "$x if $y else $z",
                               "[$x, $y, $z]",
                               "{'k': $x}",
                               "{$x: $y, $y: $z}",
                               "f($x)",
                               "f(a=$x, b=$y)",
                               "($x, $y)|string",
                               "($x ~ $y)|length",
                               "($x ~ 'b').find($y ~ 'c')",
                               "$x.join([$y, $z])",
                               "ns.a",
                               "nothing",
                               "[$x]|tojson(sort_keys=true, indent=$y)",
                               "[$x, $y]|map('replace', $z, 'q')|list",
                               "[$x]|selectattr($y)|list",
                               "f(*$x)",
                               "f(**$x)",
                               "'{0:>999} {1}'.format($x, $y)",
                               "$x.format($y, $z)",
                               "joiner($x)()",
                               "cycler($x, $y).next()",
                               "loop.changed($x, $y)",
                               "loop.index",
                               "loop.cycle($x, $y)"})
        rows.push_back({Use::Template, source, {}});
    return rows;
}

std::string literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

/// An expression that is large without much source.
std::string largeValue(BombParts& parts) {
    const std::string text = literal(parts.dullText(1 + parts.below(parts.chance(2) ? 40 : 20000)));
    const std::string count = std::to_string(size_t{1} << parts.below(14));
    switch (parts.below(9)) {
        case 0:
            return text;
        case 1:
        case 2:
            return text + " * " + count;
        case 3:
            return "[" + text + "] * " + count;
        case 4:
            return "range(" + std::to_string(parts.below(99999)) + ")|list";
        case 5:
            return "(" + text + " * " + count + ")|list";
        case 6:
            return "[[" + text + ", 1.5, none] * 3] * " + count;
        case 7:
            return "{" + text + ": 1, 'a': " + text + ", 'b': [1] * " + count + "}";
        default:
            return parts.chance(2) ? "1e308" : "9007199254740993";
    }
}

std::string argument(BombParts& parts) {
    static const std::vector<std::string> kArguments{"x",       "y",         "z",     "y[:9]", "1",
                                                     "-1",      "99999",     "none",  "true",  "'a'",
                                                     "'upper'", "'%.1000f'", "'0.a'", "(y, z)"};
    return parts.chance(2) ? parts.oneOf(std::vector<std::string>{"x", "y", "z"}) : parts.oneOf(kArguments);
}

std::string replaced(std::string text, BombParts& parts) {
    for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at))
        text.replace(at, 2, text[at + 1] == 'x' ? "x" : argument(parts));
    return text;
}

std::string arguments(const BombRow& row, BombParts& parts) {
    const size_t most = row.parameters.empty() ? parts.below(3) : row.parameters.size();
    std::string out;
    for (size_t i = 0; i < most; ++i)
        if (row.parameters.empty() || i == 0 || parts.chance(2))
            out += (out.empty() ? "" : ", ") +
                   (i > 0 && !row.parameters.empty() ? row.parameters[i] + "=" : "") + argument(parts);
    return "(" + out + ")";
}

std::string bombOf(const BombRow& row, BombParts& parts) {
    std::string used;
    switch (row.use) {
        case Use::Filter:
            used = "x|" + row.name + arguments(row, parts);
            break;
        case Use::Test:
            used = "x is " + row.name + (row.parameters.empty() ? "" : arguments(row, parts));
            break;
        case Use::Method:
            used = "x." + row.name + arguments(row, parts);
            break;
        case Use::Function:
            used = row.name + arguments(row, parts);
            break;
        case Use::Template:
            used = replaced(row.name, parts);
    }
    std::string source = "{% set ns = namespace(a=1) %}{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}";
    for (const char* name : {"x", "y", "z"})
        source += std::string("{% set ") + name + " = " + largeValue(parts) + " %}";
    if (parts.chance(3)) source += "{% set y = x[:9999]|string ~ 'c' %}";
    const bool isPrinted = parts.chance(3);
    source += "{% for i in range(" + std::string(parts.chance(5) ? "1" : "99999") + ") %}";
    source += isPrinted ? "{{ " + used + " }}" : "{% if " + used + " %}{% endif %}";
    return source + "{% endfor %}";
}

void expectSoon(const std::string& source, size_t work, const std::string& name) {
    test::StopWatch watch;
    jinja::Meter meter(work);
    const double begin = test::processorSeconds();
    const auto parsed = jinja::Template::parse(source);
    if (parsed) static_cast<void>(parsed->render({}, fixedTime(), meter));
    const double seconds = test::processorSeconds() - begin;
    const double share = static_cast<double>(work) / jinja::Meter::kMostWork;
    EXPECT_LT(seconds, test::kSlowness * (share * kMostSeconds + (share < 1 ? kSecondsBeside : 0)))
        << name << ": " << source.substr(0, 300) << " … " << source.substr(source.size() - 200);
    EXPECT_LT(watch.longest(), test::kSlowness * test::kMostUntilAsked)
        << name << ": " << source.substr(0, 300);
}

/// A test run gives each a sixteenth of what a rendering may use, and the soak all of it.
TEST(TemplateBombs, endSoonWhateverTheyUse) {
    const std::vector<BombRow> rows = allRows();
    const size_t count = test::numBombs();
    const size_t work = jinja::Meter::kMostWork / (count > 500 ? 1 : 16);
    for (size_t i = 0; i < count; ++i) {
        BombParts parts(i);
        expectSoon(bombOf(rows[i % rows.size()], parts), work, "bomb " + std::to_string(i));
        if (testing::Test::HasFailure() && count <= 500) break;
    }
}

/// What hung: 80 s for a template of 400 KB, four times as long for each doubling.
TEST(TemplateBombs, searchesTakeTheSumOfSizes) {
    const std::string texts =
        "{% set x = 'a' * 3200000 %}{% set y = x[:1600000] ~ 'c' %}{% set w = 'c' ~ y %}";
    for (const char* used :
         {"(x ~ 'b').find(y)", "(x ~ 'b').rfind(w)", "y in (x ~ 'b')", "(x ~ 'b').replace(y, '')|length",
          "(x ~ 'b').split(y)|length", "(x ~ 'b').rsplit(w)|length", "(x ~ 'b').count(y)",
          "(x ~ 'b').partition(y)|length", "('b' ~ x).rpartition(w)|length"}) {
        const std::string source = texts + "{{ " + used + " }}";
        const double begin = test::processorSeconds();
        EXPECT_THAT(renderText(source), testing::Not(testing::HasSubstr("error"))) << used;
        EXPECT_LT(test::processorSeconds() - begin, test::kSlowness * 0.5) << used;
    }
}

/// Every condition, name and comparison in a loop costs, however small the loop's body looks.
TEST(TemplateBombs, whatIsSmallCostsToo) {
    std::string branches = "{% for i in range(99999) %}{% if 0 %}";
    for (size_t i = 0; i < 50000; ++i) branches += "{% elif 0 %}";
    std::string variables, attributes = "{% set n = namespace() %}", members = "{% set d = {";
    for (size_t i = 0; i < 30000; ++i) {
        variables += "{% set v" + std::to_string(i) + "=0 %}";
        attributes += "{% set n.v" + std::to_string(i) + "=0 %}";
    }
    for (size_t i = 0; i < 3000; ++i) members += "'k" + std::to_string(i) + "': 0, ";
    const std::string loops = "{% for i in range(99999) %}{% for j in range(99999) %}";
    const std::string ends = "{% endfor %}{% endfor %}";
    const std::pair<const char*, std::string> cases[] = {
        {"branches", branches + "{% endif %}{% endfor %}"},
        {"variables", variables + loops + "{{ missing }}" + ends},
        {"attributes", attributes + loops + "{{ n.missing }}" + ends},
        {"members", members + "} %}" + loops + "{{ d.missing }}" + ends},
        {"long names", "{% set " + std::string(500000, 'a') + "b = 1 %}" + loops + "{{ " +
                           std::string(500000, 'a') + "c }}" + ends},
        {"a long list", "{{ range(91853)|list * 99999 }}"},
        {"many lines", "{% set x = '\n' * 8000000 %}{% if x|indent(2) %}{% endif %}"},
    };
    for (const auto& [name, source] : cases) expectSoon(source, jinja::Meter::kMostWork, name);
}

/// Another try costs nothing once the meter is used up, and one that is stopped says so.
TEST(TemplateBombs, oneMeterServesAllTries) {
    const auto bomb = jinja::Template::parse(
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
    ASSERT_TRUE(bomb);
    jinja::Meter meter(size_t{1} << 20);
    EXPECT_FALSE(bomb->render({}, fixedTime(), meter));
    EXPECT_TRUE(meter.isUsedUp());
    const double begin = test::processorSeconds();
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(bomb->render({}, fixedTime(), meter));
    EXPECT_LT(test::processorSeconds() - begin, test::kSlowness * 0.1);
    const StopScope scope([] { return true; });
    jinja::Meter stopped;
    const auto result = bomb->render({}, fixedTime(), stopped);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace ingle::chat
