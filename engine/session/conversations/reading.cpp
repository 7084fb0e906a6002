#include "engine/session/conversations/reading.h"

#include <algorithm>
#include <array>

#include "engine/chat/tools.h"
#include "engine/session/conversations/prompt_planner.h"
#include "engine/session/snapshots/model_snapshots.h"
#include "engine/tokenizer/text_meter.h"
#include "ingle/error_ids.h"

namespace ingle::session {
namespace {

/// What may follow the text: a question in the same message, of different kinds of characters, or nothing.
constexpr std::array<const char*, 4> kContinuations{"", "What", "7", "\u201c"};

}  // namespace

Result<std::vector<TokenId>> commonTokens(const OpenedModel& model, const chat::PromptRenderer& prompts,
                                          std::span<const ChatMessage> messages) {
    INGLE_TRY(checkTokenizer(model));
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "there is no text to read");
    size_t bytes = 0;
    for (const ChatMessage& message : messages)
        for (const Part& part : message.parts) bytes += part.text.size();
    const tokenizer::TextMeter::Together texts(bytes);
    std::vector<TokenId> common;
    for (const char* continuation : kContinuations) {
        std::vector<ChatMessage> longer(messages.begin(), messages.end());
        longer.back().parts.push_back({PartKind::Text, continuation, {}});
        const auto rendered = prompts.render(longer, chat::GenerationPrompt::Omit);
        INGLE_TRY_ASSIGN(std::vector<TokenId> ids,
                         model.tokenizer->encode(rendered.segments, /*addSpecial=*/true));
        if (continuation == kContinuations[0])
            common = std::move(ids);
        else
            common.resize(commonPrefix(common, ids));
    }
    if (common.empty()) return fail(ErrorCode::InvalidArgument, "there is no text to read");
    return common;
}

bool Reading::canBegin() const {
    return m_snapshots.ready() || !m_snapshots.hasStore();
}

Status Reading::plan(const OpenedModel& model) {
    if (!m_snapshots.hasStore())
        return fail(ErrorCode::Unsupported, "nothing that this model reads is kept on the disk");
    if (!m_request.promptForm.tools.empty()) INGLE_TRY(chat::checkTools(m_request.promptForm.tools));
    const chat::PromptRenderer prompts = promptsOf(model, m_request.promptForm);
    INGLE_TRY_ASSIGN(m_ids, commonTokens(model, prompts, m_request.messages));
    if (const uint32_t room = roomForPrompts(model.contextTokens, prompts); room > 0 && m_ids.size() > room) {
        const size_t tokens = m_ids.size();
        return withId<ErrorId::MessageTooLong>(
            fail(ErrorCode::InvalidArgument,
                 "the text is too long: it needs {} tokens, and the context of {} has room for {}", tokens,
                 model.contextTokens, room),
            tokens, room);
    }
    return {};
}

void Reading::afterPlan() {
    BackgroundTask::afterPlan();
    m_cost = {.tokens = static_cast<uint32_t>(m_ids.size()),
              .readTokens = static_cast<uint32_t>(m_snapshots.longestPrefix(m_ids)),
              .keptBytes = m_snapshots.bytesOf(static_cast<uint32_t>(m_ids.size()))};
    m_sink.onCost(m_cost);
    m_finished = m_cost.readTokens == m_cost.tokens;
}

void Reading::begin(CachedSequence sequence) {
    BackgroundTask::begin(std::move(sequence));
    m_keptTokens = m_sequence.ids.size();
}

BackgroundTask::Next Reading::next(size_t most, size_t /*mostRows*/) const {
    // To the end of a page, where it is kept.
    const size_t done = m_sequence.ids.size();
    const size_t pageEnd = (done / backend::kPageTokens + 1) * backend::kPageTokens;
    const size_t count = std::min({most, pageEnd - done, m_ids.size() - done});
    return {std::span(m_ids).subspan(done, count), static_cast<uint32_t>(count)};
}

void Reading::fed(size_t count) {
    noteFed(count);
    const size_t done = m_sequence.ids.size();
    m_finished = done == m_ids.size();
    if (m_finished || done % backend::kPageTokens == 0) keep();
    m_sink.onProgress(static_cast<uint32_t>(done), m_cost.tokens);
}

void Reading::keep() {
    m_snapshots.saveReading(m_sequence.ids, *m_sequence.memory, m_finished, m_keptTokens, m_request.keeper);
    m_keptTokens = m_sequence.ids.size();
}

void Reading::tellResult() {
    m_cost.readTokens = m_cost.tokens;
    m_sink.onRead(m_cost);
}

}  // namespace ingle::session
