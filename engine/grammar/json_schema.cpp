#include "engine/grammar/json_schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/grammar/json_text.h"
#include "engine/grammar/pattern.h"
#include "engine/grammar/schema_form.h"
#include "engine/grammar/schema_join.h"

namespace ingle::grammar {
namespace {

using Json = SchemaDocument::Json;

/// A keyword and the type it is about.
struct Keyword {
    std::string_view name, type;
};
constexpr Keyword kTyped[] = {{"properties", "object"},
                              {"required", "object"},
                              {"additionalProperties", "object"},
                              {"minProperties", "object"},
                              {"maxProperties", "object"},
                              {"propertyNames", "object"},
                              {"patternProperties", "object"},
                              {"dependentRequired", "object"},
                              {"dependentSchemas", "object"},
                              {"items", "array"},
                              {"prefixItems", "array"},
                              {"additionalItems", "array"},
                              {"minItems", "array"},
                              {"maxItems", "array"},
                              {"uniqueItems", "array"},
                              {"contains", "array"},
                              {"minLength", "string"},
                              {"maxLength", "string"},
                              {"pattern", "string"},
                              {"format", "string"},
                              {"minimum", "number"},
                              {"maximum", "number"},
                              {"exclusiveMinimum", "number"},
                              {"exclusiveMaximum", "number"},
                              {"multipleOf", "number"}};

Expr none() {
    return choice({});
}

class Translator {
  public:
    explicit Translator(const SchemaDocument& document, const SchemaCheck& check)
        : m_document(document), m_check(check) {}

    Result<Rules> translate() {
        // Vocabularies put a blank before the first word.
        m_rules.root = ruleOf("root", sequence({repeat(literal(" "), 0, 1), ruleFor("#")})).rule;
        while (!m_waiting.empty()) {
            const std::string pointer = std::move(m_waiting.back());
            m_waiting.pop_back();
            INGLE_TRY_ASSIGN(Expr body, schema(*m_document.at(pointer), pointer, 0));
            m_rules.all[m_pointed[pointer]].body = std::move(body);
        }
        return std::move(m_rules);
    }
    /// Rules do not keep all that the schema asks for.
    bool needsCheck() const { return m_needsCheck; }

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
    Expr ruleOf(std::string name, Expr body) {
        const uint32_t rule = addRule(std::move(name));
        m_rules.all[rule].body = std::move(body);
        return ruleRef(rule);
    }
    /// One rule for all that have this name.
    template <typename Make>
    Expr shared(const char* name, Make make) {
        const auto [known, isNew] = m_shared.try_emplace(name, 0);
        if (isNew) known->second = ruleOf(name, make()).rule;
        return ruleRef(known->second);
    }

    /// The schema that a $ref points to, as a rule, which translate() makes.
    Expr ruleFor(const std::string& pointer) {
        const auto [known, isNew] = m_pointed.try_emplace(pointer, 0);
        if (isNew) {
            known->second = addRule(pointer);
            m_waiting.push_back(pointer);
        }
        return ruleRef(known->second);
    }

    /// Any JSON value.
    Expr anyValue() {
        if (!m_any) {
            m_any = addRule("any value");
            const Expr value = ruleRef(*m_any);
            m_rules.all[*m_any].body =
                choice({list("{", member(plainString(), value), 0, kUnbounded, "}"),
                        list("[", value, 0, kUnbounded, "]"), plainString(), plainNumber(), literal("true"),
                        literal("false"), literal("null")});
        }
        return ruleRef(*m_any);
    }
    Expr plainString() {
        return shared("any string", [] { return anyString(0, kUnbounded); });
    }
    /// White space between pieces.
    Expr space() { return shared("white space", blank); }
    Expr plainNumber() { return shared("any number", anyNumber); }

