#include "engine/grammar/json_schema.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/grammar/json_text.h"

namespace ingle::grammar {
namespace {

using Json = nlohmann::ordered_json;

/// A keyword and the type it is about; an empty one is about all.
struct Keyword {
    std::string_view name, type;
};
constexpr Keyword kTyped[] = {
    {"properties", "object"}, {"required", "object"},   {"additionalProperties", "object"},
    {"items", "array"},       {"prefixItems", "array"}, {"minItems", "array"},
    {"maxItems", "array"},    {"minLength", "string"},  {"maxLength", "string"},
    {"format", "string"},     {"minimum", "integer"},   {"maximum", "integer"},
};
constexpr std::string_view kAnnotations[] = {"title",       "description", "default",  "examples",
                                             "$schema",     "$id",         "$comment", "$defs",
                                             "definitions", "deprecated",  "readOnly", "writeOnly"};
constexpr std::string_view kTypes[] = {"object", "array", "string", "integer", "number", "boolean", "null"};

class Translator {
  public:
    explicit Translator(const Json& schema) : m_schema(schema) {}

    Result<Rules> translate() {
        INGLE_TRY_ASSIGN(Expr body, ruleFor("#"));
        // Vocabularies put a blank before the first word.
        const uint32_t root = addRule("root");
        m_rules.all[root].body = sequence({repeat(literal(" "), 0, 1), std::move(body)});
        m_rules.root = root;
        return std::move(m_rules);
    }

  private:
    template <typename... Args>
    static tl::unexpected<Error> wrong(const std::string& place, fmt::format_string<Args...> format,
                                       Args&&... args) {
        return fail(ErrorCode::InvalidArgument, "{} at {} of the schema",
                    fmt::format(format, std::forward<Args>(args)...), shown(place));
    }

    uint32_t addRule(std::string name) {
        m_rules.all.push_back({std::move(name), {}});
        return static_cast<uint32_t>(m_rules.all.size() - 1);
    }

    /// The schema that a $ref points to, as a rule, which may be in the making.
    Result<Expr> ruleFor(const std::string& pointer) {
        if (const auto known = m_pointed.find(pointer); known != m_pointed.end())
            return ruleRef(known->second);
        const Json* target = &m_schema;
        if (pointer != "#") {
            const std::string_view rest = std::string_view(pointer).substr(2);
            const size_t slash = rest.find('/');
            const std::string folder(rest.substr(0, slash)), name(rest.substr(slash + 1));
            if (!m_schema.is_object() || !m_schema.contains(folder) || !m_schema[folder].is_object() ||
                !m_schema[folder].contains(name))
                return wrong(pointer, "there is nothing");
            target = &m_schema[folder][name];
        }
        const uint32_t rule = addRule(pointer);
        m_pointed[pointer] = rule;
        INGLE_TRY_ASSIGN(Expr body, schema(*target, pointer, 0));
        m_rules.all[rule].body = std::move(body);
        return ruleRef(rule);
    }

    /// Any JSON value.
    Expr anyValue() {
        if (!m_any) {
            m_any = addRule("any value");
            const Expr value = ruleRef(*m_any);
            m_rules.all[*m_any].body =
                choice({list("{", member(anyString(0, kUnbounded), value), 0, kUnbounded, "}"),
                        list("[", value, 0, kUnbounded, "]"), anyString(0, kUnbounded), anyNumber(),
                        literal("true"), literal("false"), literal("null")});
        }
        return ruleRef(*m_any);
    }

    static Expr comma() { return sequence({literal(","), blank()}); }
    static Expr member(Expr key, Expr value) {
        return sequence({std::move(key), literal(":"), blank(), std::move(value)});
    }
    static Expr list(std::string_view open, const Expr& one, uint32_t min, uint32_t max,
                     std::string_view close) {
        const uint32_t others = max == kUnbounded ? kUnbounded : max - 1;
        Expr inner = max == 0
                         ? Expr{}
                         : sequence({one, repeat(sequence({comma(), one}), min > 0 ? min - 1 : 0, others)});
        if (min == 0) inner = repeat(std::move(inner), 0, 1);
        return sequence({literal(open), blank(), std::move(inner), blank(), literal(close)});
    }

