/// JSON Schema: texts that follow one, what is checked at the end, and sentences for what is not supported.
#include "engine/grammar/json_schema.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "engine/grammar/json_text.h"
#include "engine/grammar/matcher.h"
#include "engine/grammar/pattern.h"
#include "tests/engine/bombs.h"

namespace ingle::grammar {
namespace {

bool rulesMatch(std::string_view schema, std::string_view text) {
    Matcher matcher(compile(readJsonSchema(schema).value().rules).value());
    return matcher.advance(text) && matcher.canEnd();
}

/// By rules, and by what is checked at the end.
bool schemaMatches(std::string_view schema, std::string_view text) {
    const SchemaRules rules = readJsonSchema(schema).value();
    return rulesMatch(schema, text) && !(rules.check && rules.check->violation(text));
}

std::string refusal(std::string_view schema) {
    const auto rules = readJsonSchema(schema);
    if (!rules) return rules.error().message;
    const auto compiled = compile(rules->rules);
    return compiled ? "taken" : compiled.error().message;
}

bool needsCheck(std::string_view schema) {
    return readJsonSchema(schema).value().check != nullptr;
}

TEST(JsonSchemaTest, integersAreExact) {
    for (const auto& [min, max] : {std::pair{-105, 1203}, {7, 7}, {98, 102}, {-30, -8}}) {
        const std::string schema = fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", min, max);
        Matcher matcher(compile(readJsonSchema(schema).value().rules).value());
        for (int value = -1500; value <= 1500; ++value) {
            Matcher copy = matcher;
            EXPECT_EQ(copy.advance(std::to_string(value)) && copy.canEnd(), min <= value && value <= max)
                << value;
        }
    }
    EXPECT_TRUE(schemaMatches(R"({"type":"integer"})", "1700000000000000"));
    EXPECT_TRUE(schemaMatches(R"({"type":"integer","exclusiveMinimum":0})", "1"));
    EXPECT_FALSE(schemaMatches(R"({"type":"integer","exclusiveMinimum":0})", "0"));
    EXPECT_TRUE(schemaMatches(R"({"type":"integer","minimum":0.5,"maximum":1.5})", "1"));
    EXPECT_FALSE(schemaMatches(R"({"type":"integer","minimum":0.5,"maximum":1.5})", "0"));
}

TEST(JsonSchemaTest, numbersAreWithinTheirBounds) {
    std::mt19937 random(4);
    const auto decimal = [&] {
        return std::round((static_cast<double>(random() % 4000) - 2000) * 10) / std::pow(10, random() % 4);
    };
    for (int round = 0; round < 60; ++round) {
        double low = decimal(), high = decimal();
        if (low > high) std::swap(low, high);
        const bool lowExcluded = random() % 2 != 0, highExcluded = random() % 2 != 0;
        const std::string schema = fmt::format(R"({{"type":"number","{}":{},"{}":{}}})",
                                               lowExcluded ? "exclusiveMinimum" : "minimum", low,
                                               highExcluded ? "exclusiveMaximum" : "maximum", high);
        const auto rules = compile(readJsonSchema(schema).value().rules);
        if (!rules) {
            EXPECT_EQ(low, high) << schema;
            continue;
        }
        const Matcher fresh(*rules);
        const auto isTaken = [&](const std::string& text) {
            Matcher matcher = fresh;
            return matcher.advance(text) && matcher.canEnd();
        };
        for (int count = 0; count < 300; ++count) {
            // Near the bounds, and at them.
            const double value = count % 3 == 0 ? decimal()
                                                : (count % 2 == 0 ? low : high) +
                                                      (static_cast<double>(random() % 21) - 10) / 1000;
            const std::string text = fmt::format("{:.{}f}", value, random() % 5);
            const double read = std::stod(text);
            const bool isRight =
                (lowExcluded ? read > low : read >= low) && (highExcluded ? read < high : read <= high);
            EXPECT_EQ(isTaken(text), isRight) << schema << " " << text;
        }
    }
    EXPECT_FALSE(needsCheck(R"({"type":"number","minimum":0,"maximum":1})"));
    EXPECT_TRUE(schemaMatches(R"({"type":"number","minimum":0,"maximum":1})", "0.25"));
    EXPECT_FALSE(schemaMatches(R"({"type":"number","minimum":0,"maximum":1})", "5."));
}

TEST(JsonSchemaTest, objects) {
    const char* schema =
        R"({"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"required":["b"],
                             "additionalProperties":{"type":"boolean"}})";
    EXPECT_TRUE(schemaMatches(schema, R"({"a":null,"b":null})"));
    EXPECT_TRUE(schemaMatches(schema, R"({"b":null, "c":true})"));
    EXPECT_FALSE(schemaMatches(schema, R"({"a":null})"));
    EXPECT_FALSE(schemaMatches(schema, R"({"b":null,"b":true})"));
    EXPECT_FALSE(schemaMatches(schema, R"({"b":null,})"));
    EXPECT_TRUE(schemaMatches(R"({"type":"object","properties":{"a":{"type":"null"}},"required":["a","b"]})",
                              R"({"a":null,"b":7})"));
}

