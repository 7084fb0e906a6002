/// Full-text search. The index row of a message has its id; that of a title has minus the conversation's.
#include "app/history/sqlite_history.h"
#include "app/history/text_folding.h"

namespace ingle::history {

void SqliteHistory::indexMessage(RowId message, std::string_view text) {
    m_database->execute("INSERT OR REPLACE INTO search_index (rowid, folded) VALUES (?1, ?2)", message,
                        foldForSearch(text));
}

void SqliteHistory::indexTitle(RowId conversation, std::string_view title) {
    m_database->execute("INSERT OR REPLACE INTO search_index (rowid, folded) VALUES (?1, ?2)", -conversation,
                        foldForSearch(title));
}

Result<std::vector<SearchHit>> SqliteHistory::search(const std::string& text, int limit) {
    return m_database->run([&]() -> Result<std::vector<SearchHit>> {
        std::vector<SearchHit> hits;
        if (limit <= 0) return hits;
        auto row = m_database->prepare(
            "SELECT c.id, search_index.rowid, c.title, "
            "snippet(search_index, 0, char(1), char(2), '…', 24) "
            "FROM search_index LEFT JOIN messages m ON m.id = search_index.rowid "
            "JOIN conversations c ON c.id = coalesce(m.conversation_id, -search_index.rowid) "
            "WHERE search_index MATCH ?1 AND c.deleted_ms IS NULL "
            "ORDER BY rank, search_index.rowid DESC LIMIT ?2",
            phraseQuery(text), limit);
        while (row.executeStep()) {
            SearchHit hit;
            hit.conversation = row.getColumn(0).getInt64();
            hit.message = std::max<RowId>(row.getColumn(1).getInt64(), 0);
            hit.title = row.getColumn(2).getString();
            hit.snippet = unfold(row.getColumn(3).getString());
            hits.push_back(std::move(hit));
        }
        return hits;
    });
}

}  // namespace ingle::history
