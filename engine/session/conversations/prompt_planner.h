/// What the model will see: rendering, tokenizing, and dropping the oldest turns that do not fit. Shared by
/// window and command line.
#pragma once

#include <vector>

#include "engine/session/conversations/prompt_pictures.h"
#include "engine/session/loading/model.h"
#include "ingle/engine.h"

namespace ingle::session {

/// What is longer takes longer to be tokenized than others should wait: a megabyte takes seconds.
inline constexpr size_t kLongTextBytes = size_t{32} << 10;

struct PlannedPrompt {
    PromptPlan plan;
    std::vector<TokenId> ids;    ///< those of pictures' rows are below 0
    PromptPictures pictures;     ///< where these are
    ShownPictures shown;         ///< of all messages
    std::vector<TokenId> begun;  ///< behind them: GenerateRequest::resumeText
    /// How many of the ids come before the generation prompt: what the next turn's prompt will begin with.
    size_t messageTokens = 0;
    std::vector<std::string> stops;  ///< of the chat format
    /// Markup at the end of the prompt's text, which the answer goes on from.
    std::string end;
    chat::CallReading calls;  ///< those that the answer may make
    bool thinks = false;      ///< the chat format speaks of thoughts: such models write long ones
};

/// Keeps the system message, pinned messages and the last one, and drops whole turns (a question with its
/// answer), oldest first, until the prompt leaves room for an answer. Deterministic. Errors: InvalidArgument
/// (nothing to answer, a pinned index out of range, what must be kept does not fit, or something would be
/// dropped from a request that wants to know of it: ConversationFull); Unsupported when the
/// model has no tokenizer; as ShownPictures::of(); Cancelled, as StopScope says.
Result<PlannedPrompt> planPrompt(const OpenedModel& model, const GenerateRequest& request);

/// What planPrompt() makes, for people. Errors: as planPrompt(); GrammarRefused.
Result<PromptPreview> previewPrompt(const OpenedModel& model, const GenerateRequest& request);

/// Errors: Unsupported when the model has no tokenizer.
Status checkTokenizer(const OpenedModel& model);

/// How this model's prompts are made in the form that a request wants.
chat::PromptRenderer promptsOf(const OpenedModel& model, const PromptForm& form);

/// What a request may use of the model's context; 0: no limit.
uint32_t contextOf(const OpenedModel& model, const GenerateRequest& request);

/// Of a context, beside an answer; 0: no limit.
uint32_t roomForPrompts(uint32_t context, const chat::PromptRenderer& prompts);

/// What `messages` take, with nothing dropped, and the room there is. Errors: Unsupported (no tokenizer).
Result<PromptSize> measurePrompt(const OpenedModel& model, std::span<const ChatMessage> messages);

/// Where in planned.ids messages end, ascending, as far as they end after the first `after` ids: where a chat
/// that is edited or branched may go on from. The last one is planned.messageTokens.
std::vector<size_t> messageEnds(const OpenedModel& model, const GenerateRequest& request,
                                const PlannedPrompt& planned, size_t after);

}  // namespace ingle::session
