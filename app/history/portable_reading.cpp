/// Taking conversations out.
#include "app/history/chats/folder_settings.h"
#include "app/history/chats/message_rows.h"
#include "app/history/chats/picture_rows.h"
#include "app/history/chats/stored_json.h"
#include "app/history/portable.h"

namespace ingle::history {
namespace {

std::string textOf(const SQLite::Column& column) {
    return column.getString();
}

/// The number of `id`, or 0 where it is none of them.
Number numberOf(const std::map<RowId, Number>& numbers, RowId id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? 0 : found->second;
}

}  // namespace

PortableReading::PortableReading(PortableReading&& other) noexcept
    : m_history(std::exchange(other.m_history, nullptr)),
      m_conversations(std::move(other.m_conversations)),
      m_next(other.m_next),
      m_documents(std::move(other.m_documents)),
      m_nextDocument(other.m_nextDocument),
      m_folders(std::move(other.m_folders)),
      m_profiles(std::move(other.m_profiles)),
      m_folderNumbers(std::move(other.m_folderNumbers)),
      m_profileNumbers(std::move(other.m_profileNumbers)),
      m_fileNumbers(std::move(other.m_fileNumbers)),
      m_documentNumbers(std::move(other.m_documentNumbers)) {}

PortableReading::~PortableReading() {
    if (!m_history) return;
    Database& database = m_history->database();
    (void)database.run([&]() -> Status {  // nothing was written
        database.sqlite().exec("ROLLBACK");
        return {};
    });
}

Result<PortableReading> PortableReading::begin(HistoryReader& history, Selection selection) {
    INGLE_TRY(history.database().run([&]() -> Status {
        history.database().sqlite().exec("BEGIN");
        return {};
    }));
    PortableReading reading(history);
    INGLE_TRY(history.database().run([&] { return reading.select(selection); }));
    return reading;
}

Status PortableReading::select(Selection selection) {
    Database& database = m_history->database();
    INGLE_TRY(readFolders(selection.folder));
    if (selection.folder != 0 && !m_folderNumbers.contains(selection.folder)) {
        return fail(ErrorCode::InvalidArgument, "The history has no folder {}.", selection.folder);
    }
    auto row = database.prepare(
        "WITH RECURSIVE below (id) AS (SELECT ?2 UNION SELECT f.id FROM below JOIN folders f "
        "ON f.parent_id = below.id) "
        "SELECT id FROM conversations WHERE trashed_ms IS NULL AND (?1 = 0 OR id = ?1) "
        "AND (?2 = 0 OR folder_id IN (SELECT id FROM below)) ORDER BY id",
        selection.conversation, selection.folder);
    while (row.executeStep()) m_conversations.push_back(row.getColumn(0).getInt64());
    if (selection.conversation != 0 && m_conversations.empty()) {
        return fail(ErrorCode::InvalidArgument, "The history has no conversation {}.",
                    selection.conversation);
    }
    if (selection.conversation != 0) {
        // Where it stands, and nothing beside that.
        auto folder = database.prepare("SELECT coalesce(folder_id, 0) FROM conversations WHERE id = ?1",
                                       selection.conversation);
        folder.executeStep();
        const RowId holder = folder.getColumn(0).getInt64();
        m_folders.clear();
        m_folderNumbers.clear();
        if (holder != 0) INGLE_TRY(readFolders(holder));
    }
    INGLE_TRY(readProfiles());
    return selectDocuments(selection);
}

Status PortableReading::selectDocuments(Selection selection) {
    const bool isEverything = selection.conversation == 0 && selection.folder == 0;
    const std::set<RowId> selected(m_conversations.begin(), m_conversations.end());
    std::set<RowId> documents;
    auto used =
        m_history->database().prepare("SELECT conversation_id, document_id FROM conversation_documents");
    while (used.executeStep())
        if (selected.contains(used.getColumn(0).getInt64())) documents.insert(used.getColumn(1).getInt64());
    if (isEverything) {
        auto shelf = m_history->database().prepare("SELECT id FROM documents WHERE on_shelf = 1");
        while (shelf.executeStep()) documents.insert(shelf.getColumn(0).getInt64());
    }
    for (const RowId id : documents) {
        m_documents.push_back(id);
        m_documentNumbers[id] = static_cast<Number>(m_documents.size());
    }
    return {};
}

Result<std::optional<PortableDocument>> PortableReading::nextDocument() {
    if (m_nextDocument == m_documents.size()) return std::nullopt;
    const RowId id = m_documents[m_nextDocument++];
    Database& database = m_history->database();
    return database.run([&]() -> Result<std::optional<PortableDocument>> {
        auto row = database.prepare(
            "SELECT d.title, d.format, d.left_out, d.on_shelf, d.added_ms, d.used_ms, f.content "
            "FROM documents d JOIN files f ON f.id = d.file_id WHERE d.id = ?1",
            id);
        row.executeStep();
        PortableDocument document;
        document.id = numberOf(m_documentNumbers, id);
        document.content.title = textOf(row.getColumn(0));
        document.content.format = textOf(row.getColumn(1));
        document.content.leftOut = textsFromJson(textOf(row.getColumn(2)));
        document.onShelf = row.getColumn(3).getInt() != 0;
        document.addedMs = row.getColumn(4).getInt64();
        document.usedMs = row.getColumn(5).getInt64();
        document.content.text = textOf(row.getColumn(6));
        auto passage = database.prepare(
            "SELECT begins, ends, page, heading FROM passages WHERE document_id = ?1 ORDER BY id", id);
        while (passage.executeStep()) {
            document.content.passages.push_back({static_cast<uint64_t>(passage.getColumn(0).getInt64()),
                                                 static_cast<uint64_t>(passage.getColumn(1).getInt64()),
                                                 passage.getColumn(2).getUInt(),
                                                 textOf(passage.getColumn(3))});
        }
        return document;
    });
}

/// All folders; with `top`, that one with what is above and below it.
Status PortableReading::readFolders(RowId top) {
    auto row = m_history->database().prepare(
        "WITH RECURSIVE above (id) AS (SELECT ?1 UNION SELECT f.parent_id FROM above JOIN folders f "
        "ON f.id = above.id WHERE f.parent_id IS NOT NULL), "
        "below (id) AS (SELECT ?1 UNION SELECT f.id FROM below JOIN folders f ON f.parent_id = below.id) "
        "SELECT id, coalesce(parent_id, 0), name, position FROM folders WHERE ?1 = 0 "
        "OR id IN (SELECT id FROM above) OR id IN (SELECT id FROM below) ORDER BY id",
        top);
    struct Found {
        RowId id, parent;
        std::string name;
        int64_t position;
    };
    std::vector<Found> waiting;
    while (row.executeStep()) {
        waiting.push_back({row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), textOf(row.getColumn(2)),
                           row.getColumn(3).getInt64()});
    }
    // A folder may have been put into one that is younger. What stands in a circle is left out.
    for (bool added = true; added && !waiting.empty();) {
        added = false;
        std::vector<Found> later;
        for (Found& folder : waiting) {
            if (folder.parent != 0 && !m_folderNumbers.contains(folder.parent)) {
                later.push_back(std::move(folder));
                continue;
            }
            const Number number = static_cast<Number>(m_folders.size()) + 1;
            INGLE_TRY_ASSIGN(std::string settings, folderSettings(*m_history, folder.id));
            m_folders.push_back({number, numberOf(m_folderNumbers, folder.parent), std::move(folder.name),
                                 folder.position, std::move(settings)});
            m_folderNumbers[folder.id] = number;
            added = true;
        }
        waiting = std::move(later);
    }
    return {};
}

