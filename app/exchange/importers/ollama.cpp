/// The database of Ollama's application (db.sqlite): chats, messages, tool_calls, attachments.
/// Source: app/store/database.go of Ollama, schema versions 1 to 18.
#include <algorithm>

#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/json_text.h"
#include "app/exchange/text.h"
#include "app/exchange/tree.h"

namespace ingle::exchange::ollama_importer {
namespace {

int64_t timeOf(const std::string& text) {
    return millisecondsOf(std::string_view(text));
}

std::vector<Part> partsOf(ForeignDatabase& database, const std::string& message, Taker& taker) {
    std::vector<Part> parts;
    if (!database.hasTable("attachments", {"message_id", "filename"})) return parts;
    auto row = database.query(
        "SELECT filename, data FROM attachments WHERE message_id = CAST(?1 AS INTEGER) ORDER BY id", message);
    while (row.next()) {
        std::string text = row.text(1);
        const bool isText = text.find('\0') == std::string::npos && wellFormed(text) == text;
        if (!isText) taker.leftOut(LossKind::Attachments);
        parts.push_back({PartKind::Attachment, isText ? std::move(text) : std::string(), row.text(0)});
    }
    return parts;
}

void addCalls(ForeignDatabase& database, const std::string& message, std::vector<Part>& parts) {
    if (!database.hasTable("tool_calls", {"message_id", "function_name", "function_arguments"})) return;
    auto row = database.query(
        "SELECT function_name, function_arguments FROM tool_calls WHERE message_id = CAST(?1 AS INTEGER) "
        "ORDER BY id",
        message);
    while (row.next()) parts.push_back({PartKind::ToolCall, row.text(1), row.text(0)});
}

Status translate(const Source& source, Taker& taker) {
    INGLE_TRY_ASSIGN(auto database, ForeignDatabase::open(source.path));
    auto chat = database.query("SELECT id, title, created_at FROM chats ORDER BY created_at, rowid");
    while (chat.next()) {
        history::PortableConversation conversation;
        conversation.origin = "ollama";
        conversation.title = chat.text(1);
        conversation.createdMs = conversation.updatedMs = timeOf(chat.text(2));
        auto row = database.query(
            "SELECT id, role, content, thinking, model_name, created_at FROM messages WHERE chat_id = ?1 "
            "ORDER BY id",
            chat.text(0));
        while (row.next()) {
            const std::string role = row.text(1);
            if (role != "user" && role != "assistant" && role != "system" && role != "tool") {
                taker.leftOut(LossKind::UnknownMessages);
                continue;
            }
            std::vector<Part> parts = partsOf(database, row.text(0), taker);
            if (const std::string thought = row.text(3); !thought.empty())
                parts.push_back({PartKind::Thought, thought, ""});
            const std::string content = row.text(2);
            auto said = role == "assistant" ? partsOfAnswer(content) : partsOfText(content);
            if (role == "tool")
                for (Part& part : said) part.kind = PartKind::ToolResult;
            parts.insert(parts.end(), said.begin(), said.end());
            addCalls(database, row.text(0), parts);
            const Role ours = role == "user" ? Role::User : role == "system" ? Role::System : Role::Assistant;
            auto message = messageOf(ours, std::move(parts), timeOf(row.text(5)));
            if (ours == Role::Assistant) message.message.modelName = row.text(4);
            conversation.updatedMs = std::max(conversation.updatedMs, message.message.createdMs);
            append(conversation, std::move(message));
        }
        INGLE_TRY(taker.conversation(std::move(conversation)));
    }
    return database.status();
}

bool recognises(const Source& source) {
    if (!isDatabase(source)) return false;
    auto database = ForeignDatabase::open(source.path);
    return database && database->hasTable("chats", {"id", "title", "created_at"}) &&
           database->hasTable("messages", {"chat_id", "role", "content", "thinking", "model_name"});
}

}  // namespace

extern const Importer importer{
    .origin = "ollama", .program = "Ollama", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::ollama_importer
