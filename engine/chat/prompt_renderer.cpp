#include "engine/chat/prompt_renderer.h"

#include <algorithm>

#include "engine/chat/jinja/template.h"
#include "engine/chat/local_time.h"
#include "engine/chat/markup.h"

namespace ingle::chat {
namespace {

using jinja::makeText;
using jinja::Origin;
using jinja::Value;

std::string_view roleName(Role role) {
    switch (role) {
        case Role::System:
            return "system";
        case Role::User:
            return "user";
        case Role::Assistant:
            break;
    }
    return "assistant";
}

/// [{role, content}]. Roles are ours, so a template may build special tokens of them.
Result<Value> messageList(std::span<const TextMessage> messages) {
    std::vector<Value> list;
    for (const TextMessage& message : messages) {
        INGLE_TRY_ASSIGN(
            Value entry,
            jinja::makeDict(
                {{makeText("role", Origin::Template), makeText(roleName(message.role), Origin::Template)},
                 {makeText("content", Origin::Template), makeText(message.text, Origin::Message)}}));
        list.push_back(std::move(entry));
    }
    return jinja::makeList(std::move(list));
}

/// System messages as the beginning of the first question.
std::vector<TextMessage> withoutSystem(std::span<const TextMessage> messages) {
    std::vector<TextMessage> out;
    std::string system;
    for (const TextMessage& message : messages) {
        if (message.role == Role::System) {
            system += message.text + "\n\n";
            continue;
        }
        out.push_back(message);
        if (message.role == Role::User) out.back().text.insert(0, std::exchange(system, ""));
    }
    return out;
}

std::string textOfToken(const formats::TokenizerData& tokenizer, std::optional<TokenId> id) {
    return id ? tokenizer.tokens[static_cast<size_t>(*id)] : "";
}

}  // namespace

PromptRenderer PromptRenderer::create(const formats::ModelFile& file) {
    PromptRenderer renderer;
    renderer.m_builtIn = &choosePromptFormat(file);
    renderer.m_bos = textOfToken(file.tokenizer, file.tokenizer.bos);
    renderer.m_eos = textOfToken(file.tokenizer, file.tokenizer.eos);
    if (file.tokenizer.chatTemplate.empty()) {
        renderer.m_fallbackReason =
            fmt::format("The model file has no chat template, so the chat format '{}' is used.",
                        renderer.m_builtIn->name);
        return renderer;
    }
    auto parsed = jinja::Template::parse(file.tokenizer.chatTemplate);
    const auto speaksOf = [&](std::string_view text) {
        return !text.empty() && file.tokenizer.chatTemplate.find(text) != std::string::npos;
    };
    renderer.m_thinks = std::ranges::any_of(allMarkups(), [&](const Markup& markup) {
        return markup.kind == PartKind::Thought && (speaksOf(markup.begin) || speaksOf(markup.end));
    });
    renderer.m_templateKnowsThoughts =
        parsed && file.tokenizer.chatTemplate.find("</think>") != std::string::npos;
    if (parsed)
        renderer.m_template = std::make_shared<const jinja::Template>(std::move(*parsed));
    else
        renderer.m_fallbackReason =
            fmt::format("The model's chat template cannot be read ({}), so the chat format '{}' is used.",
                        shown(parsed.error().message), renderer.m_builtIn->name);
    return renderer;
}

Result<std::vector<tokenizer::TextSegment>> PromptRenderer::renderTemplate(
    std::span<const TextMessage> messages, GenerationPrompt add) const {
    INGLE_TRY_ASSIGN(const Value list, messageList(messages));
    jinja::Dict context;
    const auto set = [&](std::string_view name, Value value) {
        context.entries.emplace_back(makeText(name, Origin::Template), std::move(value));
    };
    set("messages", list);
    set("add_generation_prompt", add == GenerationPrompt::Add);
    set("bos_token", makeText(m_bos, Origin::Template));
    set("eos_token", makeText(m_eos, Origin::Template));
    const std::tm now = localTime();
    jinja::Dict withNone = context;
    for (const char* name : {"tools", "documents"})
        withNone.entries.emplace_back(makeText(name, Origin::Template), jinja::None{});
    auto segments = m_template->render(withNone, now);
    if (segments) return segments;
    // Some templates only work where these are undefined.
    if (auto retried = m_template->render(context, now)) return retried;
    return segments;
}

PromptRenderer::Rendered PromptRenderer::render(std::span<const ChatMessage> messages,
                                                GenerationPrompt add) const {
    if (m_templateKnowsThoughts)
        if (auto segments = renderTemplate(messageTexts(messages, Thoughts::Mark), add))
            return {std::move(*segments), ""};
    return renderAnswers(messageTexts(messages, Thoughts::Omit), add);
}

PromptRenderer::Rendered PromptRenderer::renderAnswers(std::span<const TextMessage> messages,
                                                       GenerationPrompt add) const {
    if (!m_template) return {m_builtIn->render(messages, add), m_fallbackReason, m_builtIn->stops};
    auto segments = renderTemplate(messages, add);
    if (segments) return {std::move(*segments), ""};
    if (std::ranges::find(messages, Role::System, &TextMessage::role) != messages.end())
        if (auto merged = renderTemplate(withoutSystem(messages), add)) return {std::move(*merged), ""};
    return {m_builtIn->render(messages, add),
            fmt::format("The model's chat template failed ({}), so the chat format '{}' is used.",
                        shown(segments.error().message), m_builtIn->name),
            m_builtIn->stops};
}

}  // namespace ingle::chat
