/// The index row of a message has its id; that of a title has minus the conversation's.
#include "app/history/search/search.h"

#include <algorithm>

#include "app/codec/names.h"
#include "app/history/search/search_index.h"
#include "app/history/text/snippet.h"
#include "app/history/text/text_folding.h"

namespace ingle::history {
namespace {

/// Up to `limit` hits of a statement with the columns conversation, message, title, marked text.
void addHits(SQLite::Statement& row, int limit, std::vector<SearchHit>& hits) {
    while (static_cast<int>(hits.size()) < limit && row.executeStep()) {
        SearchHit hit;
        hit.conversation = row.getColumn(0).getInt64();
        hit.message = row.getColumn(1).getInt64();
        hit.title = row.getColumn(2).getString();
        hit.snippet = snippetAround(row.getColumn(3).getString());
        hits.push_back(std::move(hit));
    }
}

/// A conversation whose title was found, and a message of it as well, is one hit: that message, in the
/// title's place. (The first words of most conversations are their titles.)
void joinTitlesWithMessages(std::vector<SearchHit>& hits) {
    const auto messages = std::ranges::find_if(hits, [](const SearchHit& hit) { return hit.message != 0; });
    std::vector<RowId> taken;
    for (auto title = hits.begin(); title != messages; ++title) {
        const auto found = std::find_if(messages, hits.end(), [&](const SearchHit& hit) {
            return hit.conversation == title->conversation;
        });
        if (found == hits.end()) continue;
        *title = *found;
        taken.push_back(found->message);
    }
    hits.erase(std::remove_if(messages, hits.end(),
                              [&](const SearchHit& hit) {
                                  return std::ranges::find(taken, hit.message) != taken.end();
                              }),
               hits.end());
}

/// The index hands rows over in their order and stops at the last hit that is wanted: a word that every
/// message holds costs no more than a rare one. (Ordering by rank would look at all of them.)
std::vector<SearchHit> hitsOf(Database& database, const std::string& query, int limit,
                              const SearchFilter& filter) {
    std::vector<SearchHit> hits;
    // A title is said by nobody.
    const bool mayBeTitle = !filter.role && filter.modelId.empty();
    auto titles = database.prepare(
        "SELECT c.id, 0, c.title, highlight(search_index, 0, char(1), char(2)) FROM search_index "
        "CROSS JOIN conversations c ON c.id = -search_index.rowid "
        "WHERE search_index MATCH ?1 AND search_index.rowid < 0 AND c.trashed_ms IS NULL "
        "AND (?2 = 0 OR c.folder_id = ?2) AND c.updated_ms >= ?3 ORDER BY search_index.rowid",
        query, filter.folder, filter.sinceMs);
    if (mayBeTitle) addHits(titles, limit, hits);
    auto messages = database.prepare(
        "SELECT c.id, m.id, c.title, highlight(search_index, 0, char(1), char(2)) FROM search_index "
        "CROSS JOIN messages m ON m.id = search_index.rowid "
        "CROSS JOIN conversations c ON c.id = m.conversation_id "
        "WHERE search_index MATCH ?1 AND search_index.rowid > 0 AND m.trashed_ms IS NULL "
        "AND c.trashed_ms IS NULL AND (?2 = 0 OR c.folder_id = ?2) AND m.created_ms >= ?3 "
        "AND (?4 = '' OR m.role = ?4) AND (?5 = '' OR m.model_id = ?5) ORDER BY search_index.rowid DESC",
        query, filter.folder, filter.sinceMs, filter.role ? codec::snakeNameOf(*filter.role) : std::string(),
        filter.modelId);
    addHits(messages, limit, hits);
    joinTitlesWithMessages(hits);
    return hits;
}

/// How many letters a beginning has at least. FTS5 brings together all that the words with that beginning
/// hold before it hands over the first row: of a few letters, in a long history, that takes too long to type
/// against.
size_t shortestBeginning(Database& database) {
    const int64_t messages =
        database.sqlite().execAndGet("SELECT coalesce(max(id), 0) FROM messages").getInt64();
    return messages < 2'000 ? 1 : messages < 20'000 ? 2 : 3;
}

/// What is to be looked for, whole words first; `isEnough` tells of what they found.
template <typename Look, typename IsEnough>
auto lookFor(Database& database, const std::string& text, const Look& look, const IsEnough& isEnough) {
    const SearchQuery query = searchQuery(text);
    decltype(look(query.words)) found;
    if (query.words.empty()) return found;
    found = look(query.words);
    const bool mayBegin = !query.beginning.empty() && query.beginningLength >= shortestBeginning(database);
    if (!mayBegin || isEnough(found)) return found;
    return look(query.beginning);
}

}  // namespace

void indexMessage(Database& database, RowId message, std::span<const Part> parts) {
    std::string text = textOf(parts, PartKind::Text);
    for (const Part& part : parts) {
        if (part.kind != PartKind::Text) (text += '\n') += part.text;
    }
    database.execute("INSERT OR REPLACE INTO search_index (rowid, folded) VALUES (?1, ?2)", message,
                     foldForSearch(text));
}

void indexTitle(Database& database, RowId conversation, std::string_view title) {
    database.execute("INSERT OR REPLACE INTO search_index (rowid, folded) VALUES (?1, ?2)", -conversation,
                     foldForSearch(title));
}

Result<std::vector<SearchHit>> search(HistoryReader& history, const std::string& text, int limit,
                                      const SearchFilter& filter) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<SearchHit>> {
        return lookFor(
            database, text, [&](const std::string& query) { return hitsOf(database, query, limit, filter); },
            [&](const auto& hits) { return static_cast<int>(hits.size()) >= limit; });
    });
}

Result<std::vector<UsedModel>> models(HistoryReader& history) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<UsedModel>> {
        auto row = database.prepare(
            "SELECT c.model_id, max((SELECT m.model_name FROM messages m WHERE m.conversation_id = c.id "
            "AND m.model_id = c.model_id ORDER BY m.id DESC LIMIT 1)) AS name FROM conversations c "
            "WHERE c.trashed_ms IS NULL AND c.model_id <> '' GROUP BY c.model_id "
            "HAVING name IS NOT NULL ORDER BY name");
        std::vector<UsedModel> models;
        while (row.executeStep())
            models.push_back({row.getColumn(0).getString(), row.getColumn(1).getString()});
        return models;
    });
}

Result<std::vector<RowId>> findIn(HistoryReader& history, RowId conversation, const std::string& text) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<RowId>> {
        const auto look = [&](const std::string& query) {
            // The range keeps the index from handing over what stands in other conversations' messages.
            auto row = database.prepare(
                "SELECT m.id FROM search_index CROSS JOIN messages m ON m.id = search_index.rowid "
                "WHERE search_index MATCH ?1 "
                "AND search_index.rowid >= (SELECT min(id) FROM messages WHERE conversation_id = ?2) "
                "AND search_index.rowid <= (SELECT max(id) FROM messages WHERE conversation_id = ?2) "
                "AND m.conversation_id = ?2 AND m.trashed_ms IS NULL ORDER BY search_index.rowid",
                query, conversation);
            std::vector<RowId> ids;
            while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
            return ids;
        };
        return lookFor(database, text, look, [](const auto&) { return false; });
    });
}

}  // namespace ingle::history
