#include <fmt/format.h>

#include <algorithm>

#include "app/serve/api/chat_messages.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/ollama.h"
#include "app/serve/api/pictures.h"
#include "app/serve/api/sampling.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

/// Messages whose results of tools follow their calls by name, or in their order.
class OllamaMessages {
  public:
    Expected<void> read(const json& object, const std::string& place) {
        Fields message(object, place);
        const std::string role = message.requiredText("role");
        const std::string text = message.text("content").value_or("");
        std::vector<Part> parts = picturesOf(message, role);
        if (role == "assistant") {
            addAnswer(message, text);
        } else if (role == "tool") {
            addResult(message, text);
        } else if (role == "system" || role == "user") {
            parts.push_back({PartKind::Text, text, {}});
            m_conversation.add({role == "user" ? Role::User : Role::System, std::move(parts)});
        } else {
            message.complain(fmt::format("Unsupported role: '{}'.", shown(role)), "role");
        }
        return message.finish();
    }

    std::vector<ChatMessage> take() { return m_conversation.take(); }

  private:
    struct Call {
        std::string id, name;
    };

    static std::vector<Part> picturesOf(Fields& message, const std::string& role) {
        std::vector<Part> parts;
        const json* images = message.list("images");
        if (images == nullptr || images->empty()) return parts;
        if (role != "user") message.complain("Only the user's messages may have pictures.", "images");
        for (const json& image : *images) {
            const std::string base64 = image.is_string() ? image.get<std::string>() : std::string();
            if (auto picture = pictureOf(message, "images", base64)) parts.push_back(*std::move(picture));
        }
        return parts;
    }

    void addAnswer(Fields& message, const std::string& text) {
        ChatMessage answer{Role::Assistant, {}};
        if (const std::string thought = message.text("thinking").value_or(""); !thought.empty())
            answer.parts.push_back({PartKind::Thought, thought, {}});
        if (!text.empty()) answer.parts.push_back({PartKind::Text, text, {}});
        m_waiting.clear();
        if (const json* calls = message.list("tool_calls")) {
            for (size_t index = 0; index < calls->size(); ++index) {
                const std::string place = fmt::format("{}[{}]", message.placeOf("tool_calls"), index);
                if (auto read = readCall((*calls)[index], place, answer.parts); !read)
                    message.complain(read.error());
            }
        }
        m_conversation.addAnswer(std::move(answer));
    }

    Expected<void> readCall(const json& object, const std::string& place, std::vector<Part>& parts) {
        Fields call(object, place);
        call.ignore("type");
        call.require("function");
        // Nine letters and digits, as templates want them.
        std::string id = call.text("id").value_or(fmt::format("call{:05}", m_numCalls++));
        if (const json* function = call.object("function")) {
            Fields inner(*function, call.placeOf("function"));
            inner.ignore("index");
            const std::string name = inner.requiredText("name");
            const json* arguments = inner.object("arguments");
            if (auto whole = inner.finish(); !whole) call.complain(whole.error());
            parts.push_back(Conversation::call(name, arguments ? toText(*arguments) : "{}", id));
            m_waiting.push_back({std::move(id), name});
        }
        return call.finish();
    }

    void addResult(Fields& message, const std::string& text) {
        const auto given = message.text("tool_call_id");
        const auto byTool = message.text("tool_name"), byName = message.text("name");
        const std::string name = byTool.value_or(byName.value_or(""));
        const auto isIt = [&](const Call& call) {
            return given ? call.id == *given : name.empty() || call.name == name;
        };
        const auto call = std::ranges::find_if(m_waiting, isIt);
        if (call == m_waiting.end())
            return message.complain("No message before it calls that tool.",
                                    given ? "tool_call_id" : "tool_name");
        m_conversation.addResult(text, call->name, call->id);
        m_waiting.erase(call);
    }

    Conversation m_conversation;
    std::vector<Call> m_waiting;  ///< calls whose results have not come
    unsigned m_numCalls = 0;
};

void readOllamaMessages(Fields& fields, AnswerRequest& request) {
    fields.require("messages");
    const json* messages = fields.list("messages");
    if (messages == nullptr) return;
    if (messages->empty() || messages->size() > kMostMessages)
        return fields.complain(fmt::format("'messages' must be a list of 1 to {} messages.", kMostMessages),
                               "messages");
    OllamaMessages reader;
    for (size_t index = 0; index < messages->size(); ++index)
        if (auto read = reader.read((*messages)[index], fmt::format("messages[{}]", index)); !read)
            return fields.complain(read.error());
    request.generate.messages = reader.take();
    continueLastMessage(request.generate);
}

void readOptions(Fields& fields, AnswerRequest& request) {
    const json none = json::object();
    const json* given = fields.object("options");
    Fields inner(given ? *given : none, "options");
    readSampling(inner, request.generate);
    if (const auto most = inner.integer("num_predict", -2, std::numeric_limits<int32_t>::max());
        most && *most > 0)
        request.generate.maxTokens = static_cast<uint32_t>(*most);
    // Of how a model is loaded, which is for the server to say.
    for (const char* name : {"num_ctx", "num_keep", "num_batch", "num_gpu", "main_gpu", "num_thread",
                             "low_vram", "f16_kv", "use_mmap", "use_mlock", "numa", "vocab_only",
                             "logits_all", "penalize_newline", "mirostat_tau", "mirostat_eta"})
        inner.ignore(name);
    inner.expect("mirostat", 0);
    inner.expect("tfs_z", 1);
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
}

void readThink(Fields& fields, PromptForm& form) {
    const json* think = fields.any("think");
    if (think == nullptr) return;
    if (think->is_boolean()) {
        form.thinking = think->get<bool>() ? Thinking::On : Thinking::Off;
    } else if (think->is_string()) {
        form.thinking = Thinking::On;
        applyEffort(think->get<std::string>(), form);
    } else {
        fields.complain("'think' must be true, false or a word.", "think");
    }
}

void readFormat(Fields& fields, GenerateRequest& request) {
    const json* format = fields.any("format");
    if (format == nullptr || *format == "") return;
    if (*format == "json")
        request.jsonSchema = R"({"type":"object"})";
    else if (format->is_object())
        request.jsonSchema = format->dump();
    else
        fields.complain("'format' must be json or a schema.", "format");
}

void readOllamaTools(Fields& fields, AnswerRequest& request) {
    const json* tools = fields.list("tools");
    if (tools == nullptr || tools->empty()) return;
    const json asChat{{"tools", *tools}};
    Fields chat(asChat);
    Tools read = readTools(chat);
    if (auto whole = chat.finish(); !whole) return fields.complain(whole.error());
    applyTools(fields, std::move(read), request);
}

void readOllamaBody(Fields& fields, AnswerRequest& request) {
    request.model = withoutTag(fields.text("model").value_or(""));
    request.isStreamed = fields.boolean("stream").value_or(true);
    request.generate.whenFull = WhenFull::Refuse;
    readOllamaMessages(fields, request);
    readOptions(fields, request);
    readThink(fields, request.generate.promptForm);
    readFormat(fields, request.generate);
    readOllamaTools(fields, request);
    fields.ignore("keep_alive");
    fields.ignoreHints();
}

}  // namespace

std::string withoutTag(std::string name) {
    constexpr std::string_view kTag = ":latest";
    if (name.ends_with(kTag)) name.resize(name.size() - kTag.size());
    return name;
}

Expected<AnswerRequest> readOllamaChat(std::string_view body) {
    return readBody<AnswerRequest>(body, readOllamaBody);
}

}  // namespace ingle::serve::api
