#include "engine/session/conversations/prompt_planner.h"

#include "engine/chat/tools.h"
#include "engine/session/conversations/answer_rules.h"
#include "engine/tokenizer/text_meter.h"
#include "ingle/error_ids.h"
#include "ingle/stop_scope.h"

#include <algorithm>

namespace ingle::session {
namespace {

/// Room kept for the answer: a quarter of the context, at most this; and where the model thinks first.
constexpr uint32_t kAnswerTokens = 512, kThinkingTokens = 2048;
/// Markup a chat format adds around a message, for the first estimate only.
constexpr size_t kMarkupTokens = 12;

uint64_t hashIds(std::span<const TokenId> ids) {
    uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a, 64 bit
    for (const TokenId id : ids) {
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ ((static_cast<uint32_t>(id) >> shift) & 0xFF)) * 0x100000001B3u;
        }
    }
    return hash;
}

/// Messages that go together: a question and what answers it. Dropping half of one would leave nonsense.
struct Turn {
    uint32_t first = 0;
    uint32_t end = 0;
    bool mustStay = false;
    size_t estimate = 0;
};

std::vector<Turn> splitTurns(const GenerateRequest& request) {
    std::vector<Turn> turns;
    for (uint32_t i = 0; i < request.messages.size(); ++i) {
        const ChatMessage& message = request.messages[i];
        // What a tool said belongs to the question for which it was called.
        const bool goesOn = message.role == Role::Assistant || chat::isToolResult(message);
        if (turns.empty() || !goesOn) turns.push_back({.first = i});
        Turn& turn = turns.back();
        turn.end = i + 1;
        turn.mustStay = turn.mustStay || request.messages[i].role == Role::System ||
                        std::ranges::find(request.pinned, i) != request.pinned.end();
    }
    turns.back().mustStay = true;
    return turns;
}

/// A prompt, and the ids that it takes: all of them where they are not more than there is room for, else at
/// least so many.
struct SizedPrompt {
    PlannedPrompt planned;
    size_t tokens = 0;
};

/// How many ids a long text becomes at least, without cutting it; 0 for others, which can be counted.
size_t leastTokens(const OpenedModel& model, std::span<const tokenizer::TextSegment> segments) {
    const size_t most = model.tokenizer->mostBytesPerId();
    size_t bytes = 0;
    for (const auto& segment : segments) bytes += segment.text.size();
    return most == 0 || bytes <= kLongTextBytes ? 0 : (bytes + most - 1) / most;
}

/// Errors: Cancelled.
Status checkWanted() {
    if (StopScope::isStopWanted()) return fail(ErrorCode::Cancelled, "cancelled");
    return {};
}

size_t bytesOf(std::span<const ChatMessage> messages) {
    size_t bytes = 0;
    for (const ChatMessage& message : messages)
        for (const Part& part : message.parts) bytes += part.text.size();
    return bytes;
}

/// What is done for one request, though it renders and cuts its texts many times, has one budget. Once a
/// template has used it up, the built-in format renders.
class Renderings {
  public:
    Renderings(const chat::PromptRenderer& prompts, std::span<const ChatMessage> messages)
        : m_prompts(prompts),
          m_meter(chat::jinja::Meter::kMostWork + kWorkPerByte * bytesOf(messages)),
          m_texts(bytesOf(messages)) {}

    chat::PromptRenderer::Rendered render(std::span<const ChatMessage> messages, chat::GenerationPrompt add) {
        return m_prompts.render(messages, add, m_meter);
    }

  private:
    /// A long chat is rendered some twenty times until it fits, and each byte copied a few times.
    static constexpr size_t kWorkPerByte = 256;

    const chat::PromptRenderer& m_prompts;
    chat::jinja::Meter m_meter;
    const tokenizer::TextMeter::Together m_texts;
};