TEST(JsonSchemaTest, referencesPointAnywhere) {
    EXPECT_TRUE(schemaMatches(
        R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}})", "[[],[[]]]"));
    const char* intoProperties =
        R"({"type":"object","properties":{"tree":{"type":"object","properties":{"l":{"anyOf":[
        {"type":"string"},{"$ref":"#/properties/tree"}]}},"required":["l"]}},"required":["tree"]})";
    EXPECT_TRUE(schemaMatches(intoProperties, R"({"tree":{"l":{"l":"x"}}})"));
    EXPECT_FALSE(schemaMatches(intoProperties, R"({"tree":{"l":{"l":1}}})"));
    EXPECT_TRUE(
        schemaMatches(R"({"$defs":{"a/b[c]":{"type":"integer"}},"$ref":"#/$defs/a~1b%5Bc%5D"})", "5"));
    EXPECT_FALSE(
        schemaMatches(R"({"$defs":{"a/b[c]":{"type":"integer"}},"$ref":"#/$defs/a~1b%5Bc%5D"})", "true"));
    // A part with an id of its own is where its references begin.
    const char* inside =
        R"({"properties":{"arguments":{"$id":"call:f","properties":{"p":{"$ref":"#/$defs/P"}},
        "required":["p"],"$defs":{"P":{"type":"null"}}}},"required":["arguments"]})";
    EXPECT_TRUE(schemaMatches(inside, R"({"arguments":{"p":null}})"));
    EXPECT_FALSE(schemaMatches(inside, R"({"arguments":{"p":1}})"));
    EXPECT_TRUE(schemaMatches(R"({"$ref":"#here","$defs":{"x":{"$anchor":"here","type":"null"}}})", "null"));
    EXPECT_EQ(refusal(R"({"$ref":"#/$defs/no"})"), "there is nothing at #/$defs/no of the schema");
    EXPECT_EQ(refusal(R"({"$ref":"https://example.org/x.json"})"),
              "$ref https://example.org/x.json points out of the schema at # of it");
}

TEST(JsonSchemaTest, whatHoldsTogetherIsOne) {
    const char* beside =
        R"({"$defs":{"P":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}},
        "allOf":[{"$ref":"#/$defs/P"}],"properties":{"y":{"type":"null"}},"required":["y"],"description":"d"})";
    EXPECT_TRUE(schemaMatches(beside, R"({"y":null,"x":1})"));
    EXPECT_FALSE(schemaMatches(beside, R"({"x":1})"));
    EXPECT_FALSE(needsCheck(beside));
    EXPECT_TRUE(
        schemaMatches(R"({"type":"integer","allOf":[{"minimum":3},{"minimum":5,"maximum":9}]})", "5"));
    EXPECT_FALSE(
        schemaMatches(R"({"type":"integer","allOf":[{"minimum":3},{"minimum":5,"maximum":9}]})", "4"));
    const char* either = R"({"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},
        "anyOf":[{"required":["a"]},{"required":["b"]}]})";
    EXPECT_TRUE(schemaMatches(either, R"({"b":null})"));
    EXPECT_FALSE(schemaMatches(either, "{}"));
    EXPECT_NE(refusal(R"({"allOf":[{"type":"string"},{"type":"null"}]})"), "taken");
}

TEST(JsonSchemaTest, oneOfIsExactWhereAConstantTellsThemApart) {
    const char* tagged =
        R"({"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"discriminator":{"propertyName":"kind"},
        "$defs":{"A":{"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},
                 "B":{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]}}})";
    EXPECT_FALSE(needsCheck(tagged));
    EXPECT_TRUE(schemaMatches(tagged, R"({"kind":"a","n":1})"));
    EXPECT_FALSE(schemaMatches(tagged, R"({"kind":"a"})"));
    EXPECT_FALSE(needsCheck(R"({"oneOf":[{"const":"a","title":"A"},{"const":"b"}]})"));
    const char* both = R"({"oneOf":[{"type":"integer","minimum":0},{"type":"integer","maximum":5}]})";
    EXPECT_TRUE(needsCheck(both));
    EXPECT_TRUE(schemaMatches(both, "7"));
    EXPECT_FALSE(schemaMatches(both, "3"));
}

