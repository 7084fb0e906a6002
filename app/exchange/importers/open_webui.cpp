/// Open WebUI: its export, a list of rows of the table `chat`, or its database webui.db. Each row has `chat`,
/// an object whose `history` is a tree of messages (`parentId`, `childrenIds`, `currentId`); older ones have
/// the list `messages` only. Source: backend/open_webui/models/chats.py and folders.py of Open WebUI.
#include <algorithm>
#include <array>

#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/json_text.h"
#include "app/exchange/text.h"
#include "app/exchange/tree.h"

namespace ingle::exchange::open_webui_importer {
namespace {

using nlohmann::json;

std::optional<history::PortableMessage> messageFrom(const json& value, Taker& taker) {
    const std::string role = textMember(value, "role");
    if (role != "user" && role != "assistant" && role != "system") {
        taker.leftOut(LossKind::UnknownMessages);
        return std::nullopt;
    }
    const bool isAnswer = role == "assistant";
    std::vector<Part> parts;
    for (const json& file : memberOf(value, "files")) {
        if (textMember(file, "type") == "image") {
            taker.leftOut(LossKind::Pictures);
            continue;
        }
        std::string text = textMember(memberOf(memberOf(file, "file"), "data"), "content");
        if (text.empty()) taker.leftOut(LossKind::Attachments);
        parts.push_back({PartKind::Attachment, std::move(text), textMember(file, "name")});
    }
    const std::string content = textMember(value, "content");
    auto said = isAnswer ? partsOfAnswer(content) : partsOfText(content);
    parts.insert(parts.end(), said.begin(), said.end());
    if (isAnswer && memberOf(memberOf(value, "annotation"), "rating").is_number())
        taker.leftOut(LossKind::Ratings);
    const Role ours = isAnswer ? Role::Assistant : role == "user" ? Role::User : Role::System;
    auto message = messageOf(ours, std::move(parts), timeMember(value, "timestamp"));
    if (isAnswer) {
        message.message.modelName = textMember(value, "modelName");
        if (message.message.modelName.empty()) message.message.modelName = textMember(value, "model");
        if (const json& error = memberOf(value, "error"); !error.is_null() && error != false) {
            message.message.status = history::MessageStatus::Failed;
            message.message.error = Error{ErrorCode::Io, textMember(error, "content")};
        } else if (memberOf(value, "done") == false) {
            message.message.status = history::MessageStatus::Interrupted;
        }
    }
    return message;
}

struct Row {
    std::string title;
    int64_t createdMs = 0, updatedMs = 0;
    bool archived = false, pinned = false;
    history::Number folder = 0;
};

Status takeChat(const Row& row, const json& chat, Taker& taker) {
    if (!chat.is_object()) {
        taker.leftOut(LossKind::UnreadableConversations);
        return {};
    }
    history::PortableConversation conversation;
    conversation.origin = "open-webui";
    conversation.title = row.title.empty() ? textMember(chat, "title") : row.title;
    conversation.createdMs = row.createdMs != 0 ? row.createdMs : timeMember(chat, "timestamp");
    conversation.updatedMs = row.updatedMs;
    conversation.pinned = row.pinned;
    conversation.folder = row.folder;
    if (row.archived) conversation.archivedMs = row.updatedMs;
    if (const std::string system = textMember(memberOf(chat, "params"), "system"); !system.empty())
        append(conversation, messageOf(Role::System, partsOfText(system), conversation.createdMs));
    const json& history = memberOf(chat, "history");
    const json& tree = memberOf(history, "messages");
    if (tree.is_object() && !tree.empty()) {
        history::PortableConversation planted;
        std::map<std::string, Node> nodes;
        for (const auto& [name, each] : tree.items())
            nodes[name] = {textMember(each, "parentId"), messageFrom(each, taker)};
        // By time: siblings are versions of a message.
        std::vector<std::pair<int64_t, std::string>> byTime;
        byTime.reserve(nodes.size());
        for (const auto& [name, node] : nodes)
            byTime.emplace_back(node.message ? node.message->message.createdMs : 0, name);
        std::ranges::sort(byTime);
        std::vector<std::string> order;
        order.reserve(byTime.size());
        for (auto& [time, name] : byTime) order.push_back(std::move(name));
        const auto shift = static_cast<history::Number>(conversation.messages.size());
        plant(nodes, order, textMember(history, "currentId"), planted, taker);
        for (history::PortableMessage& message : planted.messages) {
            message.message.id += shift;
            message.message.parent += shift;
            conversation.messages.push_back(std::move(message));
        }
        if (!planted.messages.empty()) conversation.activeLeaf = planted.activeLeaf + shift;
    } else {
        for (const json& each : memberOf(chat, "messages"))
            if (auto message = messageFrom(each, taker)) append(conversation, std::move(*message));
    }
    const bool onlySystem =
        conversation.messages.size() == 1 && conversation.messages[0].message.role == Role::System;
    if (onlySystem) conversation.messages.clear();
    return taker.conversation(std::move(conversation));
}

/// Folders of the database; a parent may come behind its child.
Result<std::map<std::string, history::Number>> takeFolders(ForeignDatabase& database, Taker& taker) {
    std::map<std::string, history::Number> numbers;
    if (!database.hasTable("folder", {"id", "parent_id", "name"})) return numbers;
    std::vector<std::array<std::string, 3>> waiting;
    for (auto row = database.query("SELECT id, parent_id, name FROM folder ORDER BY rowid"); row.next();)
        waiting.push_back({row.text(0), row.text(1), row.text(2)});
    for (size_t before = 0; before != waiting.size();) {
        before = waiting.size();
        std::vector<std::array<std::string, 3>> later;
        for (auto& [id, parent, name] : waiting) {
            if (!parent.empty() && !numbers.contains(parent)) {
                later.push_back({id, parent, name});
                continue;
            }
            const auto number = static_cast<history::Number>(numbers.size()) + 1;
            INGLE_TRY(taker.folder({number, parent.empty() ? 0 : numbers[parent], name, number}));
            numbers[id] = number;
        }
        waiting = std::move(later);
    }
    return numbers;
}

Status translateDatabase(const Source& source, Taker& taker) {
    INGLE_TRY_ASSIGN(auto database, ForeignDatabase::open(source.path));
    INGLE_TRY_ASSIGN(auto folders, takeFolders(database, taker));
    const auto columnOr = [&](const char* column, const char* other) {
        return database.hasColumn("chat", column) ? std::string(column) : std::string(other);
    };
    auto row = database.query("SELECT title, chat, created_at, updated_at, " + columnOr("archived", "0") +
                              ", " + columnOr("pinned", "0") + ", " + columnOr("folder_id", "''") +
                              " FROM chat ORDER BY created_at, rowid");
    while (row.next()) {
        Row facts{.title = row.text(0),
                  .createdMs = millisecondsOf(static_cast<double>(row.number(2))),
                  .updatedMs = millisecondsOf(static_cast<double>(row.number(3))),
                  .archived = row.number(4) != 0,
                  .pinned = row.number(5) != 0};
        if (const auto folder = folders.find(row.text(6)); folder != folders.end())
            facts.folder = folder->second;
        const auto chat = parsed(row.text(1));
        INGLE_TRY(takeChat(facts, chat ? *chat : json(), taker));
    }
    return database.status();
}

Status translateList(const Source& source, Taker& taker) {
    INGLE_TRY_ASSIGN(const std::string text, contentOf(source.path));
    return forEachElement(text, [&](std::string_view, const json& value) {
        const json& chat = memberOf(value, "chat");
        const Row facts{.title = textMember(value, "title"),
                        .createdMs = timeMember(value, "created_at"),
                        .updatedMs = timeMember(value, "updated_at"),
                        .archived = flagMember(value, "archived"),
                        .pinned = flagMember(value, "pinned")};
        // A row, or what older versions wrote: its chat alone.
        return takeChat(facts, chat.is_object() ? chat : value, taker);
    });
}

bool recognises(const Source& source) {
    if (isDatabase(source)) {
        auto database = ForeignDatabase::open(source.path);
        return database && database->hasTable("chat", {"id", "title", "chat", "created_at", "updated_at"});
    }
    const std::string_view text = trimmed(source.beginning);
    return text.starts_with('[') && text.find("\"mapping\"") == std::string_view::npos &&
           (text.find("\"history\"") != std::string_view::npos ||
            text.find("\"chat\"") != std::string_view::npos);
}

Status translate(const Source& source, Taker& taker) {
    return isDatabase(source) ? translateDatabase(source, taker) : translateList(source, taker);
}

}  // namespace

extern const Importer importer{
    .origin = "open-webui", .program = "Open WebUI", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::open_webui_importer