/// Fills in ids, messageTokens and the plan's note, where they may be as few as `budget`. Returns how many
/// ids there are, or are at least.
Result<size_t> tokenizeChat(const OpenedModel& model, Renderings& prompts, const ShownPictures& shown,
                            std::span<const ChatMessage> messages, size_t budget, PlannedPrompt& planned) {
    auto rendered = prompts.render(messages, chat::GenerationPrompt::Add);
    INGLE_TRY(checkWanted());
    if (const size_t least = leastTokens(model, rendered.segments); least > budget) return least;
    const auto withoutAnswer = prompts.render(messages, chat::GenerationPrompt::Omit);
    INGLE_TRY_ASSIGN(const PromptIds messagesOnly, shown.encode(model, withoutAnswer.segments));
    INGLE_TRY_ASSIGN(PromptIds all, shown.encode(model, rendered.segments));
    planned.ids = std::move(all.ids);
    planned.pictures = std::move(all.pictures);
    planned.plan.note = std::move(rendered.note);
    planned.stops.assign(rendered.stops.begin(), rendered.stops.end());
    const bool endsInMarkup = !rendered.segments.empty() && rendered.segments.back().parseSpecial;
    planned.end = endsInMarkup ? rendered.segments.back().text : "";
    if (planned.ids.empty()) return fail(ErrorCode::InvalidArgument, "the prompt is empty");
    const auto common = std::ranges::mismatch(planned.ids, messagesOnly.ids).in1 - planned.ids.begin();
    // At least one token is left, to be fed when the answer begins.
    planned.messageTokens = std::min(static_cast<size_t>(common), planned.ids.size() - 1);
    return planned.ids.size();
}

Error conversationFull(size_t tokens, uint32_t context, size_t room) {
    return withId<ErrorId::ConversationFull>(
        Error{ErrorCode::InvalidArgument,
              fmt::format("the conversation is full: it needs at least {} tokens, and the context of {} has "
                          "room for {}",
                          tokens, context, room)},
        tokens, room);
}

/// Errors: ConversationFull, where the text cannot fit; Unsupported.
Result<std::vector<TokenId>> tokenizeWithin(const OpenedModel& model, const tokenizer::TextSegment& text,
                                            bool addSpecial, uint32_t context) {
    INGLE_TRY(checkTokenizer(model));
    const size_t least = leastTokens(model, {&text, 1});
    if (context > 0 && least > context)
        return tl::unexpected<Error>(conversationFull(least, context, context));
    return model.tokenizer->encode({&text, 1}, addSpecial);
}

/// Errors: InvalidArgument, for an id that is no token; Unsupported.
Status checkVocabulary(const OpenedModel& model, std::span<const TokenId> ids) {
    INGLE_TRY(checkTokenizer(model));
    const size_t size = model.tokenizer->vocabSize();
    for (const TokenId id : ids)
        if (id < 0 || static_cast<size_t>(id) >= size)
            return fail(ErrorCode::InvalidArgument, "token {} is outside the vocabulary of {}", id, size);
    return {};
}

Result<PlannedPrompt> planRaw(const OpenedModel& model, const GenerateRequest& request) {
    PlannedPrompt planned;
    planned.thinks = model.prompts->thinks();
    if (request.rawPrompt.empty()) {
        if (request.idsAreText) INGLE_TRY(checkVocabulary(model, request.rawTokens));
        planned.ids = request.rawTokens;
    } else {
        INGLE_TRY_ASSIGN(planned.ids, tokenizeWithin(model, {request.rawPrompt, /*parseSpecial=*/true},
                                                     /*addSpecial=*/true, contextOf(model, request)));
    }
    if (planned.ids.empty()) return fail(ErrorCode::InvalidArgument, "there is no text to continue");
    return planned;
}

