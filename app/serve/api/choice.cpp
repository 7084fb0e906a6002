#include "app/serve/api/choice.h"

#include <iterator>
#include <utility>

namespace ingle::serve::api {
namespace {

bool isLimit(StopReason reason) {
    return reason == StopReason::MaxTokens || reason == StopReason::ContextFull;
}

}  // namespace

Delta Choice::add(const std::vector<PartPiece>& pieces, std::vector<TokenChances> chances, uint32_t tokens) {
    Delta delta{.index = m_index};
    if (isComplete()) return delta;
    for (const PartPiece& piece : pieces) {
        if (isComplete()) return delta;
        append(m_parts, piece);
        readCalls(delta, false);
        if (isComplete()) {
            m_parts.pop_back();
            return delta;
        }
        if (piece.kind == PartKind::Thought) delta.thought += piece.text;
        // A demanded call is told as a call, when it is whole.
        if (piece.kind == PartKind::Text && m_form != Calls::Demanded) delta.text += piece.text;
    }
    if (!m_parts.empty() && m_parts.back().kind == PartKind::Thought) m_thoughtTokens += tokens;
    m_chances.insert(m_chances.end(), chances.begin(), chances.end());
    delta.chances = std::move(chances);
    return delta;
}

Delta Choice::finish(const GenerateResult& result) {
    Delta delta = add(isLimit(result.reason) ? result.unfinished : result.tail, {});
    readCalls(delta, true);
    if (m_form == Calls::Demanded) readDemandedCall(delta);
    m_stats = result.stats;
    m_reason = result.reason;
    m_violation = result.violation;
    if (m_form == Calls::Nothing) {
        m_stats.newTokens = 0;
        m_reason = StopReason::MaxTokens;
    }
    return delta;
}

std::string_view Choice::finishReason() const {
    if (isLimit(m_reason)) return "length";
    return m_calls.empty() ? "stop" : "tool_calls";
}

void Choice::readCalls(Delta& delta, bool isEnd) {
    const size_t whole = m_parts.size() - (isEnd || m_parts.empty() ? 0 : 1);
    for (; m_partsRead < whole && !isComplete(); ++m_partsRead) {
        Part& part = m_parts[m_partsRead];
        if (part.kind != PartKind::ToolCall) continue;
        if (auto calls = parseToolCalls(part.text)) {
            if (calls->size() == 1) calls->front().id = part.id;
            addCalls(delta, std::move(*calls));
        } else {
            // In a form that is not known it is left to whoever asked.
            part.kind = PartKind::Text;
            delta.text += part.text;
        }
    }
}

void Choice::readDemandedCall(Delta& delta) {
    if (auto calls = parseToolCalls(text())) {
        std::erase_if(m_parts, [](const Part& part) { return part.kind == PartKind::Text; });
        addCalls(delta, std::move(*calls));
    } else {
        delta.text += text();  // a limit cut it off
    }
}

void Choice::addCalls(Delta& delta, std::vector<ToolCall> calls) {
    if (delta.calls.empty()) delta.firstCall = m_calls.size();
    if (m_form == Calls::First && calls.size() > 1) calls.resize(1);
    m_calls.insert(m_calls.end(), calls.begin(), calls.end());
    delta.calls.insert(delta.calls.end(), std::make_move_iterator(calls.begin()),
                       std::make_move_iterator(calls.end()));
}

}  // namespace ingle::serve::api
