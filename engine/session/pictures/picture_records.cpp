#include "engine/session/pictures/picture_records.h"

#include <xxhash.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "ingle/stop_scope.h"

namespace ingle::session {
namespace {

using nlohmann::json;

constexpr size_t kLayoutBytes = size_t{64} << 10;
/// Whatever is kept of one picture: more than any family makes.
constexpr uint64_t kMostRows = 1 << 16;
/// Where towers come to compute otherwise than before, what was kept no longer counts.
constexpr int kVersion = 1;
constexpr std::chrono::milliseconds kGlance{2};

json tileAsJson(const PictureTile& tile) {
    const SeenTile& seen = tile.seen;
    return {tile.before, tile.width, tile.height, tile.numRows, tile.columns,
            tile.lines,  seen.left,  seen.top,    seen.width,   seen.height};
}

PictureTile tileFrom(const json& tile) {
    PictureTile read{
        .before = tile.at(0),
        .width = tile.at(1),
        .height = tile.at(2),
        .numRows = tile.at(3),
        .columns = tile.at(4),
        .lines = tile.at(5),
        .seen = {.left = tile.at(6), .top = tile.at(7), .width = tile.at(8), .height = tile.at(9)}};
    read.seen.seenWidth = read.width;
    read.seen.seenHeight = read.height;
    read.seen.tokens = read.numRows;
    return read;
}

std::string layoutAsText(const PictureLayout& layout) {
    json tiles = json::array();
    for (const PictureTile& tile : layout.tiles) tiles.push_back(tileAsJson(tile));
    return json{{"width", layout.width},       {"height", layout.height},   {"after", layout.after},
                {"rowWidth", layout.rowWidth}, {"hasGrid", layout.hasGrid}, {"tiles", std::move(tiles)}}
        .dump();
}

std::optional<PictureLayout> layoutFrom(std::string_view text) {
    try {
        const json read = json::parse(text);
        PictureLayout layout{.width = read.at("width"),
                             .height = read.at("height"),
                             .tiles = {},
                             .after = read.at("after"),
                             .rowWidth = read.at("rowWidth"),
                             .hasGrid = read.at("hasGrid")};
        uint64_t rows = 0;
        for (const json& tile : read.at("tiles")) {
            layout.tiles.push_back(tileFrom(tile));
            rows += layout.tiles.back().numRows;
        }
        if (rows == 0 || rows > kMostRows) return std::nullopt;
        return layout;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

backend::SavedState stateOf(const void* bytes, size_t count, size_t allBytes, uint32_t rows) {
    backend::SavedState state{.kvType = KvType::F32, .range = {0, rows}};
    state.bytes.resize(allBytes);
    std::memcpy(state.bytes.data(), bytes, count);
    return state;
}

}  // namespace

PictureRecords::PictureRecords(std::shared_ptr<SnapshotStore> store, std::vector<io::Source> files,
                               std::string configuration)
    : m_store(std::move(store)), m_configuration(std::move(configuration)) {
    if (m_store)
        m_hash = std::make_unique<ModelHash>(std::move(files), fmt::format("{}/models", m_store->folder()));
}

Status PictureRecords::waitUntilReady() const {
    while (m_hash && !m_hash->get()) {
        if (StopScope::isStopWanted()) return fail(ErrorCode::Cancelled, "cancelled");
        std::this_thread::sleep_for(kGlance);
    }
    return {};
}

std::string PictureRecords::nameOf(const std::string& picture) const {
    return fmt::format("picture {} {} {} {}", kVersion, m_hash ? m_hash->get().value_or("") : "",
                       m_configuration, picture);
}

uint64_t PictureRecords::identityOf(const std::string& picture) const {
    const std::string name = nameOf(picture);
    return XXH3_64bits(name.data(), name.size());
}

SnapshotKey PictureRecords::keyOf(const std::string& picture, Part part) const {
    const std::string name = nameOf(picture);
    const XXH128_hash_t hash = XXH3_128bits_withSeed(name.data(), name.size(), part == Part::Rows ? 2 : 1);
    return {{hash.high64, hash.low64}};
}

std::optional<PictureLayout> PictureRecords::layoutOf(const std::string& picture) const {
    if (!hasRows(picture)) return std::nullopt;
    const auto state = m_store->read(keyOf(picture, Part::Layout), KvType::F32, {0, 1}, kLayoutBytes);
    if (!state) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(state->bytes.data()), state->bytes.size());
    return layoutFrom(text.substr(0, text.find('\0')));
}

bool PictureRecords::hasRows(const std::string& picture) const {
    if (!m_store) return false;
    m_store->refresh();
    return m_store->contains(keyOf(picture, Part::Layout)) && m_store->contains(keyOf(picture, Part::Rows));
}

Result<std::vector<float>> PictureRecords::rowsOf(const std::string& picture,
                                                  const PictureLayout& layout) const {
    const uint32_t numRows = layout.numRows();
    const uint64_t numElems = uint64_t{numRows} * layout.rowWidth;
    if (!m_store) return fail(ErrorCode::Io, "nothing is kept");
    INGLE_TRY_ASSIGN(const backend::SavedState state, m_store->read(keyOf(picture, Part::Rows), KvType::F32,
                                                                    {0, numRows}, numElems * sizeof(float)));
    std::vector<float> rows(numElems);
    std::memcpy(rows.data(), state.bytes.data(), state.bytes.size());
    return rows;
}

void PictureRecords::keep(const std::string& picture, const PictureLayout& layout,
                          std::span<const float> rows, const std::string& conversation) const {
    const std::string text = layoutAsText(layout);
    if (!m_store || conversation.empty() || text.size() >= kLayoutBytes) return;
    const SnapshotOwner owner{OwnerKind::Conversation, conversation};
    m_store->write(keyOf(picture, Part::Layout), owner, [&]() -> Result<backend::SavedState> {
        return stateOf(text.data(), text.size(), kLayoutBytes, 1);
    });
    m_store->write(keyOf(picture, Part::Rows), owner, [&]() -> Result<backend::SavedState> {
        return stateOf(rows.data(), rows.size_bytes(), rows.size_bytes(), layout.numRows());
    });
}

void PictureRecords::note(const std::string& picture, const std::string& conversation) const {
    if (!m_store || conversation.empty()) return;
    const SnapshotOwner owner{OwnerKind::Conversation, conversation};
    for (const Part part : {Part::Layout, Part::Rows})
        m_store->write(keyOf(picture, part), owner, []() -> Result<backend::SavedState> {
            return fail(ErrorCode::Io, "it has gone meanwhile");
        });
}

}  // namespace ingle::session
