#include "engine/grammar/schema_check.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/grammar/grammar.h"
#include "engine/grammar/json_text.h"
#include "engine/grammar/matcher.h"
#include "ingle/utf8.h"

namespace ingle::grammar {
namespace {

using Json = SchemaDocument::Json;
using Violation = std::optional<std::string>;

/// At the end of an answer: it is checked between the steps of other answers.
constexpr size_t kMostCheckWork = size_t{16} << 20;
constexpr const char* kTooLong = "it takes too long to be checked";
constexpr uint32_t kMostDepth = 400;
constexpr uint32_t kMostMatchSteps = 1 << 14;
/// Of a match, however many of them it takes.
constexpr size_t kMatchWork = 1 << 14;

struct FreePattern {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
using CompiledPattern = std::unique_ptr<pcre2_code, FreePattern>;

CompiledPattern compiledPattern(const std::string& text) {
    int error = 0;
    PCRE2_SIZE at = 0;
    return CompiledPattern(pcre2_compile(
        reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
        PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr));
}

/// Nothing: it takes too many steps to tell.
std::optional<bool> matches(const pcre2_code* code, const std::string& text) {
    pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
    pcre2_match_context* context = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(context, kMostMatchSteps);
    const int found =
        pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, data, context);
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    return found >= 0 || found == PCRE2_ERROR_NOMATCH ? std::optional(found >= 0) : std::nullopt;
}

size_t numCharacters(const std::string& text) {
    return static_cast<size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool isMultiple(const Json& value, const Json& of) {
    const auto isSmall = [](const Json& number) {
        return number.is_number_integer() && (!number.is_number_unsigned() || number <= INT64_MAX);
    };
    if (isSmall(value) && isSmall(of)) {
        const auto divisor = of.get<int64_t>();
        if (divisor == 0) return false;
        return divisor == -1 || value.get<int64_t>() % divisor == 0;  // the least number has no opposite
    }
    const double quotient = value.get<double>() / of.get<double>();
    return std::isfinite(quotient) && std::trunc(quotient) == quotient;
}

/// One value against one schema. Keywords of other types than the value's say nothing of it.
class Run {
  public:
    /// Work is counted by `meter`.
    Run(const SchemaDocument& document, base::Meter& meter) : m_document(document), m_meter(meter) {}

    Violation check(const Json& value, const Json& schema, const std::string& place) {
        if (schema == true) return std::nullopt;
        if (schema == false) return "nothing is allowed" + at(place);
        if (!schema.is_object()) return std::nullopt;
        if (m_depth > kMostDepth || !m_meter.spend(16 * (1 + schema.size()) + place.size())) return kTooLong;
        ++m_depth;
        Violation found;
        for (const auto& [name, argument] : schema.items()) {
            found = keyword(name, argument, schema, value, place);
            if (found) break;
        }
        --m_depth;
        return found;
    }

  private:
    static std::string at(const std::string& place) {
        return place.empty() ? "" : fmt::format(" at {}", shown(place));
    }
    static Violation unless(bool holds, std::string_view name, const std::string& place) {
        if (holds) return std::nullopt;
        return fmt::format("{} does not hold{}", name, at(place));
    }
    bool accepts(const Json& value, const Json& schema, const std::string& place) {
        return !check(value, schema, place);
    }

    Violation keyword(std::string_view name, const Json& argument, const Json& schema, const Json& value,
                      const std::string& place) {
        if (name == "$ref" && argument.is_string()) {
            const Json* target = m_document.at(argument.get_ref<const std::string&>());
            return target ? check(value, *target, place) : unless(false, name, place);
        }
        if (name == "type") return unless(isOfAny(value, argument), name, place);
        if (name == "const") return unless(SchemaCheck::isSame(value, argument), name, place);
        if (name == "enum") {
            if (!m_meter.spend(argument.size())) return kTooLong;
            const auto isIt = [&](const Json& each) { return SchemaCheck::isSame(value, each); };
            return unless(std::ranges::any_of(argument, isIt), name, place);
        }
        if (Violation found = combined(name, argument, schema, value, place)) return found;
        if (value.is_string()) return ofString(name, argument, value.get_ref<const std::string&>(), place);
        if (value.is_number()) return ofNumber(name, argument, schema, value, place);
        if (value.is_array()) return ofArray(name, argument, schema, value, place);
        if (value.is_object()) return ofObject(name, argument, schema, value, place);
        return std::nullopt;
    }

    static bool isOfAny(const Json& value, const Json& types) {
        if (!types.is_array()) return types.is_string() && SchemaCheck::isOf(value, types.get<std::string>());
        return std::ranges::any_of(types, [&](const Json& type) {
            return type.is_string() && SchemaCheck::isOf(value, type.get<std::string>());
        });
    }

    Violation combined(std::string_view name, const Json& argument, const Json& schema, const Json& value,
                       const std::string& place) {
        if (name == "allOf") {
            for (const Json& each : argument)
                if (Violation found = check(value, each, place)) return found;
        } else if (name == "anyOf" || name == "oneOf") {
            size_t count = 0;
            for (const Json& each : argument) count += accepts(value, each, place) ? 1 : 0;
            return unless(name == "anyOf" ? count > 0 : count == 1, name, place);
        } else if (name == "not") {
            return unless(!accepts(value, argument, place), name, place);
        } else if (name == "if") {
            const char* then = accepts(value, argument, place) ? "then" : "else";
            if (schema.contains(then)) return check(value, schema[then], place);
        }
        return std::nullopt;
    }

    Violation ofString(std::string_view name, const Json& argument, const std::string& text,
                       const std::string& place) {
        if (name == "minLength" && argument.is_number())
            return unless(static_cast<double>(numCharacters(text)) >= argument.get<double>(), name, place);
        if (name == "maxLength" && argument.is_number())
            return unless(static_cast<double>(numCharacters(text)) <= argument.get<double>(), name, place);
        if (name == "pattern" && argument.is_string())
            return unless(isMatch(argument.get_ref<const std::string&>(), text), name, place);
        if (name == "format" && argument.is_string())
            return unless(isOfFormat(argument.get_ref<const std::string&>(), text), name, place);
        return std::nullopt;
    }

    static Violation ofNumber(std::string_view name, const Json& argument, const Json& schema,
                              const Json& value, const std::string& place) {
        const bool isFlag = argument.is_boolean() && argument == true;  // of draft 4
        if (name == "exclusiveMinimum" && isFlag && schema.contains("minimum"))
            return unless(value > schema["minimum"], name, place);
        if (name == "exclusiveMaximum" && isFlag && schema.contains("maximum"))
            return unless(value < schema["maximum"], name, place);
        if (!argument.is_number()) return std::nullopt;
        if (name == "minimum") return unless(value >= argument, name, place);
        if (name == "maximum") return unless(value <= argument, name, place);
        if (name == "exclusiveMinimum") return unless(value > argument, name, place);
        if (name == "exclusiveMaximum") return unless(value < argument, name, place);
        if (name == "multipleOf") return unless(isMultiple(value, argument), name, place);
        return std::nullopt;
    }

    Violation ofArray(std::string_view name, const Json& argument, const Json& schema, const Json& value,
                      const std::string& place) {
        const auto count = static_cast<double>(value.size());
        if (name == "minItems" && argument.is_number())
            return unless(count >= argument.get<double>(), name, place);
        if (name == "maxItems" && argument.is_number())
            return unless(count <= argument.get<double>(), name, place);
        if (name == "uniqueItems") return unless(argument != true || isUnique(value), name, place);
        if (name == "contains") return containing(argument, schema, value, place);
        const bool isList = name == "prefixItems" || (name == "items" && argument.is_array());
        if (isList) {
            for (size_t index = 0; index < std::min(argument.size(), value.size()); ++index)
                if (Violation found =
                        check(value[index], argument[index], fmt::format("{}/{}", place, index)))
                    return found;
        } else if (name == "items" || name == "additionalItems") {
            const bool isRest = name == "additionalItems";
            const char* before = isRest ? "items" : "prefixItems";
            if (isRest && !(schema.contains("items") && schema["items"].is_array())) return std::nullopt;
            const size_t first =
                schema.contains(before) && schema[before].is_array() ? schema[before].size() : 0;
            for (size_t index = first; index < value.size(); ++index)
                if (Violation found = check(value[index], argument, fmt::format("{}/{}", place, index)))
                    return found;
        }
        return std::nullopt;
    }

    bool isUnique(const Json& list) {
        for (size_t index = 0; index < list.size(); ++index)
            for (size_t before = 0; before < index; ++before)
                if (!m_meter.spend(4) || SchemaCheck::isSame(list[index], list[before])) return false;
        return true;
    }

    Violation containing(const Json& schema, const Json& around, const Json& value,
                         const std::string& place) {
        const auto count = static_cast<double>(
            std::ranges::count_if(value, [&](const Json& each) { return accepts(each, schema, place); }));
        const double least = around.contains("minContains") ? around["minContains"].get<double>() : 1;
        const bool holds = count >= least &&
                           !(around.contains("maxContains") && count > around["maxContains"].get<double>());
        return unless(holds, "contains", place);
    }

    Violation ofObject(std::string_view name, const Json& argument, const Json& schema, const Json& value,
                       const std::string& place) {
        const auto count = static_cast<double>(value.size());
        if (name == "minProperties" && argument.is_number())
            return unless(count >= argument.get<double>(), name, place);
        if (name == "maxProperties" && argument.is_number())
            return unless(count <= argument.get<double>(), name, place);
        if (name == "required") return unless(hasAll(value, argument), name, place);
        if (name == "propertyNames") {
            for (const auto& [key, member] : value.items())
                if (Violation found = check(Json(key), argument, place)) return found;
        } else if (name == "dependentRequired" && argument.is_object()) {
            for (const auto& [key, names] : argument.items())
                if (value.contains(key) && !hasAll(value, names)) return unless(false, name, place);
        } else if (name == "dependentSchemas" && argument.is_object()) {
            for (const auto& [key, inner] : argument.items())
                if (value.contains(key))
                    if (Violation found = check(value, inner, place)) return found;
        } else if (name == "properties" || name == "patternProperties" || name == "additionalProperties") {
            return members(name, argument, schema, value, place);
        }
        return std::nullopt;
    }

    static bool hasAll(const Json& object, const Json& names) {
        return std::ranges::all_of(names, [&](const Json& each) {
            return !each.is_string() || object.contains(each.get<std::string>());
        });
    }

    Violation members(std::string_view name, const Json& argument, const Json& schema, const Json& value,
                      const std::string& place) {
        for (const auto& [key, member] : value.items()) {
            const std::string inside = fmt::format("{}/{}", place, key);
            if (name == "properties") {
                if (argument.contains(key))
                    if (Violation found = check(member, argument[key], inside)) return found;
            } else if (name == "patternProperties") {
                for (const auto& [pattern, inner] : argument.items())
                    if (isMatch(pattern, key))
                        if (Violation found = check(member, inner, inside)) return found;
            } else if (!isNamed(key, schema)) {
                if (Violation found = check(member, argument, inside)) return found;
            }
        }
        return std::nullopt;
    }

    bool isNamed(const std::string& key, const Json& schema) {
        if (schema.contains("properties") && schema["properties"].contains(key)) return true;
        if (!schema.contains("patternProperties")) return false;
        const Json& patterns = schema["patternProperties"];
        for (auto each = patterns.begin(); each != patterns.end(); ++each)
            if (isMatch(each.key(), key)) return true;
        return false;
    }

    bool isMatch(const std::string& pattern, const std::string& text) {
        if (!m_meter.spend(kMatchWork + text.size())) return false;
        auto& compiled = m_patterns[pattern];
        if (!compiled && m_meter.spend(64 * pattern.size())) compiled = compiledPattern(pattern);
        if (!compiled) return false;
        const std::optional<bool> found = matches(compiled.get(), text);
        if (!found) (void)m_meter.spend(SIZE_MAX);  // nothing can be told from here on
        return found.value_or(false);
    }

    /// As rules would have it written.
    bool isOfFormat(const std::string& format, const std::string& text) {
        auto [known, isNew] = m_formats.try_emplace(format);
        if (auto expr = isNew ? stringOfFormat(format) : std::nullopt) {
            auto compiled = compile({{{format, *std::move(expr)}}, 0});
            if (compiled) known->second.emplace(*std::move(compiled));
        }
        if (!known->second) return true;  // it says nothing
        if (!m_meter.spend(16 * text.size())) return false;
        Matcher matcher = *known->second;
        return matcher.advance(Json(text).dump()) && matcher.canEnd();
    }

    const SchemaDocument& m_document;
    base::Meter& m_meter;
    uint32_t m_depth = 0;
    std::map<std::string, CompiledPattern> m_patterns;
    std::map<std::string, std::optional<Matcher>> m_formats;
};

}  // namespace

bool isConstraint(std::string_view name) {
    constexpr std::string_view kConstraints[] = {"type",
                                                 "enum",
                                                 "const",
                                                 "properties",
                                                 "required",
                                                 "additionalProperties",
                                                 "items",
                                                 "prefixItems",
                                                 "additionalItems",
                                                 "minItems",
                                                 "maxItems",
                                                 "minLength",
                                                 "maxLength",
                                                 "pattern",
                                                 "format",
                                                 "minimum",
                                                 "maximum",
                                                 "exclusiveMinimum",
                                                 "exclusiveMaximum"};
    return isOnlyChecked(name) || std::ranges::find(kConstraints, name) != std::end(kConstraints);
}

bool isOnlyChecked(std::string_view name) {
    constexpr std::string_view kChecked[] = {"uniqueItems",
                                             "multipleOf",
                                             "not",
                                             "if",
                                             "then",
                                             "else",
                                             "contains",
                                             "minContains",
                                             "maxContains",
                                             "minProperties",
                                             "maxProperties",
                                             "propertyNames",
                                             "patternProperties",
                                             "dependentRequired",
                                             "dependentSchemas"};
    return std::ranges::find(kChecked, name) != std::end(kChecked);
}

std::optional<std::string> SchemaCheck::violation(std::string_view text) const {
    const Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) return "it is no JSON";
    base::Meter meter(kMostCheckWork, kTooLong);
    const Violation found = Run(*m_document, meter).check(value, m_document->root(), "");
    return meter.spend(0) ? found : kTooLong;  // what was left out may have been behind a "not"
}

Result<bool> SchemaCheck::accepts(const Json& value, const Json& schema) const {
    const Violation found = Run(*m_document, m_document->meter()).check(value, schema, "");
    INGLE_TRY(m_document->spend(0));
    return !found;
}

bool SchemaCheck::isSame(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object()) {
        if (a.size() != b.size()) return false;
        for (auto member = a.begin(); member != a.end(); ++member)
            if (!b.contains(member.key()) || !isSame(*member, b[member.key()])) return false;
        return true;
    }
    if (a.is_array() && b.is_array()) return std::ranges::equal(a, b, isSame);
    return a == b;
}

bool SchemaCheck::isOf(const Json& value, std::string_view type) {
    if (type == "integer")
        return value.is_number_integer() ||
               (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
    if (type == "number") return value.is_number();
    return std::string_view(value.type_name()) == type;
}

bool SchemaCheck::isPattern(const std::string& pattern) {
    return compiledPattern(pattern) != nullptr;
}

}  // namespace ingle::grammar
