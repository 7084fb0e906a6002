// Hostile templates end in a Result, soon and in bounded memory. INGLE_MUTATIONS sets how many damaged ones
// are rendered, INGLE_SEED the seed.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "tests/engine/chat/template_run.h"
#include "tests/golden.h"
#include "tests/processor_time.h"

namespace ingle::chat {
namespace {

/// One second; instrumented code is several times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kMaxSeconds = 8;
#else
constexpr double kMaxSeconds = 1;
#endif

uint64_t fromEnvironment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

std::string repeated(std::string_view text, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += text;
    return out;
}

const nlohmann::ordered_json kDamageChat = {{"messages",
                                             {{{"role", "system"}, {"content", "Be brief."}},
                                              {{"role", "user"}, {"content", "Hi"}},
                                              {{"role", "assistant"}, {"content", "Hello!"}},
                                              {{"role", "user"}, {"content", "Bye"}}}},
                                            {"add_generation_prompt", true},
                                            {"bos_token", "<s>"},
                                            {"eos_token", "</s>"}};

TEST(TemplateDamage, whatNeverEndsIsStopped) {
    const std::string doubling = "{% set ns = namespace(x='ab') %}{% for i in range(99999) %}";
    const std::pair<std::string, const char*> cases[] = {
        {"{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}", "too long"},
        {"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "calls itself"},
        {"{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
         "too long"},
        {doubling + "{% set ns.x = ns.x + ns.x %}{% endfor %}", "writes more"},
        {doubling + "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}", "nested"},
        {doubling + "{% set ns.x = {'k': ns.x} %}{% endfor %}", "nested"},
        {"{% set ns = namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x, ns.x] %}{% endfor "
         "%}{{ ns.x }}",
         "writes more"},
        {"{% set ns = namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}"
         "{{ ns.x|tojson }}",
         "writes more"},
        {"{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x, ns.x] %}"
         "{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
         "too long"},
        {"{{ range(999999999) }}", "range"},
        {"{{ 'a' * 999999999999 }}", "too long"},
        {"{{ ['a'] * 999999999999 }}", "more than 524288 items"},
        {"{{ ('a' * 9999)|replace('a', 'b' * 99999) }}", "writes more"},
        {"{{ ('a' * 9999)|replace('', 'b' * 99999) }}", "writes more"},
        {"{{ range(99999)|join('a' * 99999) }}", "writes more"},
        {"{{ 'a'|center(99999999999) }}", "writes more"},
        {"{{ 'a'.zfill(99999999999) }}", "writes more"},
        {"{{ ('a\n' * 99999)|indent(99999) }}", "writes more"},
        {"{{ '%99999999d' % 1 }}", "wider"},
        {"{{ {'a': range(9999)|list}|tojson(indent=9999999) }}", "writes more"},
        {"{{ [1]|batch(9999999999, 0)|list }}", "too long"},
        {"{% for i in range(99999) %}" + std::string(1000, 'x') + "{% endfor %}", "writes more"},
        {"{{ 2 ** 9999 }}", "64 bits"},
        {"{{ 9223372036854775807 + 1 }}", "64 bits"},
        {"{{ (-9223372036854775807 - 1) // -1 }}", "64 bits"},
        {"{{ " + repeated("(", 5000) + "1" + repeated(")", 5000) + " }}", "nested"},
        {"{{ " + repeated("[", 5000) + repeated("]", 5000) + " }}", "nested"},
        {"{{ " + repeated("not ", 5000) + "1 }}", "nested"},
        {"{{ " + repeated("-", 5000) + "1 }}", "nested"},
        {"{{ 1" + repeated(" + 1", 5000) + " }}", "operators"},
        {"{{ a" + repeated(".b", 5000) + " }}", "operators"},
        {"{{ a" + repeated("|trim", 5000) + " }}", "operators"},
        {"{{ 1" + repeated(" if 1 else 1", 5000) + " }}", "nested"},
        {repeated("{% if 1 %}", 5000) + repeated("{% endif %}", 5000), "nested"},
        {std::string(2 << 20, 'x'), "bytes"},
    };
    for (const auto& [source, message] : cases) {
        const double start = test::processorSeconds();
        const std::string text = renderText(source, kDamageChat);
        EXPECT_LT(test::processorSeconds() - start, kMaxSeconds) << source.substr(0, 100);
        EXPECT_THAT(text.substr(0, 300),
                    testing::AllOf(testing::StartsWith("error: "), testing::HasSubstr(message)))
            << source.substr(0, 100);
    }
}

TEST(TemplateDamage, cyclesAndEscapedValuesDoNoHarm) {
    EXPECT_EQ(renderText("{% set a = namespace() %}{% set a.a = a %}{% set a.l = [a] %}{{ a.a.l }}"),
              "[<Namespace>]");
    EXPECT_EQ(
        renderText("{% set a = namespace() %}{% for i in [1] %}{% set x = i %}"
                   "{% macro m() %}{{ x }}{% endmacro %}{% set a.m = m %}{{ m() }}{% endfor %}{{ a.m() }}"),
        "error: the macro 'm' is called outside of its block");
    EXPECT_EQ(
        renderText(
            "{% set a = namespace() %}{% for i in [1] %}{% set a.l = loop %}{% endfor %}{{ a.l.index }}"),
        "1");
}

/// Negative twin: what real templates need is within the limits.
TEST(TemplateDamage, longConversationsAreNoAttack) {
    nlohmann::ordered_json chat = kDamageChat;
    for (int i = 0; i < 1000; ++i) {
        chat["messages"].push_back({{"role", "user"}, {"content", std::string(500, 'q')}});
        chat["messages"].push_back(
            {{"role", "assistant"}, {"content", "<think>x</think>" + std::string(500, 'a')}});
    }
    const std::string text = renderText(
        "{% for m in messages %}<|{{ m.role }}|>{{ m.content.split('</think>')[-1].lstrip('\n') | trim }}{% "
        "endfor %}",
        chat);
    EXPECT_GT(text.size(), 1'000'000U);
}

TEST(TemplateDamage, damagedTemplatesGiveAResult) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    std::vector<std::string> sources;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::goldenRoot() / "chat_templates" / "templates"))
        sources.push_back(test::readBytes(entry.path()));
    std::ranges::sort(sources);
    std::mt19937_64 random(fromEnvironment("INGLE_SEED", 1));
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    const uint64_t count = fromEnvironment("INGLE_MUTATIONS", 2000);
    for (uint64_t i = 0; i < count; ++i) {
        std::string source = sources[below(sources.size())];
        for (size_t change = below(4) + 1; change > 0 && !source.empty(); --change) {
            const size_t at = below(source.size());
            switch (below(4)) {
                case 0:
                    source[at] = static_cast<char>(source[at] ^ (1 << below(8)));
                    break;
                case 1:
                    source.erase(at, below(40));
                    break;
                case 2:
                    source.insert(at, source.substr(below(source.size()), below(200)));
                    break;
                default:
                    source.resize(at);
            }
        }
        const double start = test::processorSeconds();
        static_cast<void>(renderSegments(source, kDamageChat));
        ASSERT_LT(test::processorSeconds() - start, kMaxSeconds) << "mutation " << i << "\n" << source;
    }
}

}  // namespace
}  // namespace ingle::chat
