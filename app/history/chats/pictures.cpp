#include "app/history/chats/pictures.h"

#include <span>

#include "app/codec/codec.h"
#include "app/history/chats/picture_rows.h"
#include "app/history/store/database.h"
#include "ingle/sha256.h"

namespace ingle::history {
namespace {

constexpr size_t kHashBytes = 32;

std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

RowId fileRow(Database& database, const PictureFile& file) {
    const std::string hash = sha256(file.bytes);
    auto same = database.prepare("SELECT id FROM files WHERE hash = ?1", bytesOf(hash));
    if (same.executeStep()) return same.getColumn(0).getInt64();
    database.execute("INSERT INTO files (hash, media_type, content) VALUES (?1, ?2, ?3)", bytesOf(hash),
                     file.mediaType, bytesOf(file.bytes));
    return database.sqlite().getLastInsertRowid();
}

RowId pictureRow(Database& database, std::string_view hash) {
    const auto bytes = codec::Hex::read(hash);
    if (!bytes || bytes->size() != kHashBytes) return 0;
    auto row = database.prepare("SELECT id FROM files WHERE hash = ?1", bytesOf(*bytes));
    return row.executeStep() ? RowId{row.getColumn(0).getInt64()} : 0;
}

std::string hashOfRow(Database& database, RowId file) {
    auto row = database.prepare("SELECT lower(hex(hash)) FROM files WHERE id = ?1", file);
    return row.executeStep() ? row.getColumn(0).getString() : std::string();
}

std::vector<RowId> looseFiles(Database& database) {
    return idsOf(database.prepare(
        "SELECT f.id FROM files f WHERE NOT EXISTS (SELECT 1 FROM parts WHERE file_id = f.id) "
        "AND NOT EXISTS (SELECT 1 FROM documents WHERE file_id = f.id) "
        "AND (f.hash IS NULL OR NOT EXISTS (SELECT 1 FROM drafts WHERE instr(text, lower(hex(f.hash))) "
        " UNION ALL SELECT 1 FROM settings WHERE instr(value, lower(hex(f.hash)))))"));
}

Result<std::string> storePicture(History& history, const PictureFile& picture) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<std::string> {
        fileRow(database, picture);
        return sha256Hex(picture.bytes);
    });
}

Result<PictureFile> picture(HistoryReader& history, std::string_view hash) {
    Database& database = history.database();
    return database.run([&]() -> Result<PictureFile> {
        auto row = database.prepare("SELECT media_type, content FROM files WHERE id = ?1",
                                    pictureRow(database, hash));
        if (!row.executeStep())
            return fail(ErrorCode::InvalidArgument, "The history has no picture {}.", shown(hash));
        return PictureFile{row.getColumn(0).getString(), row.getColumn(1).getString()};
    });
}

Result<std::vector<std::string>> picturesInUse(HistoryReader& history) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<std::string>> {
        auto row =
            database.prepare("SELECT DISTINCT data FROM parts WHERE kind = 'image' AND file_id IS NOT NULL");
        std::vector<std::string> hashes;
        while (row.executeStep()) hashes.push_back(row.getColumn(0).getString());
        return hashes;
    });
}

std::vector<std::string> picturesOfDraft(std::string_view draft) {
    std::vector<std::string> hashes;
    for (size_t at = draft.find(kDraftPicture); at != draft.npos; at = draft.find(kDraftPicture, at + 1))
        hashes.emplace_back(draft.substr(at + 1, 2 * kHashBytes));
    return hashes;
}

}  // namespace ingle::history