TEST(JsonSchemaTest, patternsAreKeptWhereTheyAreRegular) {
    const auto matches = [](std::string_view pattern, std::string_view text) {
        const nlohmann::json schema{{"type", "string"}, {"pattern", pattern}};
        return rulesMatch(schema.dump(), nlohmann::json(text).dump());
    };
    EXPECT_TRUE(matches("^[0-9]{4}$", "2026"));
    EXPECT_FALSE(matches("^[0-9]{4}$", "20266"));
    EXPECT_TRUE(matches("^hello there\\!$", "hello there!"));
    EXPECT_TRUE(matches("b+", "abbc"));
    EXPECT_FALSE(matches("b+", "ac"));
    EXPECT_TRUE(matches("^(a|bc)*?d\\.$|^x", "abcad."));
    EXPECT_TRUE(matches("^(a|bc)*?d\\.$|^x", "xyz"));
    EXPECT_TRUE(matches("^[^\"]\"\\\\$", "n\"\\"));
    EXPECT_TRUE(matches("^\\n.$", "\n\u00e9"));
    EXPECT_FALSE(matches("^.$", "\n"));
    EXPECT_TRUE(matches("^(?<year>\\d{2,})-[\\w.-]+$", "12-a_b.c"));
    for (const char* irregular :
         {"(?=x)y", "a(?!b)", "(a)\\1", "\\bword", "a++", "^a^", "[[:alpha:]]", "[]", "\\p{L}", "(a"})
        EXPECT_FALSE(parsePattern(irregular)) << irregular;
    EXPECT_FALSE(needsCheck(R"({"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":3})"));
    EXPECT_FALSE(
        rulesMatch(R"({"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":3})", R"("abcd")"));
    EXPECT_TRUE(needsCheck(R"({"type":"string","pattern":"^(?=.*x).*$"})"));
    EXPECT_FALSE(schemaMatches(R"({"type":"string","pattern":"^(?=.*x).*$"})", R"("abc")"));
    EXPECT_EQ(refusal(R"({"type":"string","pattern":"("})"),
              "pattern ( is no regular expression at # of the schema");
}

TEST(JsonSchemaTest, formats) {
    struct Row {
        const char *format, *right, *wrong;
    };
    for (const Row& row :
         {Row{"date", "2026-02-28", "2026-02-30"}, Row{"email", "a.b+c@example.org", "a@b"},
          Row{"ipv4", "192.168.0.255", "192.168.0.256"}, Row{"ipv6", "2001:db8::1", "1::2::3"},
          Row{"uri", "https://example.org:80/a?b#c", "example"}, Row{"hostname", "a-b.example", "-a"},
          Row{"uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"}, Row{"duration", "P1DT2H", "P"},
          Row{"time", "23:59:59Z", "24:00:00Z"}}) {
        const std::string schema = fmt::format(R"({{"type":"string","format":"{}"}})", row.format);
        EXPECT_TRUE(schemaMatches(schema, fmt::format("\"{}\"", row.right))) << row.format;
        EXPECT_FALSE(schemaMatches(schema, fmt::format("\"{}\"", row.wrong))) << row.format;
    }
    // Others say nothing: JSON Schema calls them annotations.
    EXPECT_TRUE(schemaMatches(R"({"type":"string","format":"binary","contentEncoding":"base64"})", R"("x")"));
    EXPECT_TRUE(schemaMatches(R"({"type":"integer","format":"int32","x-order":1,"nullable":false})", "5"));
    EXPECT_TRUE(schemaMatches(R"({"type":"string"})", R"("\ud83d\ude00")"));
    EXPECT_FALSE(schemaMatches(R"({"type":"string"})", R"("\ud83d")"));
}

TEST(JsonSchemaTest, whatRulesCannotKeepIsCheckedAndTold) {
    struct Row {
        const char *schema, *right, *wrong, *told;
    };
    for (
        const Row& row :
        {Row{R"({"type":"array","items":{"type":"integer"},"uniqueItems":true})", "[1,2]", "[1,2,1]",
             "uniqueItems does not hold"},
         Row{R"({"type":"integer","multipleOf":5})", "15", "16", "multipleOf does not hold"},
         Row{R"({"properties":{"a":{"type":"array","contains":{"type":"null"}}}})", R"({"a":[1,null]})",
             R"({"a":[1]})", "contains does not hold at /a"},
         Row{R"({"type":"object","properties":{"a":true,"b":true},"minProperties":2})", R"({"a":1,"b":2})",
             R"({"b":2})", "minProperties does not hold"},
         Row{R"({"type":"string","not":{"const":"x"}})", R"("y")", R"("x")", "not does not hold"},
         Row{R"({"type":"object","additionalProperties":{"type":"integer"},"propertyNames":{"pattern":"^a"},"minProperties":1})",
             R"({"ab":1})", R"({"ab":1,"ab":"x"})", nullptr},
         Row{R"({"type":"object","patternProperties":{"^x":{"type":"string"}}})", R"({"x1":"a"})",
             R"({"x1":1})", nullptr},
         Row{R"({"properties":{"a":{"type":"string"}},"if":{"properties":{"a":{"const":"x"}}},"then":{"required":["b"]}})",
             R"({"a":"y"})", R"({"a":"x"})", "required does not hold"}}) {
        EXPECT_TRUE(schemaMatches(row.schema, row.right)) << row.schema;
        EXPECT_FALSE(schemaMatches(row.schema, row.wrong)) << row.schema;
        if (row.told) {
            EXPECT_EQ(readJsonSchema(row.schema)->check->violation(row.wrong), row.told);
        }
    }
    EXPECT_FALSE(
        needsCheck(R"({"type":"object","properties":{"a":true},"required":["a"],"minProperties":1})"));
}

TEST(JsonSchemaTest, rulesAloneKeepMostSchemas) {
    EXPECT_TRUE(parseJsonSchema(R"({"type":"string","format":"date"})"));
    EXPECT_EQ(parseJsonSchema(R"({"type":"integer","multipleOf":3})").error().code, ErrorCode::Unsupported);
}

TEST(JsonSchemaTest, whatIsNotSupportedIsRefusedByName) {
    for (const char* keyword : {"unevaluatedProperties", "unevaluatedItems", "$dynamicRef"})
        EXPECT_EQ(refusal(fmt::format(R"({{"properties":{{"a":{{"{}":true}}}}}})", keyword)),
                  fmt::format("the keyword {} is not supported at #/properties/a of the schema", keyword));
    EXPECT_EQ(refusal(R"({"type":"colour"})"), "type is not a type at # of the schema");
    EXPECT_EQ(refusal(R"({"not":5})"), "not is not a schema at # of the schema");
    EXPECT_EQ(refusal(R"({"allOf":[{"$ref":"#"}]})").substr(0, 10), "the rule #");
}

/// As an editor or a large API has them.
std::string largeSchema(size_t bytes) {
    std::string defs;
    size_t number = 0;
    for (; defs.size() < bytes; ++number)
        defs += fmt::format(
            R"({}"Type{}":{{"type":"object","title":"Type {}","description":"One of many.","properties":{{)"
            R"("name":{{"type":"string","description":"Its name."}},"count":{{"type":"integer","minimum":0}},)"
            R"("tags":{{"type":"array","items":{{"type":"string","maxLength":40}}}},)"
            R"("kind":{{"enum":["first","second","third"]}},"next":{{"anyOf":[{{"$ref":"#/$defs/Type{}"}},{{"type":"null"}}]}}}},)"
            R"("required":["name","kind"],"additionalProperties":false}})",
            number == 0 ? "" : ",", number, number, number == 0 ? 0 : number - 1);
    return fmt::format(R"({{"$ref":"#/$defs/Type{}","$defs":{{{}}}}})", number - 1, defs);
}

TEST(JsonSchemaTest, aLargeSchemaIsCompiledAtOnce) {
    const std::string schema = largeSchema(300'000);
    double best = 100;
    for (int count = 0; count < 3; ++count) {
        const double before = test::processorSeconds();
        const auto rules = readJsonSchema(schema);
        ASSERT_TRUE(rules) << rules.error().message;
        const auto compiled = compile(rules->rules);
        ASSERT_TRUE(compiled) << compiled.error().message;
        best = std::min(best, test::processorSeconds() - before);
    }
    RecordProperty("milliseconds", static_cast<int>(best * 1000));
    EXPECT_LT(best, 0.6);  // 200 ms, and this is built with little optimisation
}

std::string listOf(size_t count, const std::function<std::string(size_t)>& each) {
    std::string list;
    for (size_t i = 0; i < count; ++i) list += (i > 0 ? "," : "") + each(i);
    return "[" + list + "]";
}

TEST(JsonSchemaTest, aMultipleOfAHugeNumberIsNoTrap) {
    EXPECT_TRUE(readJsonSchema(R"({"const":-9223372036854775808,"multipleOf":18446744073709551615})"));
    EXPECT_TRUE(schemaMatches(R"({"const":-9223372036854775808,"multipleOf":-1})", "-9223372036854775808"));
    EXPECT_EQ(refusal(R"({"const":7,"multipleOf":0})"), refusal(R"({"const":7,"multipleOf":0.0})"));
}

/// Schemas that are small and want to be read for ever, or to fill the memory.
TEST(SchemaBombs, endSoon) {
    const auto numbers = [](size_t from, size_t count) {
        return listOf(count, [from](size_t i) { return std::to_string(from + i); });
    };
    const auto names = [](char letter) {
        return listOf(40000, [letter](size_t i) { return fmt::format("\"{}{}\"", letter, i); });
    };
    const auto least = [](size_t count) {
        return listOf(count, [](size_t i) { return fmt::format(R"({{"minLength":{}}})", i); });
    };
    const std::string longName(300000, 'K');
    const std::pair<const char*, std::string> bombs[] = {
        {"patterns of constants",
         R"({"pattern":"^(a|a)+$","enum":)" +
             listOf(20000, [](size_t i) { return fmt::format("\"aaaaaaaaaaaaaaaaaaaaaaaaab{}\"", i); }) +
             "}"},
        {"constants of two",
         R"({"allOf":[{"enum":)" + numbers(0, 70000) + R"(},{"enum":)" + numbers(100000, 70000) + "}]}"},
        {"a long list of constants", R"({"enum":)" + numbers(0, 100000) + "}"},
        {"names of two",
         R"({"type":"object","allOf":[{"required":)" + names('a') + R"(},{"required":)" + names('b') + "}]}"},
        {"lists that exclude each other",
         R"({"oneOf":)" +
             listOf(100, [&](size_t i) { return R"({"enum":)" + numbers(i * 10000, 1300) + "}"; }) + "}"},
        {"a product", R"({"allOf":[{"required":)" +
                          listOf(200, [](size_t i) { return fmt::format("\"p{}\"", i); }) + R"(},{"anyOf":)" +
                          least(1000) + R"(},{"anyOf":)" + least(1000) + "}]}"},
        {"copies of a long text",
         R"({"allOf":[{"const":")" + longName + R"("},{"anyOf":)" + least(200) + "}]}"},
        {"references with long places", R"({"$defs":{")" + longName + R"(":)" +
                                            listOf(18000, [](size_t) { return R"({"$ref":"#"})"; }) + "}}"},
        {"anchors with long places",
         R"({"$defs":{")" + longName + R"(":)" +
             listOf(4000, [](size_t i) { return fmt::format(R"({{"$anchor":"a{}"}})", i); }) + "}}"},
        {"long places", R"({"$defs":{")" + longName + R"(":)" + listOf(200000, [](size_t) { return "{}"; }) +
                            R"(},"type":"boolean"})"},
    };
    for (const auto& [name, schema] : bombs) {
        const double before = test::processorSeconds();
        {
            test::StopWatch watch;
            const auto rules = readJsonSchema(schema);
            if (rules) static_cast<void>(compile(rules->rules));
            EXPECT_LT(watch.longest(), test::kMostUntilAsked * 2 * test::kSlowness) << name;
        }
        EXPECT_LT(test::processorSeconds() - before, 2 * test::kSlowness) << name;
    }
}

TEST(SchemaBombs, aCheckAtTheEndIsShort) {
    const std::string schema = R"({"not":{"properties":{"v":{"anyOf":)" +
                               listOf(18000, [](size_t) { return R"({"pattern":"^(a|a)+$"})"; }) + "}}}}";
    const auto rules = readJsonSchema(schema);
    ASSERT_TRUE(rules) << rules.error().message;
    ASSERT_TRUE(rules->check);
    const double before = test::processorSeconds();
    EXPECT_EQ(rules->check->violation(R"({"v":"aaaaaaaaaaaaaaaaaaaaaaaab"})"),
              "it takes too long to be checked");
    EXPECT_LT(test::processorSeconds() - before, test::kSlowness);
}

/// What gives up finds no match, and under a "not" that would be one.
TEST(SchemaBombs, aPatternThatGivesUpIsTold) {
    const auto rules = readJsonSchema(R"({"not":{"properties":{"v":{"pattern":"^((a|a)+c|(a|a)+b)$"}}}})");
    ASSERT_TRUE(rules) << rules.error().message;
    ASSERT_TRUE(rules->check);
    EXPECT_EQ(rules->check->violation(R"({"v":"aaab"})"), "not does not hold");
    EXPECT_EQ(rules->check->violation(R"({"v":"aaaaaaaaaaaaaaaaaaaaaaaab"})"),
              "it takes too long to be checked");
}

}  // namespace
}  // namespace ingle::grammar
