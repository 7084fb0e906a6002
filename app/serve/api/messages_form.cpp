#include <algorithm>

#include "app/serve/api/json_text.h"
#include "app/serve/api/messages.h"
#include "app/serve/api/tool_calls.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

std::string_view stopReasonOf(const Choice& choice) {
    if (choice.finishReason() == "length") return "max_tokens";
    const auto isWhole = [](const ToolCall& call) { return argumentsOf(call).has_value(); };
    return std::ranges::any_of(choice.calls(), isWhole) ? "tool_use" : "end_turn";
}

json numbersOf(const Usage& usage) {
    return {{"input_tokens", usage.promptTokens - usage.cachedTokens},
            {"cache_creation_input_tokens", 0},
            {"cache_read_input_tokens", usage.cachedTokens},
            {"output_tokens", usage.newTokens}};
}

json messageOf(const AnswerName& name, const Usage& usage) {
    return {{"id", name.id},
            {"type", "message"},
            {"role", "assistant"},
            {"model", name.model},
            {"content", json::array()},
            {"stop_reason", nullptr},
            {"stop_sequence", nullptr},
            {"usage", numbersOf(usage)}};
}

class MessagesForm final : public AnswerForm {
  public:
    std::string_view idPrefix() const override { return "msg_"; }
    ErrorShape errors() const override { return ErrorShape::Anthropic; }

    std::string whole(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        const Choice& choice = choices.front();
        json message = messageOf(name, usage);
        json& content = message["content"];
        if (std::string thought = choice.thought(); !thought.empty())
            content.push_back({{"type", "thinking"}, {"thinking", thought}, {"signature", ""}});
        if (std::string text = choice.text(); !text.empty())
            content.push_back({{"type", "text"}, {"text", text}});
        for (size_t index = 0; index < choice.calls().size(); ++index) {
            const ToolCall& call = choice.calls()[index];
            if (auto input = argumentsOf(call))
                content.push_back(toolUse(name, choice.index(), index, call, std::move(*input)));
            else
                content.push_back({{"type", "text"}, {"text", unfinishedText(call)}});
        }
        message["stop_reason"] = stopReasonOf(choice);
        if (!choice.violation().empty()) message[kViolation] = choice.violation();
        return toText(message);
    }

    std::string first(const AnswerName& name, unsigned, const Usage& usage) override {
        return event("message_start", {{"message", messageOf(name, usage)}});
    }

    std::string delta(const AnswerName& name, const Delta& delta) override {
        std::string events;
        if (!delta.thought.empty()) {
            events += open(Block::Thought);
            events += blockDelta({{"type", "thinking_delta"}, {"thinking", delta.thought}});
        }
        if (!delta.text.empty()) events += text(delta.text);
        for (size_t index = 0; index < delta.calls.size(); ++index) {
            const ToolCall& call = delta.calls[index];
            const auto input = argumentsOf(call);
            if (!input) {
                events += text(unfinishedText(call));
                continue;
            }
            events += close();
            events += begin(Block::ToolUse,
                            toolUse(name, delta.index, delta.firstCall + index, call, json::object()));
            events += blockDelta({{"type", "input_json_delta"}, {"partial_json", toText(*input)}});
        }
        return events;
    }

    std::string last(const AnswerName&, const Choice&) override { return close(); }

    std::string end(const AnswerName&, std::span<const Choice> choices, const Usage& usage) override {
        const Choice& choice = choices.front();
        json change{{"stop_reason", stopReasonOf(choice)}, {"stop_sequence", nullptr}};
        if (!choice.violation().empty()) change[kViolation] = choice.violation();
        return event("message_delta", {{"delta", std::move(change)}, {"usage", numbersOf(usage)}}) +
               event("message_stop", json::object());
    }

    std::string failed(const AnswerName&, const ApiError& error) override {
        return eventOf(errorObject(error, errors()), "error");
    }
    std::string reading(double) override { return event("ping", json::object()); }

  private:
    enum class Block { None, Thought, Text, ToolUse };

    static std::string event(std::string_view type, const json& data) {
        json told{{"type", type}};
        told.update(data);
        return eventOf(toText(told), type);
    }
    static json toolUse(const AnswerName& name, unsigned choice, size_t index, const ToolCall& call,
                        json input) {
        return {{"type", "tool_use"},
                {"id", idOfCall(name, choice, index, call)},
                {"name", call.name},
                {"input", std::move(input)}};
    }

    std::string begin(Block block, json content) {
        m_open = block;
        return event("content_block_start", {{"index", m_index}, {"content_block", std::move(content)}});
    }
    std::string open(Block block) {
        if (m_open == block) return {};
        std::string events = close();
        return events + begin(block, block == Block::Thought
                                         ? json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}
                                         : json{{"type", "text"}, {"text", ""}});
    }
    std::string text(std::string_view text) {
        const std::string events = open(Block::Text);
        return events + blockDelta({{"type", "text_delta"}, {"text", text}});
    }
    std::string blockDelta(json delta) const {
        return event("content_block_delta", {{"index", m_index}, {"delta", std::move(delta)}});
    }
    std::string close() {
        if (m_open == Block::None) return {};
        m_open = Block::None;
        return event("content_block_stop", {{"index", m_index++}});
    }

    Block m_open = Block::None;
    unsigned m_index = 0;
};

}  // namespace

std::unique_ptr<AnswerForm> messagesForm() {
    return std::make_unique<MessagesForm>();
}

}  // namespace ingle::serve::api
