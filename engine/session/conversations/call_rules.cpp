#include "engine/session/conversations/call_rules.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/chat/dialects/written_values.h"
#include "engine/chat/tools.h"
#include "engine/grammar/json_schema.h"
#include "ingle/bounded_json.h"
#include "ingle/demanded_call.h"
#include "ingle/utf8.h"

namespace ingle::session {
namespace {

using grammar::Expr;
using SchemaJson = nlohmann::ordered_json;

/// Keywords of a schema that allow no value less than it would without them.
constexpr std::string_view kNotes[] = {"title", "description", "default",     "examples",  "$schema",
                                       "$id",   "$defs",       "definitions", "$comment",  "deprecated",
                                       "type",  "enum",        "readOnly",    "writeOnly", "const"};

/// Nine letters and digits, as the templates of Mistral want them.
Expr callId() {
    return grammar::repeat(grammar::oneOf({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}), 9, 9);
}

/// A text as ControlTokens::spelled() has it.
Expr spelledText(std::string_view text) {
    Expr out;
    while (!text.empty()) {
        const size_t sign = std::min(text.find(chat::ControlTokens::kSign), text.size());
        out.parts.push_back(grammar::literal(text.substr(0, sign)));
        text.remove_prefix(sign);
        if (text.empty()) break;
        const auto byte = static_cast<unsigned char>(text.front());
        out.parts.push_back(grammar::bytes({{byte, byte}}));
        text.remove_prefix(1);
    }
    return out;
}

/// What both texts begin with, without the blanks around it.
std::string commonMark(const std::string& a, const std::string& b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    std::string_view common(a.data(), static_cast<size_t>(end - a.begin()));
    const size_t begin = std::min(common.find_first_not_of(chat::kBlanks), common.size());
    common = common.substr(begin, common.find_last_not_of(chat::kBlanks) + 1 - begin);
    return std::string(common);
}

class CallRules {
  public:
    CallRules(const chat::CallLayout& layout, const chat::CallReading& reading)
        : m_layout(layout), m_reading(reading) {}

    Result<Expr> call(const std::string& name, const SchemaJson& schema) {
        Expr begin = grammar::sequence({textWithIds(m_layout.begin), grammar::literal(name)});
        if (m_layout.parameters) {
            INGLE_TRY_ASSIGN(Expr rest, parameters(name, schema));
            return grammar::sequence({std::move(begin), std::move(rest)});
        }
        INGLE_TRY_ASSIGN(Expr arguments, json(schema));
        return grammar::sequence(
            {std::move(begin), textWithIds(m_layout.open), std::move(arguments), textWithIds(m_layout.end)});
    }

    grammar::Rules take(Expr root) {
        m_rules.root = addRule(std::move(root));
        return std::move(m_rules);
    }

  private:
    uint32_t addRule(Expr body) {
        m_rules.all.push_back({"call", std::move(body)});
        return static_cast<uint32_t>(m_rules.all.size() - 1);
    }

    Expr textWithIds(std::string_view text) const {
        Expr out;
        for (size_t at = text.find(chat::CallLayout::kId); at != text.npos;
             at = text.find(chat::CallLayout::kId)) {
            out.parts.push_back(spelledText(m_reading.spelled(text.substr(0, at))));
            out.parts.push_back(callId());
            text.remove_prefix(at + chat::CallLayout::kId.size());
        }
        out.parts.push_back(spelledText(m_reading.spelled(text)));
        return out;
    }

    static void shift(Expr& expr, uint32_t by) {
        if (expr.kind == Expr::Kind::Rule) expr.rule += by;
        for (Expr& part : expr.parts) shift(part, by);
    }

    Result<Expr> json(const SchemaJson& schema) {
        INGLE_TRY_ASSIGN(grammar::Rules rules, grammar::parseJsonSchema(schema.dump()));
        const auto by = static_cast<uint32_t>(m_rules.all.size());
        for (grammar::Rule& rule : rules.all) {
            shift(rule.body, by);
            m_rules.all.push_back(std::move(rule));
        }
        return grammar::ruleRef(rules.root + by);
    }

