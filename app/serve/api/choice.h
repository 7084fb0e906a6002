/// One of the answers to a request, as far as it has come.
#pragma once

#include <string>
#include <vector>

#include "app/serve/api/tool_calls.h"
#include "ingle/types.h"

namespace ingle::serve::api {

/// What is new of a choice.
struct Delta {
    unsigned index = 0;
    std::string thought;
    std::string text;
    std::vector<ToolCall> calls;
    size_t firstCall = 0;  ///< the first one's number among the choice's
    std::vector<TokenChances> chances;

    bool isEmpty() const { return thought.empty() && text.empty() && calls.empty() && chances.empty(); }
};

/// What becomes of an answer's calls.
enum class Calls {
    AsWritten,
    First,     ///< what comes behind the first one is left out
    Demanded,  ///< all of the text is one call
    Nothing,   ///< the prompt is only read: neither text nor calls count
};

/// Puts pieces together, and finds the calls among them. One thread.
class Choice {
  public:
    Choice(unsigned index, Calls form) : m_index(index), m_form(form) {}

    /// `tokens`: how many of them the pieces came from.
    Delta add(const std::vector<PartPiece>& pieces, std::vector<TokenChances> chances, uint32_t tokens = 0);
    /// What only the end decides.
    Delta finish(const GenerateResult& result);

    unsigned index() const { return m_index; }
    std::string text() const { return textOf(m_parts, PartKind::Text); }
    std::string thought() const { return textOf(m_parts, PartKind::Thought); }
    const std::vector<ToolCall>& calls() const { return m_calls; }
    const std::vector<TokenChances>& chances() const { return m_chances; }
    const GenerateStats& stats() const { return m_stats; }
    /// About as many of its tokens are thoughts.
    uint32_t thoughtTokens() const { return m_thoughtTokens; }
    const std::vector<Part>& parts() const { return m_parts; }
    /// "stop", "length" or "tool_calls", once it is finished.
    std::string_view finishReason() const;
    /// What it does not keep of its schema; empty: nothing.
    const std::string& violation() const { return m_violation; }

  private:
    /// Of tool calls that are whole: all but the last part, and with `isEnd` that as well.
    void readCalls(Delta& delta, bool isEnd);
    void readDemandedCall(Delta& delta);
    void addCalls(Delta& delta, std::vector<ToolCall> calls);
    /// Nothing that comes now counts.
    bool isComplete() const {
        return m_form == Calls::Nothing || (m_form == Calls::First && !m_calls.empty());
    }

    const unsigned m_index;
    const Calls m_form;
    std::vector<Part> m_parts;
    size_t m_partsRead = 0;  ///< before it there is no call that was not told
    std::vector<ToolCall> m_calls;
    std::vector<TokenChances> m_chances;
    uint32_t m_thoughtTokens = 0;
    GenerateStats m_stats;
    StopReason m_reason = StopReason::EndOfText;
    std::string m_violation;
};

}  // namespace ingle::serve::api
