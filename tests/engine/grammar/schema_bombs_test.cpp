// Schemas that are small and want to be compiled for ever: each ends soon, in rules or in one sentence. The
// bombs are made here, by the seed that a failure names; `./dev soak` tries 20,000.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "engine/grammar/grammar.h"
#include "engine/grammar/json_schema.h"
#include "tests/engine/bombs.h"

namespace ingle::grammar {
namespace {

using test::BombParts;

constexpr double kMostSchemaSeconds = 2;

/// Text of schemas that multiply: lists of alternatives in each other, references in circles, patterns that
/// backtrack, and long lists and names.
class SchemaText {
  public:
    explicit SchemaText(BombParts& parts) : m_parts(parts) {}

    std::string make() {
        std::string text = "{";
        if (m_parts.chance(2)) text += "\"$defs\":{" + named("d", 3) + "},";
        return text + keywords(0) + "}";
    }

  private:
    static std::string many(size_t count, const std::function<std::string(size_t)>& each) {
        std::string text;
        for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + each(i);
        return text;
    }
    size_t count() {
        static const std::vector<size_t> kCounts{1, 2, 3, 8, 30, 200, 3000};
        const size_t count = std::min(m_parts.oneOf(kCounts), m_room);
        m_room -= count;
        return count;
    }
    std::string schema(int depth) {
        if (depth > 5 || m_room == 0) return "{}";
        --m_room;
        return "{" + keywords(depth) + "}";
    }
    std::string named(const std::string& prefix, size_t most) {
        return many(most, [&](size_t i) { return fmt::format("\"{}{}\":{}", prefix, i, schema(1)); });
    }
    std::string constants() {
        const bool areTexts = m_parts.chance(2);
        const size_t first = m_parts.below(100);
        return "[" +
               many(count(),
                    [&](size_t i) {
                        return areTexts ? fmt::format("\"{}{}\"", std::string(m_parts.below(40), 'a'), i)
                                        : std::to_string(first + i);
                    }) +
               "]";
    }
    std::string keyword(int depth) {
        static const std::vector<std::string> kPatterns{
            "^(a|a)+$",        "(a*)*b",   "^[a-z]{1,1000}$", "^(ab?){0,500}$",
            "(a{1,60}){1,60}", "\\\\d+|x", "^.*a.*b.*$"};
        const auto list = [&](size_t most) {
            return "[" + many(std::min(count(), most), [&](size_t) { return schema(depth + 1); }) + "]";
        };
        switch (m_parts.below(16)) {
            case 0:
                return "\"anyOf\":" + list(200);
            case 1:
                return "\"oneOf\":" + list(60);
            case 2:
                return "\"allOf\":" + list(60);
            case 3:
                return "\"not\":" + schema(depth + 1);
            case 4:
                return "\"enum\":" + constants();
            case 5:
                return "\"type\":\"object\",\"properties\":{" + named("p", std::min<size_t>(count(), 60)) +
                       "}";
            case 6:
                return "\"required\":[" + many(count(), [](size_t i) { return fmt::format("\"p{}\"", i); }) +
                       "]";
            case 7:
                return "\"pattern\":\"" + m_parts.oneOf(kPatterns) + "\"";
            case 8:
                return fmt::format("\"minLength\":{},\"maxLength\":{}", m_parts.below(2000),
                                   m_parts.below(100000));
            case 9:
                return fmt::format("\"minItems\":{},\"maxItems\":{},\"items\":{}", m_parts.below(300),
                                   m_parts.below(100000), schema(depth + 1));
            case 10:
                return "\"prefixItems\":" + list(100);
            case 11:
                return fmt::format("\"$ref\":\"#/$defs/d{}\"", m_parts.below(3));
            case 12:
                return "\"$ref\":\"#\"";
            case 13:
                return "\"additionalProperties\":" + schema(depth + 1);
            case 14:
                return fmt::format("\"minimum\":{},\"multipleOf\":{}", m_parts.below(1000),
                                   1 + m_parts.below(97));
            default:
                return "\"const\":\"" + std::string(m_parts.below(500), 'a') + "\"";
        }
    }
    std::string keywords(int depth) {
        return many(1 + m_parts.below(3), [&](size_t) { return keyword(depth); });
    }

    BombParts& m_parts;
    size_t m_room = 20000;  ///< schemas, constants and names that may still be written
};

TEST(SchemaBombs, endSoonWhateverTheyAsk) {
    const size_t all = test::numBombs(), count = all > 500 ? all : all / 5;
    size_t numCompiled = 0, numRefused = 0;
    std::vector<size_t> seeds(count);
    std::iota(seeds.begin(), seeds.end(), size_t{0});
    seeds.push_back(18593);  // members of many schemas, copied wherever two of them meet: took 8 seconds
    for (const size_t i : seeds) {
        BombParts parts(i);
        const std::string schema = SchemaText(parts).make();
        const double before = test::processorSeconds();
        {
            test::StopWatch watch;
            const auto rules = readJsonSchema(schema);
            const bool isCompiled = rules && compile(rules->rules);
            (isCompiled ? numCompiled : numRefused) += 1;
            EXPECT_LT(watch.longest(), test::kMostUntilAsked * 2 * test::kSlowness) << "bomb " << i;
        }
        EXPECT_LT(test::processorSeconds() - before, kMostSchemaSeconds * test::kSlowness)
            << "bomb " << i << " of " << schema.size() << " bytes: " << schema.substr(0, 200);
    }
    // It would be no test if all were refused, or none could be.
    EXPECT_GT(numCompiled, count / 10);
    EXPECT_GT(numRefused, count / 10);
}

}  // namespace
}  // namespace ingle::grammar
