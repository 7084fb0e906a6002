#include <fmt/format.h>

#include "app/serve/api/json_text.h"
#include "app/serve/api/responses.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

/// The items of an answer, as they are written, and the events that tell of them.
class Items {
  public:
    /// Adds a sequence number to an event.
    std::string event(std::string_view type, json data) {
        json told{{"type", type}, {"sequence_number", m_numEvents++}};
        told.update(data);
        return eventOf(toText(told), type);
    }

    std::string add(const AnswerName& name, const Delta& delta) {
        std::string events;
        if (!delta.thought.empty()) events += addText(name, kThought, delta.thought);
        if (!delta.text.empty()) events += addText(name, kAnswer, delta.text);
        for (size_t index = 0; index < delta.calls.size(); ++index)
            events += addCall(delta.calls[index],
                              idOfCall(name, delta.index, delta.firstCall + index, delta.calls[index]), name);
        return events;
    }

    /// An answer without anything is an empty text.
    std::string end(const AnswerName& name) {
        std::string events;
        if (m_items.empty() && m_open == nullptr) events += open(name, kAnswer);
        return events + close();
    }

    const json& all() const { return m_items; }

  private:
    /// An item of text.
    struct Kind {
        std::string_view type, idPrefix, part, delta, done;
    };
    static constexpr Kind kThought{"reasoning", "rs_", "reasoning_text", "response.reasoning_text.delta",
                                   "response.reasoning_text.done"};
    static constexpr Kind kAnswer{"message", "msg_", "output_text", "response.output_text.delta",
                                  "response.output_text.done"};

    static json partOf(const Kind& kind, const std::string& text) {
        json part{{"type", kind.part}, {"text", text}};
        if (&kind == &kAnswer) part.update({{"annotations", json::array()}, {"logprobs", json::array()}});
        return part;
    }
    json itemOf(const Kind& kind, std::string_view status) const {
        json item{{"id", m_id}, {"type", kind.type}, {"status", status}, {"content", json::array()}};
        if (&kind == &kAnswer) item["role"] = "assistant";
        if (&kind == &kThought) item["summary"] = json::array();
        return item;
    }
    json place() const { return {{"item_id", m_id}, {"output_index", m_items.size()}, {"content_index", 0}}; }
    std::string itemEvent(std::string_view type, const json& item) {
        return event(type, {{"output_index", m_items.size()}, {"item", item}});
    }
    std::string idOf(const AnswerName& name, std::string_view prefix) const {
        return fmt::format("{}{}{}", prefix, name.id.substr(name.id.find('_') + 1), m_items.size());
    }
    std::string partEvent(std::string_view type, const Kind& kind) {
        json told = place();
        told["part"] = partOf(kind, m_text);
        return event(type, told);
    }

    std::string open(const AnswerName& name, const Kind& kind) {
        if (m_open == &kind) return {};
        std::string events = close();
        m_open = &kind;
        m_id = idOf(name, kind.idPrefix);
        events += itemEvent("response.output_item.added", itemOf(kind, "in_progress"));
        return events + partEvent("response.content_part.added", kind);
    }

    std::string addText(const AnswerName& name, const Kind& kind, const std::string& text) {
        std::string events = open(name, kind);
        m_text += text;
        json told = place();
        told["delta"] = text;
        if (&kind == &kAnswer) told["logprobs"] = json::array();
        return events + event(kind.delta, told);
    }

    std::string close() {
        if (m_open == nullptr) return {};
        const Kind& kind = *std::exchange(m_open, nullptr);
        json told = place();
        told["text"] = m_text;
        if (&kind == &kAnswer) told["logprobs"] = json::array();
        std::string events = event(kind.done, told);
        events += partEvent("response.content_part.done", kind);
        json item = itemOf(kind, "completed");
        item["content"].push_back(partOf(kind, m_text));
        m_text.clear();
        return events + finish(std::move(item));
    }