Status PortableReading::readProfiles() {
    auto used = m_history->database().prepare(
        "SELECT p.id, p.name, p.settings, c.id FROM profiles p JOIN conversations c ON c.profile_id = p.id "
        "WHERE c.trashed_ms IS NULL ORDER BY p.id, c.id");
    const std::set<RowId> selected(m_conversations.begin(), m_conversations.end());
    while (used.executeStep()) {
        const RowId id = used.getColumn(0).getInt64();
        if (m_profileNumbers.contains(id) || !selected.contains(used.getColumn(3).getInt64())) continue;
        const Number number = static_cast<Number>(m_profiles.size()) + 1;
        m_profiles.push_back({number, textOf(used.getColumn(1)), textOf(used.getColumn(2))});
        m_profileNumbers[id] = number;
    }
    return {};
}

Result<std::optional<PortableConversation>> PortableReading::next() {
    if (m_next == m_conversations.size()) return std::nullopt;
    const RowId id = m_conversations[m_next++];
    Database& database = m_history->database();
    return database.run([&]() -> Result<std::optional<PortableConversation>> {
        auto row = database.prepare(
            "SELECT c.title, c.created_ms, c.updated_ms, c.pinned, c.archived_ms, c.origin, c.model_id, "
            "d.text, coalesce(c.folder_id, 0), coalesce(c.profile_id, 0), coalesce(c.active_leaf, 0) "
            "FROM conversations c LEFT JOIN drafts d ON d.conversation_id = c.id WHERE c.id = ?1",
            id);
        row.executeStep();
        PortableConversation result;
        result.title = textOf(row.getColumn(0));
        result.createdMs = row.getColumn(1).getInt64();
        result.updatedMs = row.getColumn(2).getInt64();
        result.pinned = row.getColumn(3).getInt() != 0;
        if (!row.getColumn(4).isNull()) result.archivedMs = row.getColumn(4).getInt64();
        result.origin = textOf(row.getColumn(5));
        result.modelId = textOf(row.getColumn(6));
        result.draft = textOf(row.getColumn(7));
        result.folder = numberOf(m_folderNumbers, row.getColumn(8).getInt64());
        result.profile = numberOf(m_profileNumbers, row.getColumn(9).getInt64());

        auto rows = database.prepare(fmt::format("{}FROM messages m WHERE m.conversation_id = ?1 "
                                                 "AND m.trashed_ms IS NULL ORDER BY m.id",
                                                 selectMessage()),
                                     id);
        INGLE_TRY_ASSIGN(auto messages, readMessages(database, rows));
        std::map<RowId, Number> numbers;
        for (const Message& message : messages) numbers[message.id] = static_cast<Number>(numbers.size()) + 1;
        result.activeLeaf = numberOf(numbers, row.getColumn(10).getInt64());
        for (Message& message : messages) {
            PortableMessage portable;
            // An answer that is being written travels as one that was interrupted here.
            if (message.status == MessageStatus::Streaming) message.status = MessageStatus::Interrupted;
            message.id = numberOf(numbers, message.id);
            message.parent = numberOf(numbers, message.parent);
            message.firstKept = numberOf(numbers, message.firstKept);
            message.conversation = 0;
            portable.message = std::move(message);
            result.messages.push_back(std::move(portable));
        }
        INGLE_TRY_ASSIGN(const auto documents, documentsOf(*m_history, id));
        for (const RowId document : documents)
            if (const Number number = numberOf(m_documentNumbers, document); number != 0)
                result.documents.push_back(number);
        INGLE_TRY(readFiles(id, result));
        return result;
    });
}

