#include <algorithm>
#include <utility>

#include "engine/chat/dialects/call_reader.h"
#include "engine/chat/dialects/written_values.h"
#include "engine/chat/tools.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

/// What a parameter's schema says behind references to the tool's own definitions, and as the one part of
/// "allOf". Null: nothing that can be found.
const json* referredTo(const json& tool, const json* schema) {
    constexpr int kMostSteps = 8;  // some refer to themselves
    for (int step = 0; step < kMostSteps; ++step) {
        if (!schema->is_object()) return schema;
        if (const auto all = schema->find("allOf");
            all != schema->end() && all->is_array() && all->size() == 1 && !schema->contains("type")) {
            schema = &all->front();
            continue;
        }
        const auto reference = schema->find("$ref");
        if (reference == schema->end() || !reference->is_string()) return schema;
        const std::string_view place = reference->get_ref<const std::string&>();
        schema = nullptr;
        for (const char* folder : {"$defs", "definitions"}) {
            const std::string begin = std::string("#/") + folder + "/";
            const auto definitions = tool.find(folder);
            if (!place.starts_with(begin) || definitions == tool.end() || !definitions->is_object()) continue;
            const auto found = definitions->find(std::string(place.substr(begin.size())));
            if (found != definitions->end()) schema = &*found;
        }
        if (!schema) return nullptr;
    }
    return nullptr;
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
    const auto properties = found->second.find("properties");
    if (properties == found->second.end() || !properties->is_object()) return nullptr;
    const auto schema = properties->find(std::string(parameter));
    return schema == properties->end() ? nullptr : referredTo(found->second, &*schema);
}

}  // namespace ingle::chat