    /// Any text that does not have `mark` in it: one rule for each number of its characters that were written
    /// just before.
    Expr textWithout(std::string_view mark) {
        // No text has a control token in it.
        if (mark.find(chat::ControlTokens::kSign) != mark.npos)
            return grammar::repeat(grammar::noneOf({}), 0, grammar::kUnbounded);
        std::vector<char32_t> codes;
        for (; !mark.empty(); mark.remove_prefix(firstCharacter(mark).bytes))
            codes.push_back(codePointOf(mark));
        const auto first = static_cast<uint32_t>(m_rules.all.size());
        for (size_t state = 0; state < codes.size(); ++state) {
            std::vector<std::vector<grammar::CodeRange>> to(codes.size());
            std::vector<grammar::CodeRange> known;
            for (const char32_t code : codes) {
                const bool isKnown =
                    std::ranges::any_of(known, [&](auto range) { return range.first == code; });
                if (isKnown) continue;
                known.push_back({code, code});
                const size_t next = nextState(codes, state, code);
                if (next < codes.size()) to[next].push_back({code, code});
            }
            Expr body = grammar::choice({Expr{}});
            for (size_t next = 0; next < codes.size(); ++next) {
                Expr characters = next == 0 ? grammar::choice({grammar::oneOf(to[0]), grammar::noneOf(known)})
                                            : grammar::oneOf(to[next]);
                body.parts.push_back(grammar::sequence(
                    {std::move(characters), grammar::ruleRef(first + static_cast<uint32_t>(next))}));
            }
            addRule(std::move(body));
        }
        return grammar::ruleRef(first);
    }

    /// How many characters of the mark are written behind `code`, which follows the first `state` of them.
    static size_t nextState(const std::vector<char32_t>& mark, size_t state, char32_t code) {
        std::vector<char32_t> written(mark.begin(), mark.begin() + static_cast<ptrdiff_t>(state));
        written.push_back(code);
        size_t size = written.size();
        while (!std::equal(written.end() - static_cast<ptrdiff_t>(size), written.end(), mark.begin())) --size;
        return size;
    }

    static tl::unexpected<Error> noPlace(std::string_view what) {
        return fail(ErrorCode::InvalidArgument, "the form of calls has no place for '{}'", shown(what));
    }

    /// A text between marks, as it is.
    Result<Expr> plainText(const SchemaJson& schema, std::string_view mark) {
        for (const auto& [key, value] : schema.items())
            if (std::ranges::find(kNotes, key) == std::end(kNotes)) return noPlace(key);
        SchemaJson values = schema.value("enum", SchemaJson::array());
        if (schema.contains("const")) values = SchemaJson::array({schema["const"]});
        if (values.empty()) return textWithout(mark);
        Expr out = grammar::choice({});
        for (const SchemaJson& value : values) {
            if (!value.is_string()) return noPlace(value.dump());
            const auto& text = value.get_ref<const std::string&>();
            if (text.find(mark) != text.npos) return noPlace(text);
            out.parts.push_back(grammar::literal(text));
        }
        return out;
    }

    struct Parameter {
        Expr key, value;
        bool isText = false, isRequired = false;
    };

    Result<std::vector<Parameter>> parametersOf(const std::string& tool, const SchemaJson& schema) {
        for (const auto& [key, value] : schema.items())
            if (std::ranges::find(kNotes, key) == std::end(kNotes) && key != "properties" &&
                key != "required" && key != "additionalProperties")
                return noPlace(key);
        const auto& layout = *m_layout.parameters;
        const bool isQuoted = layout.textEnd == "\"" || layout.textEnd == "'";
        const std::string mark =
            m_reading.spelled(commonMark(layout.textEnd + layout.separator, layout.textEnd + m_layout.end));
        if (mark.empty()) return noPlace("a text");
        const SchemaJson properties = schema.value("properties", SchemaJson::object());
        const SchemaJson required = schema.value("required", SchemaJson::array());
        std::vector<Parameter> all;
        for (const auto& [key, given] : properties.items()) {
            SchemaJson property = given;
            if (property.is_object())
                for (const char* definitions : {"$defs", "definitions"})
                    if (schema.contains(definitions)) property[definitions] = schema[definitions];
            Parameter parameter{.key = grammar::literal(key), .value = {}};
            const SchemaJson* resolved = m_reading.schemaOf(tool, key);
            parameter.isText = !isQuoted && resolved && chat::isTextParameter(*resolved);
            parameter.isRequired = std::ranges::find(required, SchemaJson(key)) != required.end();
            INGLE_TRY_ASSIGN(parameter.value, parameter.isText ? plainText(*resolved, mark) : json(property));
            all.push_back(std::move(parameter));
        }
        for (const SchemaJson& name : required)
            if (!name.is_string() || !properties.contains(name.get<std::string>()))
                return noPlace("required");
        return all;
    }

