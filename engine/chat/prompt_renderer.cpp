#include "engine/chat/prompt_renderer.h"

#include "engine/chat/infer_dialect.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/chat/jinja/template.h"
#include "engine/chat/markup.h"
#include "engine/chat/tools.h"

namespace ingle::chat {
namespace {

/// System messages as the beginning of the first question.
std::vector<ChatMessage> withoutSystem(std::span<const ChatMessage> messages) {
    std::vector<ChatMessage> out;
    std::string system;
    for (const ChatMessage& message : messages) {
        if (message.role == Role::System) {
            system += messageText(message) + "\n\n";
            continue;
        }
        out.push_back(message);
        if (message.role != Role::User || system.empty() || isToolResult(message)) continue;
        auto& parts = out.back().parts;
        if (parts.empty() || parts.front().kind != PartKind::Text) parts.insert(parts.begin(), Part{});
        parts.front().text.insert(0, std::exchange(system, ""));
    }
    return out;
}

bool hasCalls(std::span<const ChatMessage> messages) {
    return std::ranges::any_of(messages, [](const ChatMessage& message) {
        return std::ranges::any_of(message.parts, [](const Part& part) {
            return part.kind == PartKind::ToolCall || part.kind == PartKind::ToolResult;
        });
    });
}

bool speaksOfThoughts(std::string_view source) {
    const auto speaksOf = [source](std::string_view mark) {
        return !mark.empty() && source.find(mark) != std::string_view::npos;
    };
    return std::ranges::any_of(allMarkups(), [&](const Markup& markup) {
        return markup.kind == PartKind::Thought && (speaksOf(markup.begin) || speaksOf(markup.end));
    });
}

bool hasThoughts(const InferredDialect* inferred) {
    return inferred && std::ranges::find(inferred->marks, PartKind::Thought, &InferredDialect::Marks::kind) !=
                           inferred->marks.end();
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
    ChatMessage texts = message;
    std::erase_if(texts.parts, [](const Part& part) { return part.kind == PartKind::Image; });
    const std::string text = messageText(texts);
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return true;
    const std::string_view words = std::string_view(text).substr(begin, kMost);
    return lowered(said).find(lowered(words.substr(0, words.find_first_of("\r\n")))) != said.npos;
}

/// Puts the texts of the users' pictures in the place of what a template writes for them. False: it does not
/// write as many.
bool replaceMarks(std::vector<tokenizer::TextSegment>& segments, const std::string& mark,
                  std::span<const ChatMessage> messages) {
    std::vector<std::string> texts;
    for (const ChatMessage& message : messages)
        for (const Part& part : message.parts)
            if (part.kind == PartKind::Image && message.role == Role::User) texts.push_back(part.text);
    size_t numMarks = 0;
    for (tokenizer::TextSegment& segment : segments) {
        if (!segment.parseSpecial) continue;
        for (size_t at = segment.text.find(mark); at != segment.text.npos; ++numMarks) {
            if (numMarks == texts.size()) return false;
            segment.text.replace(at, mark.size(), texts[numMarks]);
            at = segment.text.find(mark, at + texts[numMarks].size());
        }
    }
    return numMarks == texts.size();
}

bool haveUsersPictures(std::span<const ChatMessage> messages) {
    return std::ranges::any_of(messages, [](const ChatMessage& message) {
        return message.role == Role::User &&
               std::ranges::find(message.parts, PartKind::Image, &Part::kind) != message.parts.end();
    });
}

/// Two sentences, each of which may be empty.
std::string joined(const std::string& first, const std::string& second) {
    return first.empty() || second.empty() ? first + second : first + ' ' + second;
}

}  // namespace

/// A template, and what is known of it.
struct PromptRenderer::Source {
    static Result<std::shared_ptr<const Source>> parse(std::string_view text) {
        INGLE_TRY_ASSIGN(jinja::Template parsed, jinja::Template::parse(text));
        const auto asks = [text](std::string_view variable) { return usesVariable(text, variable); };
        const MessageForm form = findMessageForm(parsed, text);
        auto inferred = inferDialect(parsed, text, form);
        return std::make_shared<const Source>(
            Source{.text = std::string(text),
                   .jinja = std::move(parsed),
                   .form = form,
                   .inferred = std::move(inferred),
                   .asksForThinking = std::ranges::any_of(kThinkingVariables, asks),
                   .asksForTools = asks("tools")});
    }

