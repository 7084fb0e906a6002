#include "engine/chat/template_variables.h"

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/local_time.h"
#include "engine/chat/tools.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using jinja::makeText;
using jinja::Origin;
using jinja::Value;

/// The variables that a request gives by name. Errors: InvalidArgument.
Result<jinja::Dict> readArguments(const std::string& text) {
    if (text.empty()) return jinja::Dict{};
    const auto object = parseBounded<nlohmann::ordered_json>(text, {.depth = 32});
    if (!object.is_object())
        return fail(ErrorCode::InvalidArgument, "The arguments of the chat template are no JSON object.");
    INGLE_TRY_ASSIGN(const Value value, jinja::fromJson(object));
    return *value.dict();
}

}  // namespace

Result<std::vector<tokenizer::TextSegment>> renderTemplate(const jinja::Template& chatTemplate,
                                                           const Value& messages,
                                                           const TemplateVariables& variables,
                                                           GenerationPrompt add, jinja::Meter& meter) {
    // Of several variables with one name the last one counts.
    jinja::Dict context;
    const auto set = [&context](std::string_view name, Value value) {
        context.entries.emplace_back(makeText(name, Origin::Template), std::move(value));
    };
    const auto nones = {"tools", "documents"};
    for (const char* name : nones) set(name, jinja::None{});
    if (variables.thinking != Thinking::AsUsual)
        for (const std::string_view name : kThinkingVariables) set(name, variables.thinking == Thinking::On);
    INGLE_TRY_ASSIGN(const jinja::Dict arguments, readArguments(variables.arguments));
    context.entries.insert(context.entries.end(), arguments.entries.begin(), arguments.entries.end());
    if (!variables.tools.empty()) {
        INGLE_TRY_ASSIGN(Value tools, toolList(variables.tools));
        set("tools", std::move(tools));
    }
    set("messages", messages);
    set("add_generation_prompt", add == GenerationPrompt::Add);
    set("bos_token", makeText(variables.bos, Origin::Template));
    set("eos_token", makeText(variables.eos, Origin::Template));
    const std::tm now = variables.now ? *variables.now : localTime();
    auto segments = chatTemplate.render(context, now, meter);
    if (segments) return segments;
    context.entries.erase(context.entries.begin(), context.entries.begin() + nones.size());
    if (auto retried = chatTemplate.render(context, now, meter)) return retried;
    return segments;
}

}  // namespace ingle::chat