    Expr comma() { return sequence({literal(","), space()}); }
    Expr member(Expr key, Expr value) {
        return sequence({std::move(key), literal(":"), space(), std::move(value)});
    }
    Expr list(std::string_view open, const Expr& one, uint32_t min, uint32_t max, std::string_view close) {
        const uint32_t others = max == kUnbounded ? kUnbounded : max - 1;
        Expr inner = max == 0
                         ? Expr{}
                         : sequence({one, repeat(sequence({comma(), one}), min > 0 ? min - 1 : 0, others)});
        if (min == 0) inner = repeat(std::move(inner), 0, 1);
        return sequence({literal(open), space(), std::move(inner), space(), literal(close)});
    }

    Result<Expr> schema(const Json& json, const std::string& place, uint32_t depth) {
        if (depth > kMostNesting) return wrong(place, "more than {} schemas inside each other", kMostNesting);
        if (m_budget == 0) return wrong(place, "more than {} schemas", kMostNodes);
        --m_budget;
        if (json == true) return anyValue();
        if (json == false) return none();
        // Most schemas combine nothing, or do nothing else.
        size_t numConstraints = 0, numCombining = 0;
        for (auto each = json.begin(); each != json.end(); ++each) {
            const std::string& name = each.key();
            if (isConstraint(name)) ++numConstraints;
            if (name == "$ref" || name == "allOf" || name == "anyOf" || name == "oneOf") ++numCombining;
        }
        if (numCombining == 0) return plain(json, place, depth);
        if (numCombining == 1 && numConstraints == 0) {
            if (json.contains("$ref")) return ruleFor(json["$ref"].get<std::string>());
            for (const char* name : {"anyOf", "oneOf"})
                if (json.contains(name)) return alternatives(json[name], place, name, depth);
            if (json["allOf"].size() == 1) return schema(json["allOf"][0], place + "/allOf/0", depth + 1);
        }
        JoinedSchema joined;
        INGLE_TRY(join(joined, json, m_document, place, m_budget));
        return together(joined, place, depth + 1);
    }

    Result<Expr> alternatives(const Json& json, const std::string& place, std::string_view keyword,
                              uint32_t depth) {
        if (keyword == "oneOf" && !excludeEachOther(json, m_document)) m_needsCheck = true;
        Expr out = none();
        for (size_t i = 0; i < json.size(); ++i) {
            INGLE_TRY_ASSIGN(Expr one,
                             schema(json[i], fmt::format("{}/{}/{}", place, keyword, i), depth + 1));
            out.parts.push_back(std::move(one));
        }
        return out;
    }

    /// Each of the alternatives with all else.
    Result<Expr> together(const JoinedSchema& joined, const std::string& place, uint32_t depth) {
        if (depth > kMostNesting) return wrong(place, "more than {} schemas inside each other", kMostNesting);
        if (joined.isNever) return none();
        m_needsCheck = m_needsCheck || joined.isLoose;
        if (joined.alternatives.empty()) return plain(joined.keywords, place, depth);
        Expr out = none();
        size_t copied = sizeOf(joined.keywords);
        for (const Json& each : joined.alternatives) copied += sizeOf(each);
        for (const Json& each : joined.alternatives.back()) {
            INGLE_TRY(m_document.spend(16 * copied));
            JoinedSchema one = joined;
            one.alternatives.pop_back();
            INGLE_TRY(join(one, each, m_document, place, m_budget));
            INGLE_TRY_ASSIGN(Expr expr, together(one, place, depth + 1));
            out.parts.push_back(std::move(expr));
        }
        return out;
    }

    /// A schema that combines no others.
    Result<Expr> plain(const Json& json, const std::string& place, uint32_t depth) {
        for (auto each = json.begin(); each != json.end(); ++each)
            if (isOnlyChecked(each.key()) && !isKept(each.key(), json)) m_needsCheck = true;
        if (json.contains("enum") || json.contains("const")) return constants(json);
        return typed(json, place, depth);
    }
    /// Whether what is written keeps a keyword that is checked otherwise.
    static bool isKept(const std::string& name, const Json& json) {
        if (name == "uniqueItems") return json[name] != true;
        if (name != "minProperties") return false;
        return json.contains("required") && json[name] <= json["required"].size();
    }