    Result<Expr> schema(const Json& json, const std::string& place, uint32_t depth) {
        if (depth > kMostNesting) return wrong(place, "more than {} schemas inside each other", kMostNesting);
        if (++m_numSchemas > kMostNodes) return wrong(place, "more than {} schemas", kMostNodes);
        if (json == true) return anyValue();
        if (json == false) return wrong(place, "nothing is allowed");
        if (!json.is_object()) return wrong(place, "a schema is an object, true or false, and is not");
        std::set<std::string> keywords;
        for (const auto& [name, value] : json.items())
            if (std::ranges::find(kAnnotations, name) == std::end(kAnnotations)) keywords.insert(name);
        for (const char* alone : {"$ref", "anyOf", "oneOf"}) {
            if (!keywords.contains(alone)) continue;
            if (keywords.size() > 1)
                return wrong(place, "{} beside {} is not supported", alone, shown(other(keywords, alone)));
            if (std::string_view(alone) == "$ref") return reference(json["$ref"], place);
            return alternatives(json[alone], place, alone, depth);
        }
        if (keywords.contains("enum") || keywords.contains("const")) return constants(json, keywords, place);
        return typed(json, keywords, place, depth);
    }
    static std::string other(const std::set<std::string>& keywords, std::string_view than) {
        return *std::ranges::find_if(keywords, [&](const std::string& name) { return name != than; });
    }

    Result<Expr> reference(const Json& json, const std::string& place) {
        if (!json.is_string()) return wrong(place, "$ref is not a text");
        const auto pointer = json.get<std::string>();
        const bool inDefs = pointer.starts_with("#/$defs/") || pointer.starts_with("#/definitions/");
        const bool plain =
            std::ranges::count(pointer, '/') == 2 && pointer.find_first_of("~%") == std::string::npos;
        if (pointer != "#" && !(inDefs && plain))
            return wrong(place, "$ref {} points elsewhere than to # or into $defs", shown(pointer));
        if (m_pointed.size() > kMostNesting) return wrong(place, "more than {} references", kMostNesting);
        return ruleFor(pointer);
    }

    Result<Expr> alternatives(const Json& json, const std::string& place, std::string_view keyword,
                              uint32_t depth) {
        if (!json.is_array() || json.empty()) return wrong(place, "{} is not a list of schemas", keyword);
        if (keyword == "oneOf" && !exclude(json))
            return wrong(place,
                         "oneOf is only supported where its schemas have different types, and does not");
        Expr out = choice({});
        for (size_t i = 0; i < json.size(); ++i) {
            INGLE_TRY_ASSIGN(Expr one,
                             schema(json[i], fmt::format("{}/{}/{}", place, keyword, i), depth + 1));
            out.parts.push_back(std::move(one));
        }
        return out;
    }
    /// True when no value can follow two of the schemas: each names one type, and another. An integer is a
    /// number.
    static bool exclude(const Json& schemas) {
        std::set<std::string> seen;
        for (const Json& schema : schemas) {
            if (!schema.is_object() || !schema.contains("type") || !schema["type"].is_string()) return false;
            auto type = schema["type"].get<std::string>();
            if (type == "integer") type = "number";
            if (!seen.insert(type).second) return false;
        }
        return true;
    }

    Result<Expr> constants(const Json& json, const std::set<std::string>& keywords,
                           const std::string& place) {
        for (const std::string& name : keywords)
            if (name != "enum" && name != "const" && name != "type")
                return wrong(place, "{} beside enum or const is not supported", shown(name));
        if (json.contains("enum") && json.contains("const"))
            return wrong(place, "enum beside const is not supported");
        const Json values = json.contains("enum") ? json["enum"] : Json::array({json["const"]});
        if (!values.is_array() || values.empty()) return wrong(place, "enum is not a list of values");
        std::vector<std::string> types;
        if (json.contains("type")) {
            INGLE_TRY_ASSIGN(types, typeNames(json["type"], place));
        }
        Expr out = choice({});
        for (const Json& value : values)
            if (types.empty() ||
                std::ranges::any_of(types, [&](const auto& type) { return isOf(value, type); }))
                out.parts.push_back(literal(value.dump()));
        if (out.parts.empty()) return wrong(place, "no value of enum has the type");
        return out;
    }
    static bool isOf(const Json& value, std::string_view type) {
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        return std::string_view(value.type_name()) == type;
    }

    static Result<std::vector<std::string>> typeNames(const Json& json, const std::string& place) {
        std::vector<std::string> names;
        for (const Json& name : json.is_array() ? json : Json::array({json})) {
            if (!name.is_string() || std::ranges::find(kTypes, name.get<std::string>()) == std::end(kTypes))
                return wrong(place, "type names no type");
            names.push_back(name.get<std::string>());
        }
        if (names.empty()) return wrong(place, "type names no type");
        return names;
    }

