/// Of documents that are too long for a model: what has most to do with a question. By its words (BM25 of
/// FTS5, https://www.sqlite.org/fts5.html, "The bm25() function") and by what it means (the cosine of vectors
/// of length 1), and both together by reciprocal rank fusion (Cormack, Clarke and Büttcher, "Reciprocal Rank
/// Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009).
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "app/history/documents/documents.h"
#include "app/history/store/database.h"
#include "app/history/text/text_folding.h"
#include "ingle/utf8.h"

namespace ingle::history {
namespace {

constexpr size_t kMostPassages = 24;
/// A passage that a list has at rank r, from 1 on, gets 1 / (kFusion + r) of it: as in the paper.
constexpr double kFusion = 60;
/// Where the room of the context is not known.
constexpr uint64_t kUsualBytes = 6'000;
/// Half of the room is for passages, the rest for the conversation and the answer.
constexpr uint64_t bytesFor(uint32_t room, uint32_t tokens, uint64_t textBytes) {
    return tokens == 0 ? kUsualBytes : textBytes * room / (2 * uint64_t{tokens});
}

/// The beginning of a text, in whole characters.
std::string cut(std::string text, uint64_t most) {
    text.resize(boundaryUpTo(text, most));
    return text;
}

/// Any of the words; empty: there is none.
std::string anyWordOf(const std::string& question) {
    std::string query;
    for (const std::string& phrase : searchQuery(question).phrases) {
        query += query.empty() ? "\"" : " OR \"";
        for (const char c : phrase) query.append(c == '"' ? 2 : 1, c);
        query += '"';
    }
    return query;
}

std::vector<RowId> byWords(Database& file, RowId document, const std::string& query) {
    if (query.empty()) return {};
    return idsOf(file.prepare(
        "SELECT p.id FROM passage_index JOIN passages p ON p.id = passage_index.rowid "
        "WHERE passage_index MATCH ?2 AND p.document_id = ?1 ORDER BY passage_index.rank LIMIT ?3",
        document, query, kMostPassages));
}

std::vector<RowId> byMeaning(Database& file, RowId document, const TextVector& meaning) {
    auto row = file.prepare(
        "SELECT p.id, v.vector FROM passages p JOIN passage_vectors v ON v.passage_id = p.id "
        "WHERE p.document_id = ?1 AND v.model = ?2 AND length(v.vector) = ?3 ORDER BY p.id",
        document, meaning.model, meaning.values.size() * sizeof(float));
    std::vector<std::pair<float, RowId>> found;
    std::vector<float> vector(meaning.values.size());
    while (row.executeStep()) {
        std::memcpy(vector.data(), row.getColumn(1).getBlob(), vector.size() * sizeof(float));
        const float cosine = std::inner_product(vector.begin(), vector.end(), meaning.values.begin(), 0.0F);
        found.emplace_back(cosine, row.getColumn(0).getInt64());
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<float, RowId>::first);
    std::vector<RowId> ids;
    for (const auto& [cosine, id] : found)
        if (ids.size() < kMostPassages) ids.push_back(id);
    return ids;
}

/// Best first, of equal ones that of the first list.
std::vector<RowId> fused(const std::vector<RowId>& first, const std::vector<RowId>& second) {
    std::vector<std::pair<double, RowId>> scores;
    for (const auto* list : {&first, &second}) {
        for (size_t rank = 1; rank <= list->size(); ++rank) {
            const RowId id = (*list)[rank - 1];
            auto known = std::ranges::find(scores, id, &std::pair<double, RowId>::second);
            if (known == scores.end()) known = scores.insert(known, {0, id});
            known->first += 1 / (kFusion + static_cast<double>(rank));
        }
    }
    std::ranges::stable_sort(scores, std::ranges::greater(), &std::pair<double, RowId>::first);
    std::vector<RowId> ids;
    ids.reserve(scores.size());
    for (const auto& [score, id] : scores) ids.push_back(id);
    return ids;
}

/// Best first; the beginning of the document where nothing in it has to do with the question.
std::vector<Passage> bestOf(Database& file, RowId document, const std::string& query,
                            const std::optional<TextVector>& meaning) {
    std::vector<RowId> ids = byWords(file, document, query);
    if (meaning) ids = fused(ids, byMeaning(file, document, *meaning));
    if (ids.empty())
        ids = idsOf(file.prepare("SELECT id FROM passages WHERE document_id = ?1 ORDER BY begins LIMIT ?2",
                                 document, kMostPassages));
    std::vector<Passage> found;
    for (const RowId id : ids) {
        auto row = file.prepare("SELECT begins, ends, page, heading FROM passages WHERE id = ?1", id);
        row.executeStep();
        found.push_back({static_cast<uint64_t>(row.getColumn(0).getInt64()),
                         static_cast<uint64_t>(row.getColumn(1).getInt64()), row.getColumn(2).getUInt(),
                         row.getColumn(3).getString()});
    }
    return found;
}

/// "The title, page 12, Chapter 3": what the person and the model see of where it stands.
std::string nameOf(const std::string& title, const Passage& passage) {
    std::string name = title;
    if (passage.page != 0) name += fmt::format(", page {}", passage.page);
    if (!passage.heading.empty() && passage.heading != title) name += ", " + passage.heading;
    return name;
}

}  // namespace

Result<std::vector<Part>> passageParts(HistoryReader& history, std::span<const RowId> documents,
                                       const std::string& modelId, const std::string& question,
                                       uint32_t context, const std::optional<TextVector>& meaning) {
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<Part>> {
        const std::string query = anyWordOf(question);
        std::vector<Part> parts;
        for (const RowId document : documents) {
            auto row = file.prepare(
                "SELECT d.title, f.content, r.room, r.tokens FROM documents d JOIN files f ON f.id = "
                "d.file_id "
                "LEFT JOIN readings r ON r.document_id = d.id AND r.model_id = ?2 WHERE d.id = ?1",
                document, modelId);
            if (!row.executeStep()) continue;
            const uint32_t tokens = row.getColumn(3).getUInt();
            const uint32_t room = roomWithin(row.getColumn(2).getUInt(), context);
            const bool fits = !row.getColumn(2).isNull() && row.getColumn(2).getUInt() == 0;
            if (fits && (room == 0 || tokens <= room)) continue;  // documentParts() has it
            const std::string title = row.getColumn(0).getString();
            const std::string text = row.getColumn(1).getString();
            uint64_t left = bytesFor(room, tokens, text.size()) / documents.size();
            std::vector<Passage> chosen;
            for (Passage& each : bestOf(file, document, query, meaning)) {
                const uint64_t bytes = each.end - each.begin;
                if (bytes > left && !chosen.empty()) break;
                if (bytes > left) each.end = each.begin + cut(text.substr(each.begin, bytes), left).size();
                left -= std::min(left, bytes);
                chosen.push_back(std::move(each));
            }
            std::ranges::sort(chosen, {}, &Passage::begin);
            uint64_t joined = 0;
            for (const Passage& each : chosen) {
                const std::string words = text.substr(each.begin, each.end - each.begin);
                if (joined != 0 && each.begin == joined) {
                    parts.back().text += words;
                } else {
                    parts.push_back({PartKind::Source, words, nameOf(title, each)});
                }
                joined = each.end;
            }
        }
        return parts;
    });
}

}  // namespace ingle::history