    Result<Expr> constants(const Json& json) const {
        INGLE_TRY(m_document.spend(2 * sizeOf(json)));
        Json others = json;  // each value is one of them
        others.erase("enum");
        others.erase("const");
        const Json values = json.contains("enum") ? json["enum"] : Json::array({json["const"]});
        INGLE_TRY(m_document.spend(16 * sizeOf(values)));
        Expr out = none();
        for (const Json& value : values) {
            INGLE_TRY_ASSIGN(const bool isAccepted, m_check.accepts(value, others));
            const bool isConstant = !json.contains("const") || SchemaCheck::isSame(value, json["const"]);
            if (isAccepted && isConstant) out.parts.push_back(literal(value.dump()));
        }
        return out;
    }

    Result<Expr> typed(const Json& json, const std::string& place, uint32_t depth) {
        std::vector<std::string> types;
        if (json.contains("type")) {
            for (const Json& name : json["type"].is_array() ? json["type"] : Json::array({json["type"]}))
                types.push_back(name.get<std::string>());
        } else {
            for (const Keyword& known : kTyped)
                if (json.contains(known.name) && std::ranges::find(types, known.type) == types.end())
                    types.emplace_back(known.type);
        }
        if (types.empty()) return anyValue();
        Expr out = none();
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
            return ruleOf(place, std::move(body));
        }
        if (type == "string") return string(json, place);
        if (type == "integer") return integer(json, place);
        if (type == "number") return number(json, place);
        if (type == "boolean") return choice({literal("true"), literal("false")});
        return literal("null");
    }

    /// The argument `usual` where there is none, or one that is too large to be kept by rules.
    uint32_t most(const Json& json, const char* name) {
        if (!json.contains(name)) return kUnbounded;
        const auto given = json[name].get<uint32_t>();
        if (given <= kMostRepeats) return given;
        m_needsCheck = true;
        return kUnbounded;
    }
    static Result<uint32_t> least(const Json& json, const char* name, uint32_t most,
                                  const std::string& place) {
        const uint32_t given = json.contains(name) ? json[name].get<uint32_t>() : 0;
        if (given > kMostRepeats) return wrong(place, "{} is more than {}", name, kMostRepeats);
        if (given > most)
            return wrong(place, "max{} is less than {}", std::string_view(name).substr(3), name);
        return given;
    }

    Result<Expr> string(const Json& json, const std::string& place) {
        const LengthRange length{0, most(json, "maxLength")};
        INGLE_TRY_ASSIGN(const uint32_t min, least(json, "minLength", length.most, place));
        const bool hasLength = min > 0 || length.most != kUnbounded;
        if (json.contains("pattern")) {
            auto pattern = parsePattern(json["pattern"].get_ref<const std::string&>());
            if (pattern) {
                m_needsCheck = m_needsCheck || json.contains("format");
                if (!restrictLength(*pattern, {min, length.most})) m_needsCheck = true;
                return sequence({literal("\""), insideString(*pattern), literal("\"")});
            }
            m_needsCheck = true;
        } else if (json.contains("format")) {
            if (auto known = stringOfFormat(json["format"].get<std::string>())) {
                m_needsCheck = m_needsCheck || hasLength;
                return *std::move(known);
            }
        }
        if (!hasLength) return plainString();
        const Expr one = shared("character", stringCharacter);
        return sequence({literal("\""), repeat(one, min, length.most), literal("\"")});
    }