    Result<Expr> typed(const Json& json, const std::set<std::string>& keywords, const std::string& place,
                       uint32_t depth) {
        std::vector<std::string> types;
        if (keywords.contains("type")) {
            INGLE_TRY_ASSIGN(types, typeNames(json["type"], place));
        }
        const bool isStated = !types.empty();
        for (const std::string& name : keywords) {
            if (name == "type") continue;
            const auto known = std::ranges::find(kTyped, name, &Keyword::name);
            if (known == std::end(kTyped))
                return wrong(place, "the keyword {} is not supported", shown(name));
            const bool isThere = std::ranges::find(types, known->type) != types.end();
            if (isThere) continue;
            if (isStated) return wrong(place, "{} says nothing about the type that is asked for", name);
            types.emplace_back(known->type);
        }
        if (types.empty()) return anyValue();
        Expr out = choice({});
        for (const std::string& type : types) {
            INGLE_TRY_ASSIGN(Expr one, ofType(type, json, place, depth));
            out.parts.push_back(std::move(one));
        }
        return out;
    }

    Result<Expr> ofType(std::string_view type, const Json& json, const std::string& place, uint32_t depth) {
        // Rules of their own, so that what holds them may name them twice and stay small.
        if (type == "object" || type == "array") {
            INGLE_TRY_ASSIGN(Expr body,
                             type == "object" ? object(json, place, depth) : array(json, place, depth));
            const uint32_t rule = addRule(place);
            m_rules.all[rule].body = std::move(body);
            return ruleRef(rule);
        }
        if (type == "string") return string(json, place);
        if (type == "integer") return integer(json, place);
        if (type == "number") return anyNumber();
        if (type == "boolean") return choice({literal("true"), literal("false")});
        return literal("null");
    }

    static Result<uint32_t> count(const Json& json, const char* name, uint32_t usual,
                                  const std::string& place) {
        if (!json.contains(name)) return usual;
        if (!json[name].is_number_unsigned() || json[name].get<uint64_t>() > kMostRepeats)
            return wrong(place, "{} is not a whole number up to {}", name, kMostRepeats);
        return json[name].get<uint32_t>();
    }

    Result<Expr> string(const Json& json, const std::string& place) {
        if (json.contains("format")) {
            if (json.contains("minLength") || json.contains("maxLength"))
                return wrong(place, "format beside a length is not supported");
            auto known =
                json["format"].is_string() ? stringOfFormat(json["format"].get<std::string>()) : std::nullopt;
            if (!known) return wrong(place, "this format is not supported");
            return std::move(*known);
        }
        INGLE_TRY_ASSIGN(const uint32_t min, count(json, "minLength", 0, place));
        INGLE_TRY_ASSIGN(const uint32_t max, count(json, "maxLength", kUnbounded, place));
        if (max < min) return wrong(place, "maxLength is less than minLength");
        return anyString(min, max);
    }

    Result<Expr> integer(const Json& json, const std::string& place) {
        std::optional<int64_t> bounds[2];
        for (const size_t i : {0, 1}) {
            const char* name = i == 0 ? "minimum" : "maximum";
            if (!json.contains(name)) continue;
            const bool tooLarge = json[name].is_number_unsigned() && json[name].get<uint64_t>() > INT64_MAX;
            if (!json[name].is_number_integer() || tooLarge)
                return wrong(place, "{} is not a whole number of 64 bits", name);
            bounds[i] = json[name].get<int64_t>();
        }
        if (bounds[0] && bounds[1] && *bounds[1] < *bounds[0])
            return wrong(place, "maximum is less than minimum");
        if (!bounds[0] && !bounds[1]) return anyInteger();
        return integersFrom(bounds[0], bounds[1]);
    }

    Result<Expr> array(const Json& json, const std::string& place, uint32_t depth) {
        INGLE_TRY_ASSIGN(const uint32_t min, count(json, "minItems", 0, place));
        INGLE_TRY_ASSIGN(const uint32_t max, count(json, "maxItems", kUnbounded, place));
        if (max < min) return wrong(place, "maxItems is less than minItems");
        const bool others = !json.contains("items") || json["items"] != false;
        Expr one;
        if (others) {
            INGLE_TRY_ASSIGN(one, json.contains("items") ? schema(json["items"], place + "/items", depth + 1)
                                                         : Result<Expr>(anyValue()));
        }
        if (!json.contains("prefixItems")) {
            if (!others && min > 0) return wrong(place, "minItems asks for items, and items allows none");
            return list("[", one, min, others ? max : 0, "]");
        }
        if (!json["prefixItems"].is_array() || json["prefixItems"].empty())
            return wrong(place, "prefixItems is not a list of schemas");
        const auto numPrefix =
            static_cast<uint32_t>(std::min<size_t>(json["prefixItems"].size(), kMostRepeats));
        if (max < numPrefix) return wrong(place, "maxItems is less than there are prefixItems");
        if (!others && min > numPrefix) return wrong(place, "minItems asks for more items than are allowed");
        Expr inner;
        for (uint32_t i = 0; i < numPrefix; ++i) {
            const std::string at = fmt::format("{}/prefixItems/{}", place, i);
            INGLE_TRY_ASSIGN(Expr item, schema(json["prefixItems"][i], at, depth + 1));
            if (i > 0) inner.parts.push_back(comma());
            inner.parts.push_back(std::move(item));
        }
        // Further ones only where they are spoken of.
        const uint32_t least = min > numPrefix ? min - numPrefix : 0;
        const uint32_t most = max == kUnbounded ? kUnbounded : max - numPrefix;
        if (others && (json.contains("items") || least > 0))
            inner.parts.push_back(repeat(sequence({comma(), one}), least, most));
        return sequence({literal("["), blank(), std::move(inner), blank(), literal("]")});
    }

