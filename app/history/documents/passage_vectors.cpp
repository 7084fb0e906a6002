#include "app/history/documents/passage_vectors.h"

#include <utility>

#include "app/history/store/database.h"

namespace ingle::history {
namespace {

constexpr int kMostAtOnce = 16;

}  // namespace

Result<std::vector<PassageText>> passagesWithoutVector(HistoryReader& history, const std::string& model,
                                                       uint64_t bytes) {
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<PassageText>> {
        auto row = file.prepare(
            "SELECT p.id, p.heading, substr(f.content, p.begins + 1, p.ends - p.begins) FROM passages p "
            "JOIN documents d ON d.id = p.document_id JOIN files f ON f.id = d.file_id "
            "WHERE EXISTS (SELECT 1 FROM readings WHERE document_id = d.id AND room > 0) "
            "AND NOT EXISTS (SELECT 1 FROM passage_vectors WHERE passage_id = p.id AND model = ?1) "
            "ORDER BY p.id LIMIT ?2",
            model, kMostAtOnce);
        std::vector<PassageText> found;
        uint64_t taken = 0;
        while (taken < bytes && row.executeStep()) {
            std::string text = row.getColumn(1).getString();
            if (!text.empty()) text += '\n';
            text += row.getColumn(2).getString();
            taken += text.size();
            found.push_back({row.getColumn(0).getInt64(), std::move(text)});
        }
        return found;
    });
}

Status setPassageVectors(History& history, const std::string& model, std::span<const PassageVector> vectors) {
    Database& file = history.database();
    return file.transact(Durability::Process, [&]() -> Status {
        for (const PassageVector& each : vectors)
            file.execute(
                "INSERT OR REPLACE INTO passage_vectors (passage_id, model, vector) "
                "SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?1)",
                each.passage, model, std::as_bytes(std::span(each.values)));
        return {};
    });
}

Result<bool> haveVectors(HistoryReader& history, std::span<const RowId> documents,
                         const std::string& modelId) {
    Database& file = history.database();
    return file.run([&]() -> Result<bool> {
        for (const RowId document : documents) {
            auto row = file.prepare(
                "SELECT 1 FROM passages p JOIN passage_vectors v ON v.passage_id = p.id "
                "LEFT JOIN readings r ON r.document_id = p.document_id AND r.model_id = ?2 "
                "WHERE p.document_id = ?1 AND r.room IS NOT 0 LIMIT 1",
                document, modelId);
            if (row.executeStep()) return true;
        }
        return false;
    });
}

}  // namespace ingle::history