    /// The limit of a kind that JSON schemas can say in two ways; nothing: there is none.
    static std::optional<NumberLimit> limitOf(const Json& json, bool isMinimum, bool& isLoose) {
        std::optional<NumberLimit> found;
        double tightest = 0;
        for (const bool isExcluded : {false, true}) {
            const char* name = isMinimum ? (isExcluded ? "exclusiveMinimum" : "minimum")
                                         : (isExcluded ? "exclusiveMaximum" : "maximum");
            if (!json.contains(name) || !json[name].is_number()) continue;
            const char* flag = isMinimum ? "exclusiveMinimum" : "exclusiveMaximum";
            const bool isFlagged = !isExcluded && json.contains(flag) && json[flag] == true;  // of draft 4
            const auto value = json[name].get<double>();
            const bool isTighter = !found || (isMinimum ? value > tightest : value < tightest) ||
                                   (value == tightest && isExcluded);
            if (!isTighter) continue;
            tightest = value;
            found = numberLimit(value, isExcluded || isFlagged);
            if (!found) isLoose = true;
        }
        return found;
    }

    Result<Expr> number(const Json& json, const std::string& place) {
        bool isLoose = false;
        const auto min = limitOf(json, true, isLoose), max = limitOf(json, false, isLoose);
        m_needsCheck = m_needsCheck || isLoose;
        if (!min && !max) return plainNumber();
        if (min && max && std::stod(min->digits) > std::stod(max->digits))
            return wrong(place, "maximum is less than minimum");
        return numbersFrom(min, max);
    }

    /// The least (or the largest) whole number that is allowed. Errors: one beyond 64 bits.
    static Result<std::optional<int64_t>> wholeLimit(const Json& json, bool isMinimum,
                                                     const std::string& place) {
        std::optional<int64_t> found;
        const char* names[] = {isMinimum ? "minimum" : "maximum",
                               isMinimum ? "exclusiveMinimum" : "exclusiveMaximum"};
        for (const bool isExcluded : {false, true}) {
            const char* name = names[isExcluded ? 1 : 0];
            if (!json.contains(name) || !json[name].is_number()) continue;
            const Json& given = json[name];
            constexpr double kMost = 9.2e18;
            const bool isTooLarge = (given.is_number_unsigned() && given.get<uint64_t>() > INT64_MAX) ||
                                    (given.is_number_float() && std::abs(given.get<double>()) > kMost);
            if (isTooLarge) return wrong(place, "{} is not a number of 64 bits", name);
            const bool isWhole =
                given.is_number_integer() || std::trunc(given.get<double>()) == given.get<double>();
            int64_t value = given.is_number_integer() ? given.get<int64_t>()
                            : isMinimum               ? static_cast<int64_t>(std::ceil(given.get<double>()))
                                                      : static_cast<int64_t>(std::floor(given.get<double>()));
            const bool isFlagged =
                !isExcluded && json.contains(names[1]) && json[names[1]] == true;  // draft 4
            if (isWhole && (isExcluded || isFlagged)) {
                if (value == (isMinimum ? INT64_MAX : INT64_MIN))
                    return wrong(place, "{} allows nothing", name);
                value += isMinimum ? 1 : -1;
            }
            if (!found || (isMinimum ? value > *found : value < *found)) found = value;
        }
        return found;
    }

    Result<Expr> integer(const Json& json, const std::string& place) {
        INGLE_TRY_ASSIGN(const auto min, wholeLimit(json, true, place));
        INGLE_TRY_ASSIGN(const auto max, wholeLimit(json, false, place));
        if (min && max && *max < *min) return wrong(place, "maximum is less than minimum");
        if (!min && !max) return shared("any integer", anyInteger);
        return integersFrom(min, max);
    }