    /// In the order of the schema. A rule tells what may follow the first parameters, by what was written
    /// last.
    Result<Expr> parameters(const std::string& tool, const SchemaJson& schema) {
        INGLE_TRY_ASSIGN(const std::vector<Parameter> all, parametersOf(tool, schema));
        const auto& layout = *m_layout.parameters;
        const bool isQuoted = layout.textEnd == "\"" || layout.textEnd == "'";
        enum Last { Nothing, Text, Other };
        const std::string textEnd = isQuoted ? "" : layout.textEnd;
        const std::string ends[] = {layout.emptyEnd, textEnd + m_layout.end, m_layout.end};
        const std::string separators[] = {m_layout.open, textEnd + layout.separator, layout.separator};
        std::array<uint32_t, 3> behind{};
        for (const Last last : {Nothing, Text, Other}) behind[last] = addRule(textWithIds(ends[last]));
        for (size_t i = all.size(); i-- > 0;) {
            const Parameter& each = all[i];
            const uint32_t rest = behind[each.isText ? Text : Other];
            std::array<uint32_t, 3> here{};
            for (const Last last : {Nothing, Text, Other}) {
                Expr body = grammar::choice(
                    {grammar::sequence({textWithIds(separators[last]), each.key,
                                        textWithIds(each.isText ? layout.textGap : layout.gap), each.value,
                                        grammar::ruleRef(rest)})});
                if (!each.isRequired) body.parts.push_back(grammar::ruleRef(behind[last]));
                here[last] = addRule(std::move(body));
            }
            behind = here;
        }
        return grammar::ruleRef(behind[Nothing]);
    }

    const chat::CallLayout& m_layout;
    const chat::CallReading& m_reading;
    grammar::Rules m_rules;
};

}  // namespace

std::vector<std::string> demandedTools(std::string_view jsonSchema) {
    std::vector<std::string> names;
    if (jsonSchema.find(kDemandedCall) == jsonSchema.npos) return names;
    const SchemaJson schema = parseBounded<SchemaJson>(jsonSchema);
    const bool isCall =
        schema.is_object() && schema.contains("$comment") && schema["$comment"] == kDemandedCall;
    if (!isCall) return names;
    const nlohmann::ordered_json::json_pointer place("/properties/name/const");
    for (const SchemaJson& choice : schema.value("anyOf", SchemaJson::array({schema})))
        if (choice.contains(place) && choice[place].is_string())
            names.push_back(choice[place].get<std::string>());
    return names;
}

Result<grammar::Rules> callRules(const chat::CallLayout& layout, std::string_view tools,
                                 std::span<const std::string> names, const chat::CallReading& reading) {
    const SchemaJson list = parseBounded<SchemaJson>(tools, {.depth = chat::kMostToolDepth});
    CallRules rules(layout, reading);
    Expr root = grammar::choice({});
    for (const SchemaJson& tool : list) {
        const SchemaJson function = tool.is_object() ? tool.value("function", SchemaJson()) : SchemaJson();
        const std::string name = function.is_object() ? function.value("name", std::string()) : "";
        if (std::ranges::find(names, name) == names.end()) continue;
        SchemaJson schema = function.value("parameters", SchemaJson::object());
        if (schema.empty()) schema = {{"type", "object"}, {"additionalProperties", false}};
        INGLE_TRY_ASSIGN(Expr call, rules.call(name, schema));
        root.parts.push_back(std::move(call));
    }
    return rules.take(std::move(root));
}

}  // namespace ingle::session