    Result<Expr> object(const Json& json, const std::string& place, uint32_t depth) {
        static const Json kNone = Json::object();
        const Json& properties = json.contains("properties") ? json["properties"] : kNone;
        if (!properties.is_object()) return wrong(place, "properties is not an object");
        std::set<std::string> required;
        if (json.contains("required")) {
            if (!json["required"].is_array()) return wrong(place, "required is not a list of names");
            for (const Json& name : json["required"]) {
                if (!name.is_string()) return wrong(place, "required is not a list of names");
                if (!properties.contains(name.get<std::string>()))
                    return wrong(place, "required names {}, which properties does not",
                                 shown(name.get<std::string>()));
                required.insert(name.get<std::string>());
            }
        }
        std::vector<std::string> names;
        for (const auto& [name, value] : properties.items()) names.push_back(name);
        Expr more = choice({});  // one member that is not named
        const bool open =
            json.contains("additionalProperties") ? json["additionalProperties"] != false : names.empty();
        if (open) {
            INGLE_TRY_ASSIGN(Expr value, json.contains("additionalProperties")
                                             ? schema(json["additionalProperties"],
                                                      place + "/additionalProperties", depth + 1)
                                             : Result<Expr>(anyValue()));
            more = member(stringExcept(names), std::move(value));
        }
        // What may follow behind the members before, where one was written, and where none was.
        const Expr rest = repeat(sequence({comma(), more}), 0, open ? kUnbounded : 0);
        uint32_t afterSome = addRule(place), afterNone = addRule(place);
        m_rules.all[afterSome].body = rest;
        m_rules.all[afterNone].body = open ? repeat(sequence({more, rest}), 0, 1) : Expr{};
        for (size_t i = names.size(); i-- > 0;) {
            INGLE_TRY_ASSIGN(Expr value, schema(properties[names[i]],
                                                fmt::format("{}/properties/{}", place, names[i]), depth + 1));
            const Expr written =
                sequence({member(literal(Json(names[i]).dump()), std::move(value)), ruleRef(afterSome)});
            const bool optional = !required.contains(names[i]);
            Expr some = choice({sequence({comma(), written})}), none = choice({written});
            if (optional) some.parts.push_back(ruleRef(afterSome));
            if (optional) none.parts.push_back(ruleRef(afterNone));
            afterSome = addRule(place);
            m_rules.all[afterSome].body = std::move(some);
            afterNone = addRule(place);
            m_rules.all[afterNone].body = std::move(none);
        }
        return sequence({literal("{"), blank(), ruleRef(afterNone), blank(), literal("}")});
    }

    const Json& m_schema;
    Rules m_rules;
    std::map<std::string, uint32_t> m_pointed;
    std::optional<uint32_t> m_any;
    size_t m_numSchemas = 0;
};

}  // namespace

Result<Rules> parseJsonSchema(std::string_view text) {
    if (text.size() > kMostTextBytes)
        return fail(ErrorCode::InvalidArgument, "the schema has more than {} bytes", kMostTextBytes);
    // Values are copied and written out recursively.
    uint32_t depth = 0;
    const auto tooDeep = [&](int level, Json::parse_event_t, Json&) {
        depth = std::max(depth, static_cast<uint32_t>(level));
        return true;
    };
    const Json json = Json::parse(text, tooDeep, false);
    if (json.is_discarded()) return fail(ErrorCode::InvalidArgument, "the schema is not JSON");
    if (depth > 4 * kMostNesting) return fail(ErrorCode::InvalidArgument, "the schema is nested too deeply");
    return Translator(json).translate();
}

}  // namespace ingle::grammar