    Result<Expr> array(const Json& json, const std::string& place, uint32_t depth) {
        const uint32_t max = most(json, "maxItems");
        INGLE_TRY_ASSIGN(const uint32_t min, least(json, "minItems", max, place));
        // Lists of older drafts are called so, too.
        const bool isOld = json.contains("items") && json["items"].is_array();
        const char* othersName = isOld ? "additionalItems" : "items";
        const char* prefixName = isOld ? "items" : "prefixItems";
        const bool speaksOfOthers = json.contains(othersName);
        const bool mayHaveOthers = !speaksOfOthers || json[othersName] != false;
        Expr one = none();
        if (mayHaveOthers) {
            INGLE_TRY_ASSIGN(one, speaksOfOthers ? schema(json[othersName],
                                                          fmt::format("{}/{}", place, othersName), depth + 1)
                                                 : Result<Expr>(anyValue()));
        }
        const size_t given = json.contains(prefixName) ? json[prefixName].size() : 0;
        const auto numPrefix = static_cast<uint32_t>(std::min<size_t>({given, max, kMostRepeats}));
        if (!mayHaveOthers && min > numPrefix)
            return wrong(place, "minItems asks for more items than are allowed");
        if (numPrefix == 0) return list("[", one, min, mayHaveOthers ? max : 0, "]");
        Expr inner;
        for (uint32_t i = 0; i < numPrefix; ++i) {
            INGLE_TRY_ASSIGN(Expr item, schema(json[prefixName][i],
                                               fmt::format("{}/{}/{}", place, prefixName, i), depth + 1));
            if (i > 0) inner.parts.push_back(comma());
            inner.parts.push_back(std::move(item));
        }
        // Further ones only where they are spoken of.
        const uint32_t fewest = min > numPrefix ? min - numPrefix : 0;
        const uint32_t further = max == kUnbounded ? kUnbounded : max - numPrefix;
        if (mayHaveOthers && (speaksOfOthers || fewest > 0))
            inner.parts.push_back(repeat(sequence({comma(), one}), fewest, further));
        return sequence({literal("["), space(), std::move(inner), space(), literal("]")});
    }

    /// Members that are named, in the order given, with what is asked of them. Names that have to be there
    /// come last where nothing else is said of them.
    static std::vector<std::pair<std::string, const Json*>> namedMembers(const Json& json) {
        static const Json kAnything = true;
        std::vector<std::pair<std::string, const Json*>> named;
        std::set<std::string> known;
        if (json.contains("properties")) {
            const Json& properties = json["properties"];
            for (auto each = properties.begin(); each != properties.end(); ++each) {
                named.emplace_back(each.key(), &*each);
                known.insert(each.key());
            }
        }
        if (!json.contains("required")) return named;
        const Json* others =
            json.contains("additionalProperties") ? &json["additionalProperties"] : &kAnything;
        if (json.contains("patternProperties")) others = &kAnything;  // patterns may allow it
        for (const Json& name : json["required"])
            if (known.insert(name.get<std::string>()).second)
                named.emplace_back(name.get<std::string>(), others);
        return named;
    }

    /// One member that is not named.
    Result<Expr> otherMember(const Json& json, const std::vector<std::string>& names,
                             const std::string& place, uint32_t depth) {
        const bool isOpen =
            json.contains("additionalProperties") ? json["additionalProperties"] != false : names.empty();
        Expr out = none();
        if (json.contains("patternProperties") && !(isOpen && json.contains("additionalProperties"))) {
            const Json& patterns = json["patternProperties"];
            for (auto each = patterns.begin(); each != patterns.end(); ++each) {
                const auto key = parsePattern(each.key());
                if (!key) continue;
                INGLE_TRY_ASSIGN(Expr value, schema(*each, place + "/patternProperties", depth + 1));
                out.parts.push_back(
                    member(sequence({literal("\""), insideString(*key), literal("\"")}), std::move(value)));
            }
            return out;
        }
        if (!isOpen) return out;
        INGLE_TRY_ASSIGN(
            Expr value, json.contains("additionalProperties")
                            ? schema(json["additionalProperties"], place + "/additionalProperties", depth + 1)
                            : Result<Expr>(anyValue()));
        Expr key = names.empty() ? plainString() : stringExcept(names);
        if (json.contains("propertyNames")) {
            Json wanted = json["propertyNames"];
            if (wanted.is_object()) {
                if (!wanted.contains("type") && !wanted.contains("$ref")) wanted["type"] = "string";
                INGLE_TRY_ASSIGN(key, schema(wanted, place + "/propertyNames", depth + 1));
            }
        }
        out.parts.push_back(member(std::move(key), std::move(value)));
        return out;
    }

