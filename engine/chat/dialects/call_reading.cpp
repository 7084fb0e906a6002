#include <algorithm>
#include <utility>
#include <vector>

#include "engine/chat/dialects/call_reader.h"
#include "engine/chat/dialects/written_values.h"
#include "engine/chat/tools.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

/// How far references are followed: some refer to themselves.
constexpr int kMostSteps = 8;
/// Values of schemas that are written out once more, of all tools together.
constexpr size_t kMostCopied = 20'000;

/// What a reference points at in the tool's own schema. Null: nothing there.
const json* pointedAt(const json& tool, const std::string& place) {
    if (!place.starts_with('#')) return nullptr;
    try {
        const json::json_pointer pointer(place.substr(1));
        return tool.contains(pointer) ? &tool.at(pointer) : nullptr;
    } catch (const json::exception&) {
        return nullptr;
    }
}

const json* referenceOf(const json& schema) {
    const auto reference = schema.is_object() ? schema.find("$ref") : schema.end();
    return schema.is_object() && reference != schema.end() && reference->is_string() ? &*reference : nullptr;
}

/// What a parameter's schema says behind references to the tool's own definitions, and as the one part of
/// "allOf". Null: nothing that can be found.
const json* referredTo(const json& tool, const json* schema) {
    for (int step = 0; step < kMostSteps && schema; ++step) {
        if (!schema->is_object()) return schema;
        if (const auto all = schema->find("allOf");
            all != schema->end() && all->is_array() && all->size() == 1 && !schema->contains("type")) {
            schema = &all->front();
            continue;
        }
        const json* reference = referenceOf(*schema);
        if (!reference) return schema;
        schema = pointedAt(tool, reference->get_ref<const std::string&>());
    }
    return nullptr;
}

size_t numValues(const json& value) {
    size_t count = 1;
    if (value.is_structured())
        for (const json& part : value) count += numValues(part);
    return count;
}

/// A schema with what it refers to in its place, where its type depends on that.
json resolved(const json& tool, const json& schema, int steps, size_t& room) {
    const json* found = referredTo(tool, &schema);
    if (!found || !found->is_object() || steps == 0) return json::object();
    const size_t size = numValues(*found);
    if (size > room) return json::object();
    room -= size;
    json out = *found;
    for (const char* choices : {"anyOf", "oneOf", "allOf"})
        if (const auto some = out.find(choices); some != out.end() && some->is_array())
            for (json& each : *some) each = resolved(tool, each, steps - 1, room);
    return out;
}

bool hasReferences(const json& schema) {
    if (!schema.is_object()) return false;
    for (const char* choices : {"anyOf", "oneOf", "allOf"})
        if (const auto some = schema.find(choices); some != schema.end() && some->is_array())
            for (const json& each : *some)
                if (referenceOf(each) || hasReferences(each)) return true;
    return false;
}

/// The schemas that all hold for a tool's arguments.
std::vector<const json*> rootsOf(const json& tool) {
    std::vector<const json*> roots{&tool};
    if (const json* reference = referenceOf(tool))
        if (const json* found = pointedAt(tool, reference->get_ref<const std::string&>()))
            roots.push_back(found);
    if (const auto all = tool.find("allOf"); all != tool.end() && all->is_array())
        for (const json& each : *all)
            if (const json* found = referredTo(tool, &each)) roots.push_back(found);
    std::erase_if(roots, [](const json* root) { return !root->is_object(); });
    return roots;
}

}  // namespace