Result<PlannedPrompt> planChat(const OpenedModel& model, const GenerateRequest& request) {
    INGLE_TRY(checkTokenizer(model));
    for (const uint32_t pinned : request.pinned) {
        if (pinned >= request.messages.size()) {
            return fail(ErrorCode::InvalidArgument, "pinned message {} of {}", pinned,
                        request.messages.size());
        }
    }
    std::vector<Turn> turns = splitTurns(request);
    const chat::PromptRenderer prompts = promptsOf(model, request.promptForm);
    const uint32_t context = contextOf(model, request);
    const uint32_t room = roomForPrompts(context, prompts);
    const uint32_t budget = room > 0 ? room : UINT32_MAX;

    INGLE_TRY_ASSIGN(const ShownPictures shown, ShownPictures::of(model, request.messages));
    const std::vector<ChatMessage> messages = shown.marked(request.messages);
    Renderings renderings(prompts, messages);
    const auto droppable = static_cast<size_t>(std::ranges::count(turns, false, &Turn::mustStay));
    const auto withoutOldest = [&](size_t count) -> Result<SizedPrompt> {
        INGLE_TRY(checkWanted());
        SizedPrompt prompt;
        PlannedPrompt& planned = prompt.planned;
        planned.thinks = prompts.thinks();
        planned.calls = prompts.callReading();
        planned.shown = shown;
        std::vector<ChatMessage> kept;
        for (const Turn& turn : turns) {
            const bool drop = !turn.mustStay && count > 0;
            if (drop) --count;
            for (uint32_t i = turn.first; i < turn.end; ++i) {
                (drop ? planned.plan.dropped : planned.plan.kept).push_back(i);
                if (!drop) kept.push_back(messages[i]);
            }
        }
        INGLE_TRY_ASSIGN(prompt.tokens, tokenizeChat(model, renderings, shown, kept, budget, planned));
        return prompt;
    };
    if (request.whenFull == WhenFull::Refuse) {
        INGLE_TRY_ASSIGN(SizedPrompt whole, withoutOldest(0));
        if (whole.tokens <= budget) return std::move(whole.planned);
        return tl::unexpected<Error>(conversationFull(whole.tokens, context, budget));
    }
    size_t estimate = 0;
    for (Turn& turn : turns) {
        for (uint32_t i = turn.first; i < turn.end; ++i) {
            INGLE_TRY(checkWanted());
            const tokenizer::TextSegment text{chat::messageText(messages[i])};
            INGLE_TRY_ASSIGN(const auto ids, model.tokenizer->encode({&text, 1}, /*addSpecial=*/false));
            turn.estimate += ids.size() + kMarkupTokens + shown.numRows(messages[i]);
        }
        estimate += turn.estimate;
    }
    // The estimate says where to begin; the exact count decides. The fewest dropped turns that make room are
    // found by bisection, since a template may take long and a chat may have many turns.
    size_t tooFew = 0;
    for (const Turn& turn : turns) {
        if (estimate <= budget + turns.size() * kMarkupTokens || tooFew == droppable) break;
        if (turn.mustStay) continue;
        estimate -= turn.estimate;
        ++tooFew;
    }
    INGLE_TRY_ASSIGN(SizedPrompt best, withoutOldest(tooFew));
    if (best.tokens <= budget) return std::move(best.planned);
    INGLE_TRY_ASSIGN(best, withoutOldest(droppable));
    if (best.tokens > budget) {
        return withId<ErrorId::MessageTooLong>(
            fail(
                ErrorCode::InvalidArgument,
                "the message is too long: it needs at least {} tokens, and the context of {} has room for {}",
                best.tokens, context, budget),
            best.tokens, budget);
    }
    for (size_t enough = droppable; enough - tooFew > 1;) {
        const size_t middle = tooFew + (enough - tooFew) / 2;
        INGLE_TRY_ASSIGN(SizedPrompt prompt, withoutOldest(middle));
        if (prompt.tokens <= budget) {
            best = std::move(prompt);
            enough = middle;
        } else {
            tooFew = middle;
        }
    }
    return std::move(best.planned);
}

}  // namespace

Result<PromptPreview> previewPrompt(const OpenedModel& model, const GenerateRequest& request) {
    PromptPreview preview;
    INGLE_TRY_ASSIGN(PlannedPrompt planned, planPrompt(model, request));
    INGLE_TRY(AnswerRules::create(model, request, planned));
    const chat::PromptRenderer prompts = promptsOf(model, request.promptForm);
    const std::vector<ChatMessage> messages = planned.shown.marked(request.messages);
    std::vector<ChatMessage> kept;
    for (const uint32_t index : planned.plan.kept) kept.push_back(messages[index]);
    preview.text = request.rawPrompt;
    Renderings renderings(prompts, messages);
    if (!kept.empty()) {
        preview.text += planned.shown.textOf(renderings.render(kept, chat::GenerationPrompt::Add).segments);
        INGLE_TRY(checkWanted());
    }
    for (const ChatMessage& message : request.messages) {
        auto& counts = preview.partTokens.emplace_back();
        for (const Part& part : message.parts) {
            const ChatMessage alone{message.role, {part}};
            if (const size_t rows = planned.shown.numRows(alone); rows > 0) {
                counts.push_back(static_cast<uint32_t>(rows));
                continue;
            }
            const tokenizer::TextSegment text{chat::messageText(alone)};
            INGLE_TRY_ASSIGN(const auto ids, model.tokenizer->encode({&text, 1}, /*addSpecial=*/false));
            counts.push_back(static_cast<uint32_t>(ids.size()));
        }
    }
    preview.room = roomForPrompts(contextOf(model, request), prompts);
    preview.plan = std::move(planned.plan);
    return preview;
}