    Result<Expr> object(const Json& json, const std::string& place, uint32_t depth) {
        std::set<std::string> required;
        if (json.contains("required"))
            for (const Json& name : json["required"]) required.insert(name.get<std::string>());
        const auto named = namedMembers(json);
        std::vector<std::string> names;
        names.reserve(named.size());
        for (const auto& each : named) names.push_back(each.first);
        INGLE_TRY_ASSIGN(Expr more, otherMember(json, names, place, depth));
        const bool isOpen = !more.parts.empty();
        if (isOpen && names.empty()) return openObject(json, more, place);
        // What may follow behind the members before, where one was written, and where none was.
        const Expr rest = repeat(sequence({comma(), more}), 0, isOpen ? kUnbounded : 0);
        uint32_t afterSome = addRule(place), afterNone = addRule(place);
        m_rules.all[afterSome].body = rest;
        m_rules.all[afterNone].body = isOpen ? repeat(sequence({more, rest}), 0, 1) : Expr{};
        for (size_t i = named.size(); i-- > 0;) {
            INGLE_TRY_ASSIGN(Expr value, schema(*named[i].second,
                                                fmt::format("{}/properties/{}", place, names[i]), depth + 1));
            const Expr written = ruleOf(
                place,
                sequence({member(literal(Json(names[i]).dump()), std::move(value)), ruleRef(afterSome)}));
            const bool optional = !required.contains(names[i]);
            Expr some = choice({sequence({comma(), written})}), noneYet = choice({written});
            if (optional) some.parts.push_back(ruleRef(afterSome));
            if (optional) noneYet.parts.push_back(ruleRef(afterNone));
            afterSome = addRule(place);
            m_rules.all[afterSome].body = std::move(some);
            afterNone = addRule(place);
            m_rules.all[afterNone].body = std::move(noneYet);
        }
        return sequence({literal("{"), space(), ruleRef(afterNone), space(), literal("}")});
    }

    /// Without named members their number can be kept; that no name stands there twice is checked.
    Result<Expr> openObject(const Json& json, const Expr& one, const std::string& place) {
        const uint32_t max = most(json, "maxProperties");
        INGLE_TRY_ASSIGN(const uint32_t min, least(json, "minProperties", max, place));
        return list("{", one, min, max, "}");
    }

    const SchemaDocument& m_document;
    const SchemaCheck& m_check;
    Rules m_rules;
    std::map<std::string, uint32_t> m_pointed;
    std::map<std::string, uint32_t> m_shared;
    std::optional<uint32_t> m_any;
    std::vector<std::string> m_waiting;  ///< pointers to schemas that are still to be translated
    size_t m_budget = kMostNodes;        ///< schemas that may still be looked at
    bool m_needsCheck = false;
};

}  // namespace

Result<SchemaRules> readJsonSchema(std::string_view text) {
    INGLE_TRY_ASSIGN(SchemaDocument parsed, SchemaDocument::parse(text));
    const auto document = std::make_shared<const SchemaDocument>(std::move(parsed));
    INGLE_TRY(SchemaForm(*document).check(document->root(), "#"));
    auto check = std::make_shared<const SchemaCheck>(document);
    Translator translator(*document, *check);
    SchemaRules out;
    INGLE_TRY_ASSIGN(out.rules, translator.translate());
    if (translator.needsCheck()) out.check = std::move(check);
    return out;
}

Result<Rules> parseJsonSchema(std::string_view text) {
    INGLE_TRY_ASSIGN(SchemaRules schema, readJsonSchema(text));
    if (schema.check)
        return fail(ErrorCode::Unsupported,
                    "what the schema asks for can only be checked when a text is whole");
    return std::move(schema.rules);
}

}  // namespace ingle::grammar