CallReading::CallReading(std::string_view tools, std::string_view source,
                         std::shared_ptr<const InferredDialect> inferred,
                         std::shared_ptr<const ControlTokens> tokens)
    : m_tokens(std::move(tokens)) {
    auto spelledRows = std::make_shared<Spelled>();
    m_spelled = spelledRows;
    const auto keep = [&](std::string_view text) -> std::string_view {
        return spelledRows->texts.emplace_back(spelled(text));
    };
    const auto addMarkup = [&](const Markup& markup) {
        Markup own{keep(markup.begin), keep(markup.end), markup.kind, markup.counts};
        if (own.begin.starts_with(ControlTokens::kSign)) own.counts = Markup::Counts::Anywhere;
        spelledRows->markups.push_back(own);
    };
    const auto addForm = [&](CallForm form) {
        for (std::string_view* text : {&form.begin, &form.end, &form.call, &form.parameter, &form.between,
                                       &form.separator, &form.nameKey, &form.argumentsKey, &form.idKey})
            *text = keep(*text);
        spelledRows->forms.push_back(form);
    };
    const auto writes = [source](std::string_view mark) { return source.find(mark) != source.npos; };
    for (const Markup& markup : allMarkups())
        if (markup.counts == Markup::Counts::AtBeginning || writes(markup.sign())) addMarkup(markup);
    if (inferred)
        for (const auto& marks : inferred->marks)
            addMarkup({marks.begin, marks.end, marks.kind, marks.counts});

    const json list = parseBounded<json>(tools, {.depth = kMostToolDepth});
    if (!list.is_array()) return;
    for (const json& tool : list) {
        const json function = tool.is_object() ? tool.value("function", json()) : json();
        if (!function.is_object() || !function.contains("name") || !function["name"].is_string()) continue;
        m_parameters[function["name"].get<std::string>()] = function.value("parameters", json::object());
    }
    if (m_parameters.empty()) return;
    resolveParameters();
    if (inferred && inferred->calls) {
        const auto& form = *inferred->calls;
        addForm({.begin = form.begin,
                 .end = form.end,
                 .call = form.call,
                 .parameter = form.parameter,
                 .between = form.between,
                 .separator = form.separator,
                 .nameKey = form.nameKey,
                 .argumentsKey = form.argumentsKey,
                 .idKey = form.idKey});
    }
    const auto forms = allCallForms();
    for (const CallForm& form : forms)
        if (writes(form.signOrBegin())) addForm(form);
    // A template that refuses is replaced, and the model is told of tools in words.
    if (!writes(forms.front().signOrBegin())) addForm(forms.front());
}

void CallReading::resolveParameters() {
    size_t room = kMostCopied;
    for (const auto& [tool, schema] : m_parameters) {
        if (!schema.is_object()) continue;
        for (const json* root : rootsOf(schema)) {
            const auto properties = root->find("properties");
            if (properties == root->end() || !properties->is_object()) continue;
            for (const auto& [key, parameter] : properties->items()) {
                const json* found = referredTo(schema, &parameter);
                if (found && hasReferences(*found))
                    m_resolved.try_emplace({tool, key}, resolved(schema, *found, kMostSteps, room));
            }
        }
    }
}

size_t CallReading::sizeOfStranger(std::string_view text) const {
    if (!m_tokens || !text.starts_with(ControlTokens::kSign)) return 0;
    const std::string_view token = text.substr(0, m_tokens->beginningOf(text.substr(1)).size() + 1);
    const auto has = [token](std::string_view mark) { return mark.find(token) != mark.npos; };
    const bool isMark =
        token.size() == 1 || std::ranges::any_of(m_spelled->texts, has) || has(spelled(kBracesQuote));
    return isMark ? 0 : token.size();
}

std::string_view CallReading::nameAt(std::string_view text, bool& isOpen) const {
    std::string_view longest;
    for (const auto& [name, schema] : m_parameters) {
        if (text.starts_with(name) && name.size() > longest.size()) longest = name;
        isOpen = isOpen || (text.size() <= name.size() && std::string_view(name).starts_with(text));
    }
    return longest;
}

const json* CallReading::schemaOf(std::string_view tool, std::string_view parameter) const {
    const auto found = m_parameters.find(tool);
    if (found == m_parameters.end() || !found->second.is_object()) return nullptr;
    const std::string key(parameter);
    if (const auto known = m_resolved.find({found->first, key}); known != m_resolved.end())
        return &known->second;
    const std::vector<const json*> roots = rootsOf(found->second);
    for (const json* root : roots) {
        const auto properties = root->find("properties");
        if (properties == root->end() || !properties->is_object()) continue;
        const auto schema = properties->find(key);
        if (schema != properties->end()) return referredTo(found->second, &*schema);
    }
    for (const json* root : roots)
        if (const auto others = root->find("additionalProperties");
            others != root->end() && others->is_object())
            return referredTo(found->second, &*others);
    return nullptr;
}

}  // namespace ingle::chat
