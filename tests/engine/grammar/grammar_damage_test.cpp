// Hostile grammars and schemas end in a Result, soon, and what they compile to follows any bytes within its
// limits. INGLE_MUTATIONS sets how many damaged ones of each kind are read, INGLE_SEED the seed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

#include "engine/grammar/gbnf.h"
#include "engine/grammar/json_schema.h"
#include "engine/grammar/matcher.h"
#include "tests/processor_time.h"

namespace ingle::grammar {
namespace {

/// Two seconds; instrumented code is several times slower, and takes more memory.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kMaxSeconds = 16;
constexpr long kMaxKilobytes = 2 << 20;
#else
constexpr double kMaxSeconds = 2;
constexpr long kMaxKilobytes = 512 << 10;
#endif

constexpr const char* kGrammars[] = {
    "root ::= (\"yes\" | \"no\") [ \\t]* [^a-z\\n]{2,5} .? # which\nother ::= root+\n",
    "root ::= value\nvalue ::= object | list | text | [0-9]+\nobject ::= \"{\" (text \":\" value (\",\" text "
    "\":\" value)*)? \"}\"\nlist ::= \"[\" (value (\",\" value)*)? \"]\"\ntext ::= \"\\\"\" [^\\\"]* "
    "\"\\\"\"\n",
    "root ::= (((\"a\"{0,90}){1,90} | \"\\u00e9\"{3,}) [\\U0001F600-\\U0001F64F])* end\nend ::= \"\\x41\" | "
    "end2 "
    "end2\nend2 ::= \"b\"?\n",
};
constexpr const char* kSchemas[] = {
    R"({"type":"object","properties":{"a":{"type":["string","null"],"minLength":2,"maxLength":900},"b":{"format":
"date-time"},"c":{"$ref":"#/$defs/t"}},"required":["a"],"additionalProperties":{"type":"integer","minimum":-105,
"maximum":1203},"$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"},"minItems":1,"maxItems":40}}})",
    R"({"anyOf":[{"oneOf":[{"type":"number"},{"type":"array","prefixItems":[{},true,{"const":[1,{"a":null}]}],
"items":false}]},{"enum":["a","\u00e9",1.5,null,{"b":[]}]},{"type":"object","properties":{"":{"$ref":"#"}}}]})",
    R"({"allOf":[{"type":"object","minProperties":1},{"$ref":"#/$defs/x~1y"}],"properties":{"a":{"type":"string","pattern":
"^(a|b{2,3})+[^x\\d]?$","maxLength":9},"b":{"type":"array","uniqueItems":true,"contains":{"minimum":0.5},"items":{"oneOf":[
{"multipleOf":3},{"not":{"const":1}}]}},"c":{"type":"number","exclusiveMinimum":-0.25,"maximum":17.5}},"if":{"required":["a"]},
"then":{"propertyNames":{"maxLength":2}},"patternProperties":{"^c":true},"$defs":{"x/y":{"$id":"in","anyOf":[{"$ref":"#/q"},
true],"q":{"dependentRequired":{"a":["b"]}}}}})",
};

uint64_t fromEnvironment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

long mostKilobytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// One quoted word in the place of another: what is damaged so is still JSON.
void exchangeWord(std::string& text, size_t at, size_t from) {
    const auto word = [&](size_t begin) {
        const size_t open = text.find('"', begin);
        const size_t close = open == std::string::npos ? open : text.find('"', open + 1);
        return std::pair{open, close};
    };
    const auto [open, close] = word(at);
    const auto [otherOpen, otherClose] = word(from);
    if (close == std::string::npos || otherClose == std::string::npos) return;
    text.replace(open, close + 1 - open, text.substr(otherOpen, otherClose + 1 - otherOpen));
}

void damage(std::string& text, std::mt19937_64& random) {
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    const bool onlyWords = below(2) == 0;
    for (size_t change = below(4) + 1; change > 0 && !text.empty(); --change) {
        const size_t at = below(text.size());
        switch (onlyWords ? 6 : below(7)) {
            case 0:
                text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                break;
            case 1:
                text.erase(at, below(30));
                break;
            case 2:
                text.insert(at, text.substr(below(text.size()), below(100)));
                break;
            case 3:  // a larger number
                text.insert(at, below(2) ? "9" : "99");
                break;
            case 4: {  // what is inside itself many times
                const std::string part = text.substr(at, below(20) + 1);
                for (size_t count = below(300); count > 0; --count) text.insert(at, part);
                break;
            }
            case 5:
                text.resize(at);
                break;
            default:
                exchangeWord(text, at, below(text.size()));
        }
    }
}

/// Bytes that it takes, as they come, until there are 300 or none is left.
void follow(Matcher& matcher, std::mt19937_64& random) {
    for (int i = 0; i < 300 && !matcher.mustEnd(); ++i) {
        const auto first = static_cast<unsigned>(random() % 256);
        bool taken = false;
        for (unsigned k = 0; k < 256 && !taken; ++k) {
            const auto byte = static_cast<char>((first + k) % 256);
            taken = matcher.advance({&byte, 1});
        }
        // Unless a limit was exceeded, what is no end leads on.
        if (!taken) {
            EXPECT_TRUE(matcher.canEnd() || matcher.exceeded());
            return;
        }
        matcher.forgetIfMany();
    }
}

/// Returns how many were taken.
template <size_t N>
uint64_t readDamaged(const char* const (&sources)[N], Result<Rules> (*parse)(std::string_view)) {
    std::mt19937_64 random(fromEnvironment("INGLE_SEED", 1));
    uint64_t taken = 0;
    const long before = mostKilobytes();
    for (uint64_t i = 0; i < fromEnvironment("INGLE_MUTATIONS", 2500); ++i) {
        std::string source = sources[random() % N];
        damage(source, random);
        const double start = test::processorSeconds();
        const auto rules = parse(source);
        const auto compiled = rules ? compile(*rules) : tl::unexpected(rules.error());
        if (compiled) {
            ++taken;
            Matcher matcher(*compiled);
            follow(matcher, random);
        } else {
            EXPECT_FALSE(compiled.error().message.empty());
            EXPECT_EQ(compiled.error().message.find('\n'), std::string::npos) << compiled.error().message;
        }
        EXPECT_LT(test::processorSeconds() - start, kMaxSeconds) << "mutation " << i << "\n" << source;
        EXPECT_LT(mostKilobytes() - before, kMaxKilobytes) << "mutation " << i << "\n" << source;
        if (testing::Test::HasFailure()) break;
    }
    return taken;
}

TEST(GrammarDamage, damagedGrammarsGiveAResult) {
    EXPECT_GT(readDamaged(kGrammars, [](std::string_view text) { return parseGbnf(text); }), 100u);
}

/// With a look at what is checked at the end.
Result<Rules> rulesOfSchema(std::string_view text) {
    INGLE_TRY_ASSIGN(SchemaRules schema, readJsonSchema(text));
    if (schema.check)
        for (const char* value : {"[1,1]", R"({"a":{"b":"x"},"c":[]})", "7", R"("aaaa")"})
            static_cast<void>(schema.check->violation(value));
    return std::move(schema.rules);
}

TEST(GrammarDamage, damagedSchemasGiveAResult) {
    EXPECT_GT(readDamaged(kSchemas, rulesOfSchema), 100u);
}

}  // namespace
}  // namespace ingle::grammar
