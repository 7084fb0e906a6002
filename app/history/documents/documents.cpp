#include "app/history/documents/documents.h"

#include <algorithm>
#include <utility>

#include "app/history/chats/stored_json.h"
#include "app/history/documents/document_rows.h"
#include "app/history/store/clock.h"
#include "app/history/store/database.h"
#include "app/history/store/settings.h"
#include "app/history/text/text_folding.h"
#include "app/history/trash/shredding.h"

namespace ingle::history {
namespace {

/// A JSON list of ids: a new conversation has no row yet.
constexpr const char* kNewDocumentsKey = "newConversationDocuments";
constexpr const char* kMediaType = "text/plain; charset=utf-8";

DocumentReading readingOf(SQLite::Statement& row) {
    return {.modelId = row.getColumn(0).getString(),
            .modelName = row.getColumn(1).getString(),
            .tokens = row.getColumn(2).getUInt(),
            .readTokens = row.getColumn(3).getUInt(),
            .keptBytes = static_cast<uint64_t>(row.getColumn(4).getInt64()),
            .room = row.getColumn(5).getUInt(),
            .wanted = row.getColumn(6).getInt() != 0};
}

constexpr const char* kReadings =
    "SELECT model_id, model_name, tokens, read_tokens, kept_bytes, room, wanted FROM readings WHERE "
    "document_id = ?1 "
    "ORDER BY model_name, model_id";

/// The one text that `sql` finds of a document.
Result<std::string> textOf(Database& file, const char* sql, RowId document) {
    return file.run([&]() -> Result<std::string> {
        auto row = file.prepare(sql, document);
        if (!row.executeStep())
            return fail(ErrorCode::InvalidArgument, "The history has no document {}.", document);
        return row.getColumn(0).getString();
    });
}

void insertPassages(Database& database, RowId id, const NewDocument& document) {
    auto passage = database.prepare(
        "INSERT INTO passages (document_id, begins, ends, page, heading) VALUES (?1, ?2, ?3, ?4, ?5)");
    auto index = database.prepare("INSERT INTO passage_index (rowid, folded) VALUES (?1, ?2)");
    for (const Passage& each : document.passages) {
        passage.reset();
        Database::bindAll(passage, id, each.begin, each.end, each.page, each.heading);
        passage.exec();
        index.reset();
        Database::bindAll(
            index, database.sqlite().getLastInsertRowid(),
            foldForSearch(each.heading + "\n" + document.text.substr(each.begin, each.end - each.begin)));
        index.exec();
    }
}

}  // namespace

RowId documentOfText(Database& database, const std::string& text) {
    const auto content = std::as_bytes(std::span(text));
    auto same = database.prepare(
        "SELECT d.id FROM documents d JOIN files f ON f.id = d.file_id "
        "WHERE length(f.content) = ?1 AND f.content = ?2",
        content.size(), content);
    return same.executeStep() ? same.getColumn(0).getInt64() : 0;
}

RowId insertDocument(Database& database, const NewDocument& document, OnShelf onShelf, int64_t addedMs,
                     int64_t usedMs) {
    database.execute("INSERT INTO files (media_type, content) VALUES (?1, ?2)", kMediaType,
                     std::as_bytes(std::span(document.text)));
    const RowId text = database.sqlite().getLastInsertRowid();
    database.execute(
        "INSERT INTO documents (file_id, title, format, left_out, on_shelf, added_ms, used_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        text, document.title, document.format, textsJson(document.leftOut), static_cast<int>(onShelf),
        addedMs, usedMs);
    const RowId id = database.sqlite().getLastInsertRowid();
    insertPassages(database, id, document);
    return id;
}

void putOnShelf(Database& database, RowId id, const NewDocument& document, OnShelf onShelf) {
    auto row = database.prepare("SELECT on_shelf FROM documents WHERE id = ?1", id);
    row.executeStep();
    const auto before = static_cast<OnShelf>(row.getColumn(0).getInt());
    if (before == OnShelf::No) {
        database.execute(
            "DELETE FROM passage_index WHERE rowid IN (SELECT id FROM passages WHERE document_id = ?1)", id);
        database.execute("DELETE FROM passages WHERE document_id = ?1", id);
        insertPassages(database, id, document);
    }
    if (before != OnShelf::Yes)
        database.execute("UPDATE documents SET on_shelf = ?2 WHERE id = ?1", id, static_cast<int>(onShelf));
}

Result<RowId> addDocument(History& history, const NewDocument& document) {
    Database& file = history.database();
    return file.transact(Durability::Power, [&]() -> Result<RowId> {
        const int64_t now = nowMs();
        const RowId same = documentOfText(file, document.text);
        if (same == 0) return insertDocument(file, document, OnShelf::Yes, now, now);
        putOnShelf(file, same, document, OnShelf::Yes);
        file.execute("UPDATE documents SET used_ms = ?2 WHERE id = ?1", same, now);
        return same;
    });
}

Result<std::vector<Document>> documents(HistoryReader& history) {
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<Document>> {
        auto row = file.prepare(
            "SELECT d.id, d.title, d.format, d.left_out, length(f.content), d.added_ms, d.used_ms, "
            "(SELECT count(*) FROM conversation_documents c JOIN conversations k ON k.id = c.conversation_id "
            " WHERE c.document_id = d.id AND k.trashed_ms IS NULL) "
            "FROM documents d JOIN files f ON f.id = d.file_id WHERE d.on_shelf = 1 "
            "ORDER BY d.used_ms DESC, d.id DESC");
        std::vector<Document> all;
        while (row.executeStep()) {
            Document& document = all.emplace_back();
            document.id = row.getColumn(0).getInt64();
            document.title = row.getColumn(1).getString();
            document.format = row.getColumn(2).getString();
            document.leftOut = textsFromJson(row.getColumn(3).getString());
            document.textBytes = static_cast<uint64_t>(row.getColumn(4).getInt64());
            document.addedMs = row.getColumn(5).getInt64();
            document.usedMs = row.getColumn(6).getInt64();
            document.conversations = row.getColumn(7).getUInt();
            auto reading = file.prepare(kReadings, document.id);
            while (reading.executeStep()) document.readings.push_back(readingOf(reading));
        }
        return all;
    });
}

