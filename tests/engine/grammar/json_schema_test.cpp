/// JSON Schema: texts that follow one, and sentences for what is not supported.
#include "engine/grammar/json_schema.h"

#include <gtest/gtest.h>

#include "engine/grammar/matcher.h"

namespace ingle::grammar {
namespace {

bool schemaMatches(std::string_view schema, std::string_view text) {
    Matcher matcher(compile(parseJsonSchema(schema).value()).value());
    return matcher.advance(text) && matcher.canEnd();
}

TEST(JsonSchemaTest, integersAreExact) {
    for (const auto& [min, max] : {std::pair{-105, 1203}, {7, 7}, {98, 102}, {-30, -8}}) {
        const std::string schema = fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", min, max);
        Matcher matcher(compile(parseJsonSchema(schema).value()).value());
        for (int value = -1500; value <= 1500; ++value) {
            Matcher copy = matcher;
            EXPECT_EQ(copy.advance(std::to_string(value)) && copy.canEnd(), min <= value && value <= max)
                << value;
        }
    }
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
}

TEST(JsonSchemaTest, referencesMayRecur) {
    const char* schema =
        R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}})";
    EXPECT_TRUE(schemaMatches(schema, "[[],[[]]]"));
    EXPECT_FALSE(schemaMatches(schema, "[1]"));
}

TEST(JsonSchemaTest, whatIsNotSupportedIsRefusedByName) {
    for (const char* keyword :
         {"pattern", "not", "multipleOf", "uniqueItems", "allOf", "patternProperties"}) {
        const auto rules = parseJsonSchema(fmt::format(R"({{"properties":{{"a":{{"{}":1}}}}}})", keyword));
        ASSERT_FALSE(rules);
        EXPECT_EQ(rules.error().message,
                  fmt::format("the keyword {} is not supported at #/properties/a of the schema", keyword));
    }
}

}  // namespace
}  // namespace ingle::grammar
