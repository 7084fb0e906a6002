#include "app/serve/api/answer_form.h"

#include <fmt/format.h>

#include <cmath>

#include "app/serve/api/json_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

constexpr double kLeastLogprob = -9999;  // as OpenAI tells those that cannot be

double logprob(const ScoredToken& token) {
    return token.p > 0 ? std::log(token.p) : kLeastLogprob;
}

/// Null where the token is half a character: its text has lost what its bytes were.
json bytesOf(const std::string& text) {
    if (text.find("\uFFFD") != text.npos) return nullptr;
    json bytes = json::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

json tokenEntry(const ScoredToken& token) {
    return {{"token", token.text}, {"logprob", logprob(token)}, {"bytes", bytesOf(token.text)}};
}

json usageObject(const Usage& usage) {
    json told{{"prompt_tokens", usage.promptTokens},
              {"completion_tokens", usage.newTokens},
              {"total_tokens", usage.promptTokens + usage.newTokens},
              {"prompt_tokens_details", {{"cached_tokens", usage.cachedTokens}}}};
    if (usage.thoughtTokens > 0)
        told["completion_tokens_details"] = {{"reasoning_tokens", usage.thoughtTokens}};
    return told;
}

json head(const AnswerName& name, std::string_view object) {
    return {{"id", name.id}, {"object", object}, {"created", name.createdSeconds}, {"model", name.model}};
}

/// Calls are told whole: a model's own form has to be read to its end before it is known what it says.
json callList(std::span<const ToolCall> calls, const AnswerName& name, unsigned choice, size_t first,
              bool isStreamed) {
    json list = json::array();
    for (size_t index = 0; index < calls.size(); ++index) {
        json call = json::object();
        if (isStreamed) call["index"] = first + index;
        call["id"] = idOfCall(name, choice, first + index, calls[index]);
        call["type"] = "function";
        call["function"] = {{"name", calls[index].name}, {"arguments", calls[index].arguments}};
        list.push_back(std::move(call));
    }
    return list;
}

/// One event of a stream.
std::string chunk(const AnswerName& name, std::string_view object, json choice) {
    json told = head(name, object);
    told["choices"] = json::array({std::move(choice)});
    return eventOf(toText(told));
}

constexpr std::string_view kStreamEnd = "data: [DONE]\n\n";

/// The events that come last: with the numbers, where they were asked for.
std::string lastEvents(const AnswerName& name, std::string_view object, const Usage* usage) {
    if (usage == nullptr) return std::string(kStreamEnd);
    json told = head(name, object);
    told["choices"] = json::array();
    told["usage"] = usageObject(*usage);
    return eventOf(toText(told)).append(kStreamEnd);
}

/// All of an answer. `entryOf` describes a choice.
template <typename EntryOf>
std::string wholeAnswer(const AnswerName& name, std::string_view object, std::span<const Choice> choices,
                        const Usage& usage, EntryOf entryOf) {
    json answer = head(name, object);
    answer["choices"] = json::array();
    for (const Choice& choice : choices) answer["choices"].push_back(entryOf(choice));
    answer["usage"] = usageObject(usage);
    return toText(answer);
}

json withViolation(json told, const Choice& choice) {
    if (!choice.violation().empty()) told[kViolation] = choice.violation();
    return told;
}

class ChatForm final : public AnswerForm {
  public:
    explicit ChatForm(bool withUsage) : m_withUsage(withUsage) {}

    std::string_view idPrefix() const override { return "chatcmpl-"; }

    std::string whole(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        return wholeAnswer(name, "chat.completion", choices, usage, [&name](const Choice& choice) -> json {
            json message{{"role", "assistant"}};
            const std::string text = choice.text();
            const std::string thought = choice.thought();
            message["content"] = text.empty() && !choice.calls().empty() ? json() : json(text);
            if (!thought.empty()) message["reasoning_content"] = thought;
            if (!choice.calls().empty())
                message["tool_calls"] = callList(choice.calls(), name, choice.index(), 0, false);
            return withViolation({{"index", choice.index()},
                                  {"message", std::move(message)},
                                  {"logprobs", chancesOf(choice.chances())},
                                  {"finish_reason", choice.finishReason()}},
                                 choice);
        });
    }

    std::string first(const AnswerName& name, unsigned index, const Usage&) override {
        return chunk(name, kChunk, entry(index, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr));
    }

    std::string delta(const AnswerName& name, const Delta& delta) override {
        json change = json::object();
        if (!delta.thought.empty()) change["reasoning_content"] = delta.thought;
        if (!delta.text.empty()) change["content"] = delta.text;
        if (!delta.calls.empty())
            change["tool_calls"] = callList(delta.calls, name, delta.index, delta.firstCall, true);
        return chunk(name, kChunk, entry(delta.index, std::move(change), nullptr, chancesOf(delta.chances)));
    }

    std::string last(const AnswerName& name, const Choice& choice) override {
        return chunk(
            name, kChunk,
            withViolation(entry(choice.index(), json::object(), choice.finishReason(), nullptr), choice));
    }

    std::string end(const AnswerName& name, std::span<const Choice>, const Usage& usage) override {
        return lastEvents(name, kChunk, m_withUsage ? &usage : nullptr);
    }

  private:
    const bool m_withUsage;
    static constexpr std::string_view kChunk = "chat.completion.chunk";

    static json chancesOf(std::span<const TokenChances> chances) {
        if (chances.empty()) return nullptr;
        json content = json::array();
        for (const TokenChances& each : chances) {
            json entry = tokenEntry(each.chosen);
            entry["top_logprobs"] = json::array();
            for (const ScoredToken& token : each.top) entry["top_logprobs"].push_back(tokenEntry(token));
            content.push_back(std::move(entry));
        }
        return {{"content", std::move(content)}};
    }

    static json entry(unsigned index, json delta, json finishReason, json chances) {
        return {{"index", index},
                {"delta", std::move(delta)},
                {"logprobs", std::move(chances)},
                {"finish_reason", std::move(finishReason)}};
    }
};

class CompletionForm final : public AnswerForm {
  public:
    explicit CompletionForm(bool withUsage) : m_withUsage(withUsage) {}

    std::string_view idPrefix() const override { return "cmpl-"; }

    std::string whole(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) override {
        return wholeAnswer(name, kObject, choices, usage, [](const Choice& choice) {
            return withViolation(
                entry(choice.index(), choice.text(), choice.finishReason(), choice.chances()), choice);
        });
    }

    std::string first(const AnswerName&, unsigned, const Usage&) override { return {}; }

    std::string delta(const AnswerName& name, const Delta& delta) override {
        return chunk(name, kObject, entry(delta.index, delta.text, nullptr, delta.chances));
    }

    std::string last(const AnswerName& name, const Choice& choice) override {
        return chunk(name, kObject,
                     withViolation(entry(choice.index(), "", choice.finishReason(), {}), choice));
    }

    std::string end(const AnswerName& name, std::span<const Choice>, const Usage& usage) override {
        return lastEvents(name, kObject, m_withUsage ? &usage : nullptr);
    }

  private:
    const bool m_withUsage;
    static constexpr std::string_view kObject = "text_completion";

    static json chancesOf(std::span<const TokenChances> chances) {
        if (chances.empty()) return nullptr;
        json tokens = json::array(), logprobs = json::array(), tops = json::array();
        for (const TokenChances& each : chances) {
            tokens.push_back(each.chosen.text);
            logprobs.push_back(logprob(each.chosen));
            json top = json::object();
            for (const ScoredToken& token : each.top) top[token.text] = logprob(token);
            tops.push_back(std::move(top));
        }
        return {{"tokens", std::move(tokens)},
                {"token_logprobs", std::move(logprobs)},
                {"top_logprobs", std::move(tops)}};
    }

    static json entry(unsigned index, const std::string& text, json finishReason,
                      std::span<const TokenChances> chances) {
        return {{"index", index},
                {"text", text},
                {"logprobs", chancesOf(chances)},
                {"finish_reason", std::move(finishReason)}};
    }
};

}  // namespace

std::string AnswerForm::failed(const AnswerName&, const ApiError& error) {
    return eventOf(errorObject(error, errors()));
}

std::string AnswerForm::reading(double fraction) {
    return fmt::format(": reading the prompt, {:.0f} %\n\n", 100 * fraction);
}

std::string eventOf(std::string_view json, std::string_view name) {
    if (name.empty()) return fmt::format("data: {}\n\n", json);
    return fmt::format("event: {}\ndata: {}\n\n", name, json);
}

std::string idOfCall(const AnswerName& name, unsigned choice, size_t index, const ToolCall& call) {
    if (!call.id.empty()) return call.id;
    constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
    // FNV-1a.
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : fmt::format("{} {} {}", name.id, choice, index))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    std::string id(9, '0');
    for (char& digit : id) {
        digit = kDigits[hash % kDigits.size()];
        hash /= kDigits.size();
    }
    return id;
}

std::unique_ptr<AnswerForm> chatForm(bool withUsage) {
    return std::make_unique<ChatForm>(withUsage);
}

std::unique_ptr<AnswerForm> completionForm(bool withUsage) {
    return std::make_unique<CompletionForm>(withUsage);
}

}  // namespace ingle::serve::api
