#include "app/bridge/chat_stream.h"

#include "app/bridge/far_errors.h"

namespace ingle::bridge {
namespace {

using nlohmann::json;

/// Of one answer, with all that is around its text.
constexpr size_t kMaxBytes = 256u << 20;
/// Of the arguments of one call.
constexpr size_t kMaxArguments = 1u << 20;

}  // namespace

Status ChatStream::push(std::string_view bytes) {
    m_bytes += bytes.size();
    if (m_bytes > kMaxBytes) return fail(ErrorCode::Corrupt, "its stream is longer than {} bytes", kMaxBytes);
    std::vector<std::string> events;
    const Status parsed = m_events.push(bytes, events);
    for (const std::string& data : events) {
        if (m_isDone) return {};
        INGLE_TRY(takeEvent(data));
    }
    return parsed;
}

std::vector<PartPiece> ChatStream::takePieces() {
    return std::exchange(m_pieces, {});
}

Status ChatStream::takeEvent(const std::string& data) {
    m_hasBegun = true;
    if (data == "[DONE]") {
        endCall();
        m_isDone = true;
        return {};
    }
    const auto chunk = readJson(data);
    if (!chunk || !chunk->is_object()) return fail(ErrorCode::Corrupt, "a part of its stream is no JSON");
    if (!memberAt(*chunk, "error").is_null()) {
        const std::string said = farMessage(data);
        return fail(ErrorCode::Io, "{}", said.empty() ? "an error without words" : said);
    }
    if (const json& usage = memberAt(*chunk, "usage"); usage.is_object()) {
        m_usage = FarUsage{
            .promptTokens = countAt(usage, "prompt_tokens").value_or(0),
            .cachedTokens = countAt(memberAt(usage, "prompt_tokens_details"), "cached_tokens").value_or(0),
            .newTokens = countAt(usage, "completion_tokens").value_or(0)};
    }
    const json& choices = memberAt(*chunk, "choices");
    if (!choices.is_array() || choices.empty()) return {};
    const json& choice = choices.front();
    takeDelta(memberAt(choice, "delta"));
    if (m_call && m_call->arguments.size() > kMaxArguments)
        return fail(ErrorCode::Corrupt, "the arguments of a call are longer than {} bytes", kMaxArguments);
    if (const auto reason = textAt(choice, "finish_reason")) {
        endCall();
        m_finished = true;
        m_finishReason = *reason;
    }
    return {};
}

void ChatStream::takeDelta(const json& delta) {
    const auto add = [&](PartKind kind, const char* name) {
        const auto text = textAt(delta, name);
        if (!text || text->empty()) return false;
        endCall();
        append(m_pieces, PartPiece{kind, *text, {}, false});
        return true;
    };
    // Some servers send the same under both names.
    bool hasSome = add(PartKind::Thought,
                       memberAt(delta, "reasoning_content").is_string() ? "reasoning_content" : "reasoning");
    if (add(PartKind::Text, "content")) {
        ++m_numTextChunks;
        hasSome = true;
    }
    const json& calls = memberAt(delta, "tool_calls");
    if (calls.is_array()) {
        uint32_t place = 0;
        for (const json& call : calls) takeCall(call, place++);
        hasSome = hasSome || place > 0;
    }
    if (hasSome) ++m_numChunks;
}

void ChatStream::takeCall(const json& call, uint32_t place) {
    const uint32_t index = countAt(call, "index").value_or(place);
    if (!m_call || m_call->index != index) {
        endCall();
        m_call = Call{.index = index, .name = {}, .arguments = {}};
    }
    const json& function = memberAt(call, "function");
    if (const auto name = textAt(function, "name")) m_call->name += *name;
    if (const auto arguments = textAt(function, "arguments")) m_call->arguments += *arguments;
}

/// In the form that many models write calls in themselves (Hermes), which whoever runs tools reads.
void ChatStream::endCall() {
    if (!m_call) return;
    const Call call = *std::exchange(m_call, std::nullopt);
    if (call.name.empty() && call.arguments.empty()) return;
    const auto arguments = readJson(call.arguments.empty() ? "{}" : call.arguments);
    nlohmann::ordered_json text;
    text["name"] = call.name;
    text["arguments"] = arguments ? *arguments : json(call.arguments);
    m_pieces.push_back({PartKind::ToolCall,
                        text.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                        call.name, true});
}

}  // namespace ingle::bridge
