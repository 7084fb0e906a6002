#include "engine/chat/prompt_renderer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/chat/jinja/template.h"
#include "engine/chat/local_time.h"
#include "engine/chat/markup.h"
#include "engine/chat/tools.h"
#include "ingle/role_name.h"

namespace ingle::chat {
namespace {

using jinja::makeText;
using jinja::Origin;
using jinja::Value;

/// [{role, content}], with tool_calls, and name where the role is "tool". Roles are ours, so a template may
/// build special tokens of them.
Result<Value> messageList(std::span<const TextMessage> messages) {
    std::vector<Value> list;
    for (const TextMessage& message : messages) {
        std::vector<std::pair<Value, Value>> fields;
        const auto set = [&fields](std::string_view name, Value value) {
            fields.emplace_back(makeText(name, Origin::Template), std::move(value));
        };
        set("role", makeText(message.resultOf ? "tool" : roleName(message.role), Origin::Template));
        set("content", makeText(message.text, Origin::Message));
        if (message.resultOf) set("name", makeText(*message.resultOf, Origin::Message));
        std::vector<Value> calls;
        for (const Part& part : message.toolCalls) {
            INGLE_TRY_ASSIGN(Value call, toolCall(part));
            calls.push_back(std::move(call));
        }
        if (!calls.empty()) {
            INGLE_TRY_ASSIGN(Value callList, jinja::makeList(std::move(calls)));
            set("tool_calls", std::move(callList));
        }
        INGLE_TRY_ASSIGN(Value entry, jinja::makeDict(std::move(fields)));
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

bool speaksOfThoughts(std::string_view source) {
    const auto speaksOf = [source](std::string_view mark) {
        return !mark.empty() && source.find(mark) != std::string_view::npos;
    };
    return std::ranges::any_of(allMarkups(), [&](const Markup& markup) {
        return markup.kind == PartKind::Thought && (speaksOf(markup.begin) || speaksOf(markup.end));
    });
}

/// The name stands in the template's text, and neither in a longer one nor in quotes nor as a member.
bool usesVariable(std::string_view source, std::string_view name) {
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
        const char before = at > 0 ? source[at - 1] : ' ';
        const size_t end = at + name.size();
        const char after = end < source.size() ? source[end] : ' ';
        constexpr std::string_view kNoVariable = ".'\"";
        if (!isWord(before) && !isWord(after) && kNoVariable.find(before) == kNoVariable.npos) return true;
    }
    return false;
}

std::string textOfToken(const formats::TokenizerData& tokenizer, std::optional<TokenId> id) {
    return id ? tokenizer.tokens[static_cast<size_t>(*id)] : "";
}

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

/// The beginning of the message is in the prompt, as it is or in small letters: what a template does with the
/// rest is its own affair.
bool says(std::span<const tokenizer::TextSegment> segments, const ChatMessage& message) {
    constexpr size_t kMost = 32;
    std::string said;
    for (const auto& segment : segments)
        if (!segment.parseSpecial) said += segment.text;
    const std::string text = messageText(message, Thoughts::Omit);
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return true;
    const std::string_view words = std::string_view(text).substr(begin, kMost);
    return lowered(said).find(lowered(words.substr(0, words.find_first_of("\r\n")))) != said.npos;
}

/// Two sentences, each of which may be empty.
std::string joined(const std::string& first, const std::string& second) {
    return first.empty() || second.empty() ? first + second : first + ' ' + second;
}

}  // namespace

/// A template, and what its text says about it.
struct PromptRenderer::Source {
    static Result<std::shared_ptr<const Source>> parse(std::string_view text) {
        INGLE_TRY_ASSIGN(jinja::Template parsed, jinja::Template::parse(text));
        const auto asks = [text](std::string_view variable) { return usesVariable(text, variable); };
        return std::make_shared<const Source>(
            Source{.jinja = std::move(parsed),
                   .knowsThoughts = text.find("</think>") != text.npos,
                   .asksForThinking = std::ranges::any_of(kThinkingVariables, asks),
                   .asksForTools = asks("tools")});
    }
    /// What templates call it: those of Qwen3 and SmolLM3, and those of DeepSeek V3.1 and Granite.
    static constexpr std::array<std::string_view, 2> kThinkingVariables{"enable_thinking", "thinking"};