Result<std::string> documentTitle(HistoryReader& history, RowId document) {
    return textOf(history.database(), "SELECT title FROM documents WHERE id = ?1", document);
}

Result<std::string> documentText(HistoryReader& history, RowId document) {
    return textOf(history.database(),
                  "SELECT f.content FROM documents d JOIN files f ON f.id = d.file_id WHERE d.id = ?1",
                  document);
}

Status removeDocument(History& history, RowId document) {
    Database& file = history.database();
    return file.transact(Durability::Power, [&]() -> Status {
        INGLE_TRY(forgetReadings(history, document));
        file.execute("UPDATE documents SET on_shelf = 0 WHERE id = ?1", document);
        return deleteRowsSoon(history);
    });
}

Status setReading(History& history, RowId document, const DocumentReading& reading) {
    Database& file = history.database();
    return file.transact(Durability::Process, [&]() -> Status {
        file.execute(
            "INSERT OR REPLACE INTO readings (document_id, model_id, model_name, tokens, read_tokens, "
            "kept_bytes, "
            "room, wanted) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM documents WHERE "
            "id = ?1)",
            document, reading.modelId, reading.modelName, reading.tokens, reading.readTokens,
            reading.keptBytes, reading.room, reading.wanted);
        return {};
    });
}

Status forgetReadings(History& history, RowId document) {
    Database& file = history.database();
    return file.transact(Durability::Power, [&]() -> Status {
        file.execute("DELETE FROM readings WHERE document_id = ?1", document);
        return {};
    });
}

Result<std::vector<RowId>> documentsRead(HistoryReader& history) {
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<RowId>> {
        return idsOf(file.prepare("SELECT DISTINCT document_id FROM readings ORDER BY document_id"));
    });
}

Result<std::vector<RowId>> documentsOf(HistoryReader& history, RowId conversation) {
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<RowId>> {
        if (conversation == 0)
            return idsOf(file.prepare(
                "SELECT d.id FROM settings s, json_each(s.value) e JOIN documents d ON d.id = e.value "
                "WHERE s.key = ?1 ORDER BY e.key",
                kNewDocumentsKey));
        return idsOf(file.prepare(
            "SELECT document_id FROM conversation_documents WHERE conversation_id = ?1 ORDER BY position",
            conversation));
    });
}

Status setDocumentsOf(History& history, RowId conversation, std::span<const RowId> documents) {
    if (conversation == 0)
        return setSetting(history, kNewDocumentsKey, fmt::format("[{}]", fmt::join(documents, ",")));
    Database& file = history.database();
    return file.transact(Durability::Power, [&]() -> Status {
        const int before =
            file.execute("DELETE FROM conversation_documents WHERE conversation_id = ?1", conversation);
        for (size_t position = 0; position < documents.size(); ++position)
            file.execute(
                "INSERT INTO conversation_documents (conversation_id, position, document_id) "
                "VALUES (?1, ?2, ?3)",
                conversation, position, documents[position]);
        // One that is off the shelf, too, may stand nowhere any more.
        return before > 0 ? deleteRowsSoon(history) : Status();
    });
}

Status noteDocumentsUsed(History& history, RowId conversation) {
    Database& file = history.database();
    return file.transact(Durability::Process, [&]() -> Status {
        file.execute(
            "UPDATE documents SET used_ms = ?2 WHERE id IN "
            "(SELECT document_id FROM conversation_documents WHERE conversation_id = ?1)",
            conversation, nowMs());
        return {};
    });
}

uint32_t roomWithin(uint32_t room, uint32_t context) {
    // The engine keeps so much for an answer that begins with a thought, and something has to be asked.
    constexpr uint32_t kAnswerTokens = 2048, kQuestionTokens = 256;
    const uint32_t most =
        context - std::min(context / 4, kAnswerTokens) - std::min(context / 8, kQuestionTokens);
    return room == 0 || most == 0 ? room + most : std::min(room, most);
}

Result<std::vector<Part>> documentParts(HistoryReader& history, RowId conversation,
                                        const std::string& modelId, uint32_t context) {
    INGLE_TRY_ASSIGN(const auto documents, documentsOf(history, conversation));
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<Part>> {
        const uint32_t room = roomWithin(0, context);
        std::vector<Part> parts;
        for (const RowId document : documents) {
            auto row = file.prepare(
                "SELECT d.title, f.content, r.tokens FROM documents d JOIN files f ON f.id = d.file_id "
                "JOIN readings r ON r.document_id = d.id AND r.model_id = ?2 AND r.room = 0 WHERE d.id = ?1",
                document, modelId);
            if (!row.executeStep()) continue;
            if (room != 0 && row.getColumn(2).getUInt() > room) continue;  // passageParts() has some of it
            parts.push_back(
                {PartKind::Attachment, row.getColumn(1).getString(), row.getColumn(0).getString()});
        }
        return parts;
    });
}

}  // namespace ingle::history
