#include "engine/grammar/schema_join.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/grammar/grammar.h"
#include "engine/grammar/schema_check.h"

namespace ingle::grammar {
namespace {

using Json = SchemaDocument::Json;

constexpr uint32_t kMostJoins = 64;  // inside each other

/// Both hold; null: nothing is said.
Json both(const Json* a, const Json* b) {
    if (a == nullptr || *a == true) return b ? *b : Json(true);
    if (b == nullptr || *b == true || *a == *b) return *a;
    if (*a == false || *b == false) return false;
    return {{"allOf", Json::array({*a, *b})}};
}

const Json* memberOf(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

Json listOf(const Json& value) {
    return value.is_array() ? value : Json::array({value});
}

/// Types that both name.
Json commonTypes(const Json& a, const Json& b) {
    Json common = Json::array();
    for (const Json& one : listOf(a)) {
        for (const Json& other : listOf(b)) {
            if (one == other)
                common.push_back(one);
            else if ((one == "integer" && other == "number") || (one == "number" && other == "integer"))
                common.push_back("integer");
        }
    }
    return common;
}

/// What `schema` says of the member `name`; null: nothing.
const Json* ofMember(const Json& schema, const std::string& name) {
    if (const Json* properties = memberOf(schema, "properties"))
        if (const auto found = properties->find(name); found != properties->end()) return &*found;
    // What patterns say of it is checked at the end.
    return schema.contains("patternProperties") ? nullptr : memberOf(schema, "additionalProperties");
}

void joinMembers(Json& into, const Json& more) {
    constexpr const char* kNames[] = {"properties", "additionalProperties"};
    if (std::ranges::none_of(kNames, [&](const char* name) { return more.contains(name); })) return;
    Json properties = Json::object();
    for (const Json* each : {static_cast<const Json*>(&into), &more}) {
        const Json* named = memberOf(*each, "properties");
        if (named == nullptr) continue;
        for (auto member = named->begin(); member != named->end(); ++member)
            if (!properties.contains(member.key()))
                properties[member.key()] = both(ofMember(into, member.key()), ofMember(more, member.key()));
    }
    const Json* others = memberOf(into, "additionalProperties");
    const Json* moreOthers = memberOf(more, "additionalProperties");
    if (others || moreOthers) into["additionalProperties"] = both(others, moreOthers);
    if (!properties.empty()) into["properties"] = std::move(properties);
}

/// What `schema` says of the item `index`; null: nothing.
const Json* ofItem(const Json& schema, size_t index) {
    const Json* prefix = memberOf(schema, "prefixItems");
    if (prefix && index < prefix->size()) return &(*prefix)[index];
    return memberOf(schema, "items");
}

void joinItems(Json& into, const Json& more) {
    if (!more.contains("items") && !more.contains("prefixItems")) return;
    size_t count = 0;
    for (const Json* each : {static_cast<const Json*>(&into), &more})
        if (const Json* prefix = memberOf(*each, "prefixItems")) count = std::max(count, prefix->size());
    Json prefix = Json::array();
    for (size_t index = 0; index < count; ++index)
        prefix.push_back(both(ofItem(into, index), ofItem(more, index)));
    const Json* others = memberOf(into, "items");
    const Json* moreOthers = memberOf(more, "items");
    if (others || moreOthers) into["items"] = both(others, moreOthers);
    if (!prefix.empty()) into["prefixItems"] = std::move(prefix);
}

/// "items" that is a list, of older drafts, under its present name.
void modernise(Json& keywords) {
    const Json* items = memberOf(keywords, "items");
    if (items == nullptr || !items->is_array()) return;
    Json prefix = *items;
    keywords.erase("items");
    if (!prefix.empty()) keywords["prefixItems"] = std::move(prefix);
    if (const Json* others = memberOf(keywords, "additionalItems")) keywords["items"] = Json(*others);
}

/// How many members or values `name` has in both, which are looked for in each other.
size_t pairsOf(const Json& a, const Json& b, const char* name) {
    const auto count = [&](const Json& json) {
        const Json* list = memberOf(json, name);
        return list && list->is_structured() ? list->size() : 0;
    };
    const size_t all = count(a) + count(b);
    return count(b) == 0 ? count(a) : all * all;
}

/// Both hold.
Status joinKeywords(JoinedSchema& into, const Json& more, const SchemaDocument& document) {
    Json& keywords = into.keywords;
    for (const char* name : {"properties", "required", "enum", "patternProperties"})
        INGLE_TRY(document.spend(pairsOf(keywords, more, name)));
    INGLE_TRY(document.spend(2 * (sizeOf(keywords) + sizeOf(more))));  // both are copied where they meet
    joinMembers(keywords, more);
    joinItems(keywords, more);
    for (auto each = more.begin(); each != more.end(); ++each) {
        const std::string& name = each.key();
        if (name == "properties" || name == "additionalProperties" || name == "items" ||
            name == "prefixItems")
            continue;
        const auto found = keywords.find(name);
        if (found == keywords.end()) {
            keywords[name] = *each;
            continue;
        }
        Json& known = *found;
        if (known == *each) continue;
        if (name == "type") {
            known = commonTypes(known, *each);
            into.isNever = into.isNever || known.empty();
        } else if (name == "enum") {
            Json common = Json::array();
            for (const Json& value : known)
                if (std::ranges::any_of(*each,
                                        [&](const Json& other) { return SchemaCheck::isSame(value, other); }))
                    common.push_back(value);
            known = std::move(common);
            into.isNever = into.isNever || known.empty();
        } else if (name == "required") {
            for (const Json& member : *each)
                if (std::ranges::find(known, member) == known.end()) known.push_back(member);
        } else if (name.starts_with("min") || name == "exclusiveMinimum") {
            if (known.is_number() && each->is_number() && *each > known) known = *each;
        } else if (name.starts_with("max") || name == "exclusiveMaximum") {
            if (known.is_number() && each->is_number() && *each < known) known = *each;
        } else if (name == "uniqueItems") {
            known = true;
        } else if (name == "patternProperties") {
            for (auto pattern = each->begin(); pattern != each->end(); ++pattern)
                known[pattern.key()] = both(memberOf(known, pattern.key().c_str()), &*pattern);
        } else {
            into.isLoose = true;  // two patterns, and the like
        }
    }
    return {};
}

Status joinInside(JoinedSchema& into, const Json& schema, const SchemaDocument& document,
                  const std::string& place, size_t& budget, uint32_t depth) {
    if (depth > kMostJoins)
        return fail(ErrorCode::InvalidArgument, "references that go round in a circle at {} of the schema",
                    shown(place));
    if (budget-- == 0)
        return fail(ErrorCode::InvalidArgument, "more than {} schemas at {} of the schema", kMostNodes,
                    shown(place));
    if (schema == true) return {};
    if (schema == false) into.isNever = true;
    if (!schema.is_object()) return {};
    Json own = Json::object();
    for (auto each = schema.begin(); each != schema.end(); ++each)
        if (isConstraint(each.key())) own[each.key()] = *each;
    modernise(own);
    const Json* constant = memberOf(schema, "const");
    own.erase("const");
    INGLE_TRY(joinKeywords(into, own, document));
    if (constant) INGLE_TRY(joinKeywords(into, {{"enum", Json::array({*constant})}}, document));
    if (const Json* reference = memberOf(schema, "$ref")) {
        const auto& pointer = reference->get_ref<const std::string&>();
        INGLE_TRY(joinInside(into, *document.at(pointer), document, pointer, budget, depth + 1));
    }
    if (const Json* all = memberOf(schema, "allOf"))
        for (const Json& each : *all) INGLE_TRY(joinInside(into, each, document, place, budget, depth + 1));
    for (const char* name : {"anyOf", "oneOf"}) {
        const Json* some = memberOf(schema, name);
        if (some == nullptr) continue;
        INGLE_TRY(document.spend(16 * sizeOf(*some)));
        if (std::string_view(name) == "oneOf" && !excludeEachOther(*some, document)) into.isLoose = true;
        into.alternatives.push_back(*some);
    }
    return {};
}

/// What tells values of a schema apart at first sight.
struct Facts {
    std::set<std::string> types;       ///< an integer is a number; empty: not known
    Json values;                       ///< all that it allows; null: not known
    std::map<std::string, Json> tags;  ///< values of members that have to be there
};

Json valuesOf(const Json& schema) {
    if (const Json* constant = memberOf(schema, "const")) return Json::array({*constant});
    if (const Json* values = memberOf(schema, "enum")) return *values;
    return nullptr;
}

/// Follows references that stand alone.
const Json& behindReferences(const Json& schema, const SchemaDocument& document) {
    const Json* found = &schema;
    for (uint32_t count = 0; count < kMostJoins && found->is_object() && found->contains("$ref"); ++count)
        found = document.at((*found)["$ref"].get_ref<const std::string&>());
    return *found;
}

Facts factsOf(const Json& given, const SchemaDocument& document) {
    const Json& schema = behindReferences(given, document);
    Facts facts;
    if (!schema.is_object()) return facts;
    if (const Json* type = memberOf(schema, "type"))
        for (const Json& each : listOf(*type))
            facts.types.insert(each == "integer" ? "number" : each.get<std::string>());
    facts.values = valuesOf(schema);
    if (facts.types.empty())
        for (const Json& value : facts.values.is_array() ? facts.values : Json::array())
            facts.types.insert(value.type_name());
    const Json* properties = memberOf(schema, "properties");
    const Json* required = memberOf(schema, "required");
    if (properties == nullptr || required == nullptr) return facts;
    if (facts.types.empty()) facts.types.insert("object");  // what is written for it
    for (const Json& name : *required) {
        const auto member = properties->find(name.get<std::string>());
        if (member == properties->end()) continue;
        const Json& inner = behindReferences(*member, document);
        if (!inner.is_object()) continue;
        if (Json values = valuesOf(inner); values.is_array())
            facts.tags[name.get<std::string>()] = std::move(values);
    }
    return facts;
}

bool haveNoneInCommon(const Json& a, const Json& b) {
    return std::ranges::none_of(a, [&](const Json& one) {
        return std::ranges::any_of(b, [&](const Json& other) { return SchemaCheck::isSame(one, other); });
    });
}

bool excludes(const Facts& a, const Facts& b) {
    const auto isOfB = [&](const std::string& type) { return b.types.contains(type); };
    if (!a.types.empty() && !b.types.empty() && std::ranges::none_of(a.types, isOfB)) return true;
    if (a.values.is_array() && b.values.is_array() && haveNoneInCommon(a.values, b.values)) return true;
    const std::set<std::string> objects{"object"};
    if (a.types != objects || b.types != objects) return false;
    return std::ranges::any_of(a.tags, [&](const auto& tag) {
        const auto other = b.tags.find(tag.first);
        return other != b.tags.end() && haveNoneInCommon(tag.second, other->second);
    });
}

}  // namespace

Status join(JoinedSchema& into, const Json& schema, const SchemaDocument& document, const std::string& place,
            size_t& budget) {
    return joinInside(into, schema, document, place, budget, 0);
}

bool excludeEachOther(const Json& schemas, const SchemaDocument& document) {
    constexpr size_t kMostCompared = 128, kMostValues = 4096;
    if (schemas.size() > kMostCompared || !document.spend(16 * sizeOf(schemas))) return false;
    std::vector<Facts> facts;
    size_t numValues = 0;
    for (const Json& each : schemas) {
        facts.push_back(factsOf(each, document));
        numValues += facts.back().values.size();
        for (const auto& [name, values] : facts.back().tags) numValues += values.size();
    }
    // Each value is compared with all others.
    if (numValues > kMostValues || !document.spend(numValues * numValues)) return false;
    for (size_t index = 0; index < facts.size(); ++index)
        for (size_t before = 0; before < index; ++before)
            if (!excludes(facts[index], facts[before])) return false;
    return true;
}

}  // namespace ingle::grammar