    std::string text;
    jinja::Template jinja;
    MessageForm form;
    std::shared_ptr<const InferredDialect> inferred;  ///< null: rows read what it writes
    bool asksForThinking = false;
    bool asksForTools = false;
};

PromptRenderer PromptRenderer::create(const formats::ModelFile& file) {
    PromptRenderer renderer;
    renderer.m_builtIn = &choosePromptFormat(file);
    renderer.m_tokens = std::make_shared<const ControlTokens>(file.tokenizer);
    renderer.m_variables.bos = textOfToken(file.tokenizer, file.tokenizer.bos);
    renderer.m_variables.eos = textOfToken(file.tokenizer, file.tokenizer.eos);
    const std::string& own = file.tokenizer.chatTemplate;
    if (own.empty()) {
        renderer.m_fallbackReason =
            fmt::format("The model file has no chat template, so the chat format '{}' is used.",
                        renderer.m_builtIn->name);
        return renderer;
    }
    renderer.m_thinks = speaksOfThoughts(own);
    if (auto parsed = Source::parse(own)) {
        renderer.m_own = std::move(*parsed);
        renderer.m_thinks = renderer.m_thinks || hasThoughts(renderer.m_own->inferred.get());
    } else
        renderer.m_fallbackReason =
            fmt::format("The model's chat template cannot be read ({}), so the chat format '{}' is used.",
                        shown(parsed.error().message), renderer.m_builtIn->name);
    return renderer;
}

PromptRenderer PromptRenderer::inForm(const PromptForm& form) const {
    PromptRenderer renderer = *this;
    renderer.m_variables.thinking = form.thinking;
    renderer.m_variables.tools = form.tools;
    renderer.m_variables.arguments = form.templateArguments;
    if (form.chatTemplate.empty()) return renderer;
    if (auto parsed = Source::parse(form.chatTemplate)) {
        renderer.m_given = std::move(*parsed);
        renderer.m_thinks =
            speaksOfThoughts(form.chatTemplate) || hasThoughts(renderer.m_given->inferred.get());
    } else {
        renderer.m_givenReason =
            fmt::format("The chat template that was set cannot be read ({}), so it is not used.",
                        shown(parsed.error().message));
    }
    return renderer;
}

PromptRenderer PromptRenderer::at(const std::tm& time) const {
    PromptRenderer renderer = *this;
    renderer.m_variables.now = time;
    return renderer;
}

CallReading PromptRenderer::callReading() const {
    const auto& source = m_given ? m_given : m_own;
    if (!source) return {m_variables.tools, {}, nullptr, m_tokens};
    return {m_variables.tools, source->text, source->inferred, m_tokens};
}

std::optional<CallLayout> PromptRenderer::callLayout() const {
    const auto& source = m_given ? m_given : m_own;
    if (!source) return std::nullopt;
    return findCallLayout(source->jinja, source->text, source->form, source->inferred);
}

PromptRenderer PromptRenderer::withTokens(std::string bos, std::string eos) const {
    PromptRenderer renderer = *this;
    renderer.m_variables.bos = std::move(bos);
    renderer.m_variables.eos = std::move(eos);
    return renderer;
}

Result<PromptRenderer::Rendered> PromptRenderer::renderBy(const Source& source,
                                                          std::span<const ChatMessage> messages,
                                                          GenerationPrompt add, jinja::Meter& meter) const {
    const bool withTools = !m_variables.tools.empty();
    MessageForm inText = source.form;
    inText.hasCalls = false;
    if (!withTools && !hasCalls(messages))
        return renderMessages(source, messages, m_variables, source.form, add, meter);
    std::string refusal;
    if (source.form.hasCalls || (withTools && source.asksForTools)) {
        auto rendered = renderMessages(source, messages, m_variables, source.form, add, meter);
        if (rendered) return rendered;
        refusal = rendered.error().message;
    }
    // It knows no tools, or not in this form.
    TemplateVariables variables = m_variables;
    variables.tools.clear();
    INGLE_TRY_ASSIGN(Rendered told, withTools
                                        ? renderMessages(source, toldOfTools(messages, m_variables.tools),
                                                         variables, inText, add, meter)
                                        : renderMessages(source, messages, variables, inText, add, meter));
    if (!refusal.empty())
        told.note =
            joined(fmt::format("The chat template refuses these tools or calls ({}), so they are told "
                               "in words.",
                               shown(refusal)),
                   told.note);
    return told;
}

Result<PromptRenderer::Rendered> PromptRenderer::renderMessages(const Source& source,
                                                                std::span<const ChatMessage> messages,
                                                                const TemplateVariables& variables,
                                                                MessageForm form, GenerationPrompt add,
                                                                jinja::Meter& meter) const {
    const auto renderIn = [&](const MessageForm& tried,
                              std::span<const ChatMessage> given) -> Result<Rendered> {
        INGLE_TRY_ASSIGN(const jinja::Value values, messageValues(given, tried));
        INGLE_TRY_ASSIGN(Segments segments, renderTemplate(source.jinja, values, variables, add, meter));
        if (!tried.imageMark.empty() && haveUsersPictures(given) &&
            !replaceMarks(segments, tried.imageMark, given))
            return fail(ErrorCode::InvalidArgument, "the template leaves pictures out");
        return Rendered{.segments = std::move(segments), .note = {}};
    };
    auto rendered = renderIn(form, messages);
    if (!rendered && !form.imageMark.empty()) {
        form.imageMark.clear();  // the texts of pictures are ordinary ones
        rendered = renderIn(form, messages);
    }
    if (rendered) return rendered;
    // The small chats by which the form was found do not tell everything.
    form.noneIsEmpty = true;
    form.lists = form.needsLists = {};
    if (auto plainer = renderIn(form, messages)) return plainer;
    if (std::ranges::find(messages, Role::System, &ChatMessage::role) == messages.end()) return rendered;
    if (auto merged = renderIn(form, withoutSystem(messages))) {
        merged->note = fmt::format(
            "The chat template refuses this system message ({}), so it begins the first "
            "question.",
            shown(rendered.error().message));
        return merged;
    }
    return rendered;
}

std::string PromptRenderer::noteOf(const Source* source) const {
    if (m_variables.thinking == Thinking::AsUsual || (source && source->asksForThinking)) return {};
    return "The form of the chat has no place that says whether to think, so the model decides.";
}

PromptRenderer::Rendered PromptRenderer::render(std::span<const ChatMessage> messages, GenerationPrompt add,
                                                jinja::Meter& meter) const {
    std::string reason = m_givenReason;
    if (m_given) {
        auto rendered = renderBy(*m_given, messages, add, meter);
        const bool isQuestion =
            !messages.empty() && messages.back().role == Role::User && !isToolResult(messages.back());
        const bool asks = rendered && (!isQuestion || says(rendered->segments, messages.back()));
        if (asks) {
            rendered->note = joined(rendered->note, noteOf(m_given.get()));
            return std::move(*rendered);
        }
        reason = rendered ? "The chat template that was set leaves out the question, so it is not used."
                          : fmt::format("The chat template that was set failed ({}), so it is not used.",
                                        shown(rendered.error().message));
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
        auto rendered = renderBy(*m_own, messages, add, meter);
        if (rendered) {
            rendered->note = joined(rendered->note, noteOf(m_own.get()));
            return std::move(*rendered);
        }
        reason = fmt::format("The model's chat template failed ({}), so the chat format '{}' is used.",
                             shown(rendered.error().message), m_builtIn->name);
    }
    const auto texts = m_variables.tools.empty() ? messageTexts(messages)
                                                 : messageTexts(toldOfTools(messages, m_variables.tools));
    return {m_builtIn->render(texts, add), joined(reason, noteOf(nullptr)), m_builtIn->stops};
}

}  // namespace ingle::chat