    jinja::Template jinja;
    bool knowsThoughts = false;  ///< answers may stand in it as the model wrote them
    bool asksForThinking = false;
    bool asksForTools = false;
};

PromptRenderer PromptRenderer::create(const formats::ModelFile& file) {
    PromptRenderer renderer;
    renderer.m_builtIn = &choosePromptFormat(file);
    renderer.m_bos = textOfToken(file.tokenizer, file.tokenizer.bos);
    renderer.m_eos = textOfToken(file.tokenizer, file.tokenizer.eos);
    const std::string& own = file.tokenizer.chatTemplate;
    if (own.empty()) {
        renderer.m_fallbackReason =
            fmt::format("The model file has no chat template, so the chat format '{}' is used.",
                        renderer.m_builtIn->name);
        return renderer;
    }
    renderer.m_thinks = speaksOfThoughts(own);
    if (auto parsed = Source::parse(own))
        renderer.m_own = std::move(*parsed);
    else
        renderer.m_fallbackReason =
            fmt::format("The model's chat template cannot be read ({}), so the chat format '{}' is used.",
                        shown(parsed.error().message), renderer.m_builtIn->name);
    return renderer;
}

PromptRenderer PromptRenderer::inForm(const PromptForm& form) const {
    PromptRenderer renderer = *this;
    renderer.m_thinking = form.thinking;
    renderer.m_tools = form.tools;
    if (form.chatTemplate.empty()) return renderer;
    if (auto parsed = Source::parse(form.chatTemplate)) {
        renderer.m_given = std::move(*parsed);
        renderer.m_thinks = speaksOfThoughts(form.chatTemplate);
    } else {
        renderer.m_givenReason =
            fmt::format("The chat template that was set cannot be read ({}), so it is not used.",
                        shown(parsed.error().message));
    }
    return renderer;
}

Result<PromptRenderer::Segments> PromptRenderer::renderTexts(const Source& source,
                                                             std::span<const TextMessage> messages,
                                                             GenerationPrompt add, ToolForm tools,
                                                             jinja::Meter& meter) const {
    INGLE_TRY_ASSIGN(const Value list, messageList(messages));
    jinja::Dict context;
    const auto set = [&](std::string_view name, Value value) {
        context.entries.emplace_back(makeText(name, Origin::Template), std::move(value));
    };
    set("messages", list);
    set("add_generation_prompt", add == GenerationPrompt::Add);
    set("bos_token", makeText(m_bos, Origin::Template));
    set("eos_token", makeText(m_eos, Origin::Template));
    if (m_thinking != Thinking::AsUsual)
        for (const std::string_view name : Source::kThinkingVariables) set(name, m_thinking == Thinking::On);
    const std::tm now = localTime();
    jinja::Dict withNone = context;
    for (const char* name : {"tools", "documents"})
        withNone.entries.emplace_back(makeText(name, Origin::Template), jinja::None{});
    if (tools == ToolForm::Fields) {
        INGLE_TRY_ASSIGN(withNone.entries[withNone.entries.size() - 2].second, toolList(m_tools));
        return source.jinja.render(withNone, now, meter);
    }
    auto segments = source.jinja.render(withNone, now, meter);
    if (segments) return segments;
    // Some templates only work where these are undefined.
    if (auto retried = source.jinja.render(context, now, meter)) return retried;
    return segments;
}

Result<PromptRenderer::Segments> PromptRenderer::renderBy(const Source& source,
                                                          std::span<const ChatMessage> messages,
                                                          GenerationPrompt add, jinja::Meter& meter) const {
    if (m_tools.empty()) return renderMessages(source, messages, add, ToolForm::Text, meter);
    if (source.asksForTools)
        if (auto segments = renderMessages(source, messages, add, ToolForm::Fields, meter)) return segments;
    // It knows no tools, or not in this form.
    return renderMessages(source, toldOfTools(messages, m_tools), add, ToolForm::Text, meter);
}

Result<PromptRenderer::Segments> PromptRenderer::renderMessages(const Source& source,
                                                                std::span<const ChatMessage> messages,
                                                                GenerationPrompt add, ToolForm tools,
                                                                jinja::Meter& meter) const {
    if (source.knowsThoughts)
        if (auto segments =
                renderTexts(source, messageTexts(messages, Thoughts::Mark, tools), add, tools, meter))
            return segments;
    const auto texts = messageTexts(messages, Thoughts::Omit, tools);
    auto segments = renderTexts(source, texts, add, tools, meter);
    if (segments || std::ranges::find(texts, Role::System, &TextMessage::role) == texts.end())
        return segments;
    if (auto merged = renderTexts(source, withoutSystem(texts), add, tools, meter)) return merged;
    return segments;
}

std::string PromptRenderer::noteOf(const Source* source) const {
    if (m_thinking == Thinking::AsUsual || (source && source->asksForThinking)) return {};
    return "The form of the chat has no place that says whether to think, so the model decides.";
}

PromptRenderer::Rendered PromptRenderer::render(std::span<const ChatMessage> messages, GenerationPrompt add,
                                                jinja::Meter& meter) const {
    std::string reason = m_givenReason;
    if (m_given) {
        auto segments = renderBy(*m_given, messages, add, meter);
        const bool isQuestion =
            !messages.empty() && messages.back().role == Role::User && !isToolResult(messages.back());
        const bool asks = segments && (!isQuestion || says(*segments, messages.back()));
        if (asks) return {std::move(*segments), noteOf(m_given.get())};
        reason = segments ? "The chat template that was set leaves out the question, so it is not used."
                          : fmt::format("The chat template that was set failed ({}), so it is not used.",
                                        shown(segments.error().message));
    }
    Rendered rendered = renderOwn(messages, add, meter);
    rendered.note = joined(reason, rendered.note);
    return rendered;
}

PromptRenderer::Rendered PromptRenderer::render(std::span<const ChatMessage> messages,
                                                GenerationPrompt add) const {
    jinja::Meter meter;
    return render(messages, add, meter);
}

PromptRenderer::Rendered PromptRenderer::renderOwn(std::span<const ChatMessage> messages,
                                                   GenerationPrompt add, jinja::Meter& meter) const {
    std::string reason = m_fallbackReason;
    if (m_own) {
        auto segments = renderBy(*m_own, messages, add, meter);
        if (segments) return {std::move(*segments), noteOf(m_own.get())};
        reason = fmt::format("The model's chat template failed ({}), so the chat format '{}' is used.",
                             shown(segments.error().message), m_builtIn->name);
    }
    const auto texts = m_tools.empty() ? messageTexts(messages, Thoughts::Omit)
                                       : messageTexts(toldOfTools(messages, m_tools), Thoughts::Omit);
    return {m_builtIn->render(texts, add), joined(reason, noteOf(nullptr)), m_builtIn->stops};
}

}  // namespace ingle::chat