Number PortableReading::readFile(RowId id, PortableConversation& result) {
    const auto [entry, isNew] = m_fileNumbers.try_emplace(id, static_cast<Number>(m_fileNumbers.size()) + 1);
    auto file =
        m_history->database().prepare("SELECT hash, media_type, content FROM files WHERE id = ?1", id);
    if (isNew && file.executeStep())
        result.files.push_back(
            {entry->second, textOf(file.getColumn(0)), textOf(file.getColumn(1)), textOf(file.getColumn(2))});
    return entry->second;
}

Status PortableReading::readFiles(RowId conversation, PortableConversation& result) {
    Database& database = m_history->database();
    auto part = database.prepare(
        "SELECT (SELECT count(*) FROM messages b WHERE b.conversation_id = m.conversation_id "
        "AND b.trashed_ms IS NULL AND b.id <= m.id), p.position, p.file_id "
        "FROM messages m JOIN parts p ON p.message_id = m.id "
        "WHERE m.conversation_id = ?1 AND m.trashed_ms IS NULL AND p.file_id IS NOT NULL "
        "ORDER BY m.id, p.position",
        conversation);
    while (part.executeStep()) {
        PortableMessage& message = result.messages.at(static_cast<size_t>(part.getColumn(0).getInt64()) - 1);
        const auto position = static_cast<size_t>(part.getColumn(1).getInt64());
        if (position >= message.message.parts.size()) continue;  // of a damaged file
        message.files.resize(message.message.parts.size());
        message.files[position] = readFile(part.getColumn(2).getInt64(), result);
    }
    for (const std::string& hash : picturesOfDraft(result.draft))
        if (const RowId row = pictureRow(database, hash); row != 0) readFile(row, result);
    return {};
}

}  // namespace ingle::history