    std::string addCall(const ToolCall& call, const std::string& callId, const AnswerName& name) {
        std::string events = close();
        m_id = idOf(name, "fc_");
        json item{{"id", m_id},        {"type", "function_call"}, {"status", "in_progress"},
                  {"call_id", callId}, {"name", call.name},       {"arguments", ""}};
        events += itemEvent("response.output_item.added", item);
        const json where{{"item_id", m_id}, {"output_index", m_items.size()}};
        json told = where;
        told["delta"] = call.arguments;
        events += event("response.function_call_arguments.delta", told);
        told = where;
        told.update({{"name", call.name}, {"arguments", call.arguments}});
        events += event("response.function_call_arguments.done", told);
        item["status"] = "completed";
        item["arguments"] = call.arguments;
        return events + finish(std::move(item));
    }

    std::string finish(json item) {
        std::string event = itemEvent("response.output_item.done", item);
        m_items.push_back(std::move(item));
        return event;
    }

    json m_items = json::array();
    uint64_t m_numEvents = 0;
    const Kind* m_open = nullptr;  ///< the item that is being written; null: none
    std::string m_id, m_text;      ///< its
};

json usageOf(const Usage& usage) {
    return {{"input_tokens", usage.promptTokens},
            {"input_tokens_details", {{"cached_tokens", usage.cachedTokens}}},
            {"output_tokens", usage.newTokens},
            {"output_tokens_details", {{"reasoning_tokens", usage.thoughtTokens}}},
            {"total_tokens", usage.promptTokens + usage.newTokens}};
}

class ResponsesForm final : public AnswerForm {
  public:
    explicit ResponsesForm(json echoed) : m_echoed(std::move(echoed)) {}

    std::string_view idPrefix() const override { return "resp_"; }

    std::string whole(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        const Choice& choice = choices.front();
        m_items.add(name, {.thought = choice.thought(), .text = choice.text(), .calls = choice.calls()});
        m_items.end(name);
        return toText(ended(name, choice, usage));
    }

    std::string first(const AnswerName& name, unsigned, const Usage&) override {
        const json begun{{"response", response(name, "in_progress")}};
        std::string events = m_items.event("response.created", begun);
        return events += m_items.event("response.in_progress", begun);
    }
    std::string delta(const AnswerName& name, const Delta& delta) override {
        return m_items.add(name, delta);
    }
    std::string last(const AnswerName& name, const Choice&) override { return m_items.end(name); }

    std::string end(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        const json all = ended(name, choices.front(), usage);
        const bool isWhole = all["status"] == "completed";
        return m_items.event(isWhole ? "response.completed" : "response.incomplete", {{"response", all}});
    }

    std::string failed(const AnswerName& name, const ApiError& error) override {
        const json said = parseJson(errorObject(error, errors()))["error"];
        json all = response(name, "failed");
        all["error"] = {{"code", error.code.empty() ? "server_error" : error.code},
                        {"message", said["message"]}};
        std::string events = m_items.event("response.failed", {{"response", std::move(all)}});
        const json told{{"code", said["code"]}, {"message", said["message"]}, {"param", said["param"]}};
        return events += m_items.event("error", told);
    }

  private:
    json response(const AnswerName& name, std::string_view status) const {
        json told{{"id", name.id},
                  {"object", "response"},
                  {"created_at", name.createdSeconds},
                  {"status", status},
                  {"background", false},
                  {"error", nullptr},
                  {"incomplete_details", nullptr},
                  {"model", name.model},
                  {"output", m_items.all()},
                  {"previous_response_id", nullptr},
                  {"store", false},
                  {"usage", nullptr}};
        told.update(m_echoed);
        return told;
    }
    json ended(const AnswerName& name, const Choice& choice, const Usage& usage) const {
        const bool isCut = choice.finishReason() == "length";
        json told = response(name, isCut ? "incomplete" : "completed");
        if (isCut) told["incomplete_details"] = {{"reason", "max_output_tokens"}};
        told["usage"] = usageOf(usage);
        if (!choice.violation().empty()) told[kViolation] = choice.violation();
        return told;
    }

    const json m_echoed;
    Items m_items;
};

}  // namespace

std::unique_ptr<AnswerForm> responsesForm(nlohmann::ordered_json echoed) {
    return std::make_unique<ResponsesForm>(std::move(echoed));
}

}  // namespace ingle::serve::api
