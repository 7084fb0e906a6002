#include "engine/session/snapshots/snapshot_file.h"

#include <xxhash.h>
#include <zstd.h>

#include <array>
#include <cstring>

#include "engine/io/atomic_file.h"
#include "engine/io/byte_reader.h"
#include "engine/io/mapped_file.h"

namespace ingle::session {
namespace {

constexpr std::array<char, 8> kMagic{'I', 'N', 'G', 'L', 'S', 'N', 'A', 'P'};
/// Cached keys and values are nearly incompressible: the fastest level is as small as any.
constexpr int kCompressionLevel = 1;

struct Header {
    std::array<char, 8> magic = kMagic;
    uint32_t version = backend::SavedState::kVersion;
    uint32_t kvType = 0;
    uint32_t firstToken = 0;
    uint32_t numTokens = 0;
    uint64_t stateBytes = 0;
    uint64_t storedBytes = 0;
    SnapshotKey key;
    uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 64 && offsetof(Header, checksum) == 56);

uint64_t checksum(const Header& header, std::span<const std::byte> stored) {
    const uint64_t seed = XXH3_64bits(&header, offsetof(Header, checksum));
    return XXH3_64bits_withSeed(stored.data(), stored.size(), seed);
}

}  // namespace

std::string SnapshotKey::hex() const {
    return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

Status writeSnapshot(const std::string& path, const SnapshotKey& key, const backend::SavedState& state) {
    std::vector<std::byte> stored(ZSTD_compressBound(state.bytes.size()));
    const size_t size = ZSTD_compress(stored.data(), stored.size(), state.bytes.data(), state.bytes.size(),
                                      kCompressionLevel);
    if (ZSTD_isError(size))
        return fail(ErrorCode::OutOfMemory, "{}: cannot compress: {}", path, ZSTD_getErrorName(size));
    stored.resize(size);
    Header header{.kvType = static_cast<uint32_t>(state.kvType),
                  .firstToken = state.range.first,
                  .numTokens = state.range.count,
                  .stateBytes = state.bytes.size(),
                  .storedBytes = size,
                  .key = key};
    header.checksum = checksum(header, stored);
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(std::as_bytes(std::span(&header, 1))));
    INGLE_TRY(file->write(stored));
    return file->commit(io::Durability::Unflushed);
}

Result<backend::SavedState> readSnapshot(const std::string& path, const SnapshotKey& key, KvType kv,
                                         backend::TokenRange range, uint64_t stateBytes) {
    INGLE_TRY_ASSIGN(const auto file, io::MappedFile::open(path));
    const std::span<const std::byte> bytes = file->bytes();
    Header header;
    if (bytes.size() < sizeof header) return fail(ErrorCode::Corrupt, "{}: truncated", path);
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::span<const std::byte> stored = bytes.subspan(sizeof header);
    if (header.magic != kMagic || header.key != key || header.version != backend::SavedState::kVersion ||
        header.kvType != static_cast<uint32_t>(kv) || header.firstToken != range.first ||
        header.numTokens != range.count || header.stateBytes != stateBytes) {
        return fail(ErrorCode::Corrupt, "{}: not a snapshot of tokens {} to {} of this model", path,
                    range.first, range.end());
    }
    if (header.storedBytes != stored.size() || header.checksum != checksum(header, stored))
        return fail(ErrorCode::Corrupt, "{}: damaged", path);
    backend::SavedState state{.kvType = kv, .range = range};
    state.bytes.resize(stateBytes);
    const size_t size = ZSTD_decompress(state.bytes.data(), state.bytes.size(), stored.data(), stored.size());
    if (ZSTD_isError(size) || size != stateBytes) return fail(ErrorCode::Corrupt, "{}: damaged", path);
    return state;
}

}  // namespace ingle::session