chat::PromptRenderer promptsOf(const OpenedModel& model, const PromptForm& form) {
    return model.prompts->inForm(form);
}

uint32_t contextOf(const OpenedModel& model, const GenerateRequest& request) {
    if (request.contextTokens == 0) return model.contextTokens;
    return model.contextTokens == 0 ? request.contextTokens
                                    : std::min(model.contextTokens, request.contextTokens);
}

uint32_t roomForPrompts(uint32_t context, const chat::PromptRenderer& prompts) {
    return context - std::min(context / 4, prompts.thinks() ? kThinkingTokens : kAnswerTokens);
}

Status checkTokenizer(const OpenedModel& model) {
    if (model.tokenizer) return {};
    return withId<ErrorId::NoTokenizer>(
        fail(ErrorCode::Unsupported, "{}: the model has no tokenizer, so it cannot chat", model.file.path),
        model.file.path);
}

Result<PromptSize> measurePrompt(const OpenedModel& model, std::span<const ChatMessage> messages) {
    INGLE_TRY(checkTokenizer(model));
    INGLE_TRY_ASSIGN(const ShownPictures shown, ShownPictures::of(model, messages));
    const std::vector<ChatMessage> marked = shown.marked(messages);
    Renderings renderings(*model.prompts, marked);
    const auto rendered = renderings.render(marked, chat::GenerationPrompt::Add);
    INGLE_TRY(checkWanted());
    INGLE_TRY_ASSIGN(const PromptIds prompt, shown.encode(model, rendered.segments));
    return PromptSize{static_cast<uint32_t>(prompt.ids.size()),
                      roomForPrompts(model.contextTokens, *model.prompts)};
}

std::vector<size_t> messageEnds(const OpenedModel& model, const GenerateRequest& request,
                                const PlannedPrompt& planned, size_t after) {
    const chat::PromptRenderer prompts = promptsOf(model, request.promptForm);
    std::vector<size_t> ends{planned.messageTokens};
    const std::vector<ChatMessage> all = planned.shown.marked(request.messages);
    std::vector<ChatMessage> messages;
    for (const uint32_t index : planned.plan.kept) messages.push_back(all[index]);
    Renderings renderings(prompts, messages);
    while (messages.size() > 1 && ends.back() > after && !StopScope::isStopWanted()) {
        messages.pop_back();
        const auto rendered = renderings.render(messages, chat::GenerationPrompt::Omit);
        const auto prompt = planned.shown.encode(model, rendered.segments);
        if (!prompt) break;
        const auto common =
            static_cast<size_t>(std::ranges::mismatch(planned.ids, prompt->ids).in1 - planned.ids.begin());
        if (common < ends.back()) ends.push_back(common);
    }
    std::ranges::reverse(ends);
    return ends;
}

Result<PlannedPrompt> planPrompt(const OpenedModel& model, const GenerateRequest& request) {
    if (!request.promptForm.tools.empty()) INGLE_TRY(chat::checkTools(request.promptForm.tools));
    INGLE_TRY_ASSIGN(PlannedPrompt planned,
                     request.messages.empty() ? planRaw(model, request) : planChat(model, request));
    planned.plan.contextTokens = contextOf(model, request);
    if (!request.resumeText.empty()) {
        INGLE_TRY_ASSIGN(const auto resumed, tokenizeWithin(model, {request.resumeText}, /*addSpecial=*/false,
                                                            planned.plan.contextTokens));
        // It is the answer's, not a thought's that the chat format has begun.
        const tokenizer::TextSegment ending{chat::thoughtEnding(planned.end, planned.calls),
                                            /*parseSpecial=*/true};
        INGLE_TRY_ASSIGN(planned.begun, model.tokenizer->encode({&ending, 1}, /*addSpecial=*/false));
        planned.begun.insert(planned.begun.end(), resumed.begin(), resumed.end());
    }
    planned.plan.promptTokens = static_cast<uint32_t>(planned.ids.size() + planned.begun.size());
    planned.plan.promptHash = hashIds(planned.ids);
    return planned;
}

}  // namespace ingle::session
