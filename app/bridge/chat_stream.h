/// The stream of an answer: chunks of OpenAI's interface as pieces of parts.
/// Source: OpenAI API reference, "The chat completion chunk object"; `reasoning_content` (vLLM, llama.cpp,
/// DeepSeek) or `reasoning` holds what the model thinks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/bridge/json_text.h"
#include "app/sse/sse.h"
#include "ingle/types.h"

namespace ingle::bridge {

struct FarUsage {
    uint32_t promptTokens = 0, cachedTokens = 0, newTokens = 0;
};

/// One thread.
class ChatStream {
  public:
    /// Errors: Corrupt (no stream of an answer, or too much of it); what the server says instead of an
    /// answer, as Io. Nothing may be pushed after that.
    Status push(std::string_view bytes);

    /// What has arrived since the last call. A tool call arrives whole, as a part whose text is
    /// {"name": …, "arguments": …}.
    std::vector<PartPiece> takePieces();
    /// The whole answer has arrived, whether or not its connection ends well.
    bool isComplete() const { return m_finished || m_isDone; }
    /// It has said that nothing follows.
    bool isWhole() const { return m_isDone; }
    /// "stop", "length", "tool_calls" …; empty: not told
    const std::string& finishReason() const { return m_finishReason; }
    const std::optional<FarUsage>& usage() const { return m_usage; }
    /// Chunks that had some of the answer: about as many as tokens.
    uint32_t numChunks() const { return m_numChunks; }
    /// Those of them that had text.
    uint32_t numTextChunks() const { return m_numTextChunks; }
    /// Something of a stream has arrived.
    bool hasBegun() const { return m_hasBegun; }

  private:
    struct Call {
        uint32_t index = 0;
        std::string name, arguments;
    };
    Status takeEvent(const std::string& data);
    void takeDelta(const nlohmann::json& delta);
    void takeCall(const nlohmann::json& call, uint32_t place);
    void endCall();

    SseParser m_events;
    std::vector<PartPiece> m_pieces;
    std::optional<Call> m_call;
    bool m_finished = false, m_isDone = false;
    std::string m_finishReason;
    std::optional<FarUsage> m_usage;
    uint32_t m_numChunks = 0, m_numTextChunks = 0;
    bool m_hasBegun = false;
    size_t m_bytes = 0;
};

}  // namespace ingle::bridge
