#include <fmt/chrono.h>

#include "app/serve/api/json_text.h"
#include "app/serve/api/ollama.h"
#include "app/serve/api/tool_calls.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

json answerOf(const AnswerName& name, const Delta& delta, bool isDone) {
    std::string content = delta.text;
    json calls = json::array();
    for (size_t index = 0; index < delta.calls.size(); ++index) {
        const ToolCall& call = delta.calls[index];
        auto arguments = argumentsOf(call);
        if (!arguments) {
            content += unfinishedText(call);
            continue;
        }
        calls.push_back({{"id", idOfCall(name, delta.index, delta.firstCall + index, call)},
                         {"function",
                          {{"index", delta.firstCall + index},
                           {"name", call.name},
                           {"arguments", std::move(*arguments)}}}});
    }
    json message{{"role", "assistant"}, {"content", std::move(content)}};
    if (!delta.thought.empty()) message["thinking"] = delta.thought;
    if (!calls.empty()) message["tool_calls"] = std::move(calls);
    return {{"model", name.model},
            {"created_at", timeText(name.createdSeconds)},
            {"message", std::move(message)},
            {"done", isDone}};
}

/// The last object of a stream, or all of an answer.
json endOf(const AnswerName& name, const Delta& delta, const Choice& choice, const Usage& usage) {
    const auto nanoseconds = [](double milliseconds) { return static_cast<int64_t>(milliseconds * 1e6); };
    const GenerateStats& stats = choice.stats();
    json told = answerOf(name, delta, true);
    told.update({{"done_reason", choice.finishReason() == "length" ? "length" : "stop"},
                 {"total_duration", nanoseconds(stats.prefillMs + stats.decodeMs)},
                 {"load_duration", 0},
                 {"prompt_eval_count", usage.promptTokens},
                 {"prompt_eval_duration", nanoseconds(stats.prefillMs)},
                 {"eval_count", usage.newTokens},
                 {"eval_duration", nanoseconds(stats.decodeMs)}});
    if (!choice.violation().empty()) told[kViolation] = choice.violation();
    return told;
}

class OllamaChatForm final : public AnswerForm {
  public:
    std::string_view idPrefix() const override { return {}; }
    std::string_view streamType() const override { return "application/x-ndjson"; }
    ErrorShape errors() const override { return ErrorShape::Ollama; }

    std::string whole(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        const Choice& choice = choices.front();
        return toText(endOf(name,
                            {.thought = choice.thought(), .text = choice.text(), .calls = choice.calls()},
                            choice, usage));
    }
    std::string first(const AnswerName&, unsigned, const Usage&) override { return {}; }
    std::string delta(const AnswerName& name, const Delta& delta) override {
        return toText(answerOf(name, delta, false)) + "\n";
    }
    std::string last(const AnswerName&, const Choice&) override { return {}; }
    std::string end(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        return toText(endOf(name, {}, choices.front(), usage)) + "\n";
    }
    std::string failed(const AnswerName&, const ApiError& error) override {
        return errorObject(error, errors()) + "\n";
    }
    std::string reading(double) override { return {}; }
};

}  // namespace

std::string timeText(int64_t secondsSince1970) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(secondsSince1970)));
}

std::unique_ptr<AnswerForm> ollamaChatForm() {
    return std::make_unique<OllamaChatForm>();
}

}  // namespace ingle::serve::api
