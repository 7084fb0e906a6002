#include "engine/grammar/schema_form.h"

#include <algorithm>

#include "engine/grammar/grammar.h"
#include "engine/grammar/schema_check.h"

namespace ingle::grammar {
namespace {

using Json = SchemaDocument::Json;

enum class Argument {
    Schema,
    Schemas,   ///< a list of them, not empty
    Map,       ///< an object of them
    Items,     ///< one, or a list
    Patterns,  ///< an object of them, by regular expressions
    Number,
    Limit,  ///< a number, or true or false (draft 4)
    Count,
    Text,
    Pattern,
    Names,
    NamesMap,  ///< an object of lists of names
    Types,
    Values,
    Flag,
    Refused,
};

struct Form {
    std::string_view keyword;
    Argument argument;
    std::string_view wanted;
};
constexpr std::string_view kSchemaWanted = "a schema", kSchemasWanted = "a list of schemas",
                           kMapWanted = "an object of schemas", kNumberWanted = "a number",
                           kTextWanted = "a text", kNamesWanted = "a list of names";
constexpr Form kForms[] = {
    {"allOf", Argument::Schemas, kSchemasWanted},
    {"anyOf", Argument::Schemas, kSchemasWanted},
    {"oneOf", Argument::Schemas, kSchemasWanted},
    {"prefixItems", Argument::Schemas, kSchemasWanted},
    {"not", Argument::Schema, kSchemaWanted},
    {"if", Argument::Schema, kSchemaWanted},
    {"then", Argument::Schema, kSchemaWanted},
    {"else", Argument::Schema, kSchemaWanted},
    {"contains", Argument::Schema, kSchemaWanted},
    {"propertyNames", Argument::Schema, kSchemaWanted},
    {"additionalProperties", Argument::Schema, kSchemaWanted},
    {"additionalItems", Argument::Schema, kSchemaWanted},
    {"items", Argument::Items, kSchemaWanted},
    {"properties", Argument::Map, kMapWanted},
    {"$defs", Argument::Map, kMapWanted},
    {"definitions", Argument::Map, kMapWanted},
    {"dependentSchemas", Argument::Map, kMapWanted},
    {"patternProperties", Argument::Patterns, "an object of schemas by regular expressions"},
    {"minimum", Argument::Number, kNumberWanted},
    {"maximum", Argument::Number, kNumberWanted},
    {"multipleOf", Argument::Number, kNumberWanted},
    {"exclusiveMinimum", Argument::Limit, kNumberWanted},
    {"exclusiveMaximum", Argument::Limit, kNumberWanted},
    {"minLength", Argument::Count, {}},
    {"maxLength", Argument::Count, {}},
    {"minItems", Argument::Count, {}},
    {"maxItems", Argument::Count, {}},
    {"minProperties", Argument::Count, {}},
    {"maxProperties", Argument::Count, {}},
    {"minContains", Argument::Count, {}},
    {"maxContains", Argument::Count, {}},
    {"format", Argument::Text, kTextWanted},
    {"$ref", Argument::Text, kTextWanted},
    {"pattern", Argument::Pattern, "a regular expression"},
    {"required", Argument::Names, kNamesWanted},
    {"dependentRequired", Argument::NamesMap, "an object of lists of names"},
    {"type", Argument::Types, "a type"},
    {"enum", Argument::Values, "a list of values"},
    {"uniqueItems", Argument::Flag, "true or false"},
    {"unevaluatedProperties", Argument::Refused, {}},
    {"unevaluatedItems", Argument::Refused, {}},
    {"$dynamicRef", Argument::Refused, {}},
    {"$recursiveRef", Argument::Refused, {}},
};
constexpr std::string_view kTypeNames[] = {"object", "array",   "string", "integer",
                                           "number", "boolean", "null"};

template <typename... Args>
tl::unexpected<Error> formError(const std::string& place, fmt::format_string<Args...> format,
                                Args&&... args) {
    return fail(ErrorCode::InvalidArgument, "{} at {} of the schema",
                fmt::format(format, std::forward<Args>(args)...), shown(place));
}

bool isSchema(const Json& json) {
    return json.is_object() || json.is_boolean();
}
bool isText(const Json& json) {
    return json.is_string();
}
bool isListOf(const Json& json, bool (*isOne)(const Json&)) {
    return json.is_array() && std::ranges::all_of(json, isOne);
}
bool isTypeName(const Json& json) {
    return json.is_string() && std::ranges::find(kTypeNames, json.get<std::string>()) != std::end(kTypeNames);
}
bool isCount(const Json& json) {
    return json.is_number() && json >= 0 && json <= UINT32_MAX && json == json.get<uint32_t>();
}

bool isFit(Argument argument, const Json& given) {
    const auto all = [&](bool (*isOne)(const Json&)) {
        return given.is_object() && std::ranges::all_of(given, isOne);
    };
    switch (argument) {
        case Argument::Schema:
            return isSchema(given);
        case Argument::Schemas:
            return !given.empty() && isListOf(given, isSchema);
        case Argument::Items:
            return isSchema(given) || isListOf(given, isSchema);
        case Argument::Map:
        case Argument::Patterns:
            return all(isSchema);
        case Argument::Number:
            return given.is_number();
        case Argument::Limit:
            return given.is_number() || given.is_boolean();
        case Argument::Count:
            return isCount(given);
        case Argument::Text:
        case Argument::Pattern:
            return given.is_string();
        case Argument::Names:
            return isListOf(given, isText);
        case Argument::NamesMap:
            return all([](const Json& names) { return isListOf(names, isText); });
        case Argument::Types:
            return isTypeName(given) || (!given.empty() && isListOf(given, isTypeName));
        case Argument::Values:
            return given.is_array() && !given.empty();
        case Argument::Flag:
            return given.is_boolean();
        case Argument::Refused:
            break;
    }
    return false;
}

}  // namespace

Status SchemaForm::check(const Json& schema, const std::string& place) {
    INGLE_TRY(checkOne(schema, place));
    while (!m_waiting.empty()) {
        const auto [next, pointer] = std::move(m_waiting.back());
        m_waiting.pop_back();
        INGLE_TRY(checkOne(*next, pointer));
    }
    return {};
}

Status SchemaForm::checkOne(const Json& schema, const std::string& place) {
    if (!schema.is_object()) {
        if (schema.is_boolean()) return {};
        return formError(place, "a schema is an object, true or false, and is not");
    }
    if (!m_seen.insert(&schema).second) return {};
    for (auto each = schema.begin(); each != schema.end(); ++each)
        INGLE_TRY(checkKeyword(each.key(), *each, place));
    return {};
}

Status SchemaForm::checkKeyword(const std::string& name, const Json& argument, const std::string& place) {
    const auto form = std::ranges::find(kForms, name, &Form::keyword);
    if (form == std::end(kForms)) return {};
    if (form->argument == Argument::Refused) return formError(place, "the keyword {} is not supported", name);
    if (!isFit(form->argument, argument)) {
        if (form->argument == Argument::Count)
            return formError(place, "{} is not a whole number up to {}", name, UINT32_MAX);
        return formError(place, "{} is not {}", name, form->wanted);
    }
    const std::string inside = fmt::format("{}/{}", place, name);
    switch (form->argument) {
        case Argument::Schema:
            return checkOne(argument, inside);
        case Argument::Items:
            return argument.is_array() ? checkEach(argument, inside) : checkOne(argument, inside);
        case Argument::Schemas:
        case Argument::Map:
            return checkEach(argument, inside);
        case Argument::Patterns:
            for (auto each = argument.begin(); each != argument.end(); ++each)
                if (!SchemaCheck::isPattern(each.key()))
                    return formError(inside, "{} is no regular expression", shown(each.key()));
            return checkEach(argument, inside);
        case Argument::Pattern:
            if (SchemaCheck::isPattern(argument.get_ref<const std::string&>())) return {};
            return formError(place, "pattern {} is no regular expression",
                             shown(argument.get<std::string>()));
        default:
            break;
    }
    if (name != "$ref") return {};
    const auto& pointer = argument.get_ref<const std::string&>();
    const Json* target = m_document.at(pointer);
    if (target == nullptr) return formError(pointer, "there is nothing");
    m_waiting.emplace_back(target, pointer);
    return {};
}

Status SchemaForm::checkEach(const Json& schemas, const std::string& place) {
    if (schemas.is_object()) {
        for (auto each = schemas.begin(); each != schemas.end(); ++each)
            INGLE_TRY(checkOne(*each, fmt::format("{}/{}", place, each.key())));
        return {};
    }
    for (size_t index = 0; index < schemas.size(); ++index)
        INGLE_TRY(checkOne(schemas[index], fmt::format("{}/{}", place, index)));
    return {};
}

}  // namespace ingle::grammar
