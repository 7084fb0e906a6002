#include "engine/backend/vulkan/substrate/pipeline_cache.h"

#include <xxhash.h>

#include <cstring>
#include <filesystem>

#include "engine/io/atomic_file.h"
#include "engine/io/byte_reader.h"
#include "engine/io/mapped_file.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kMagic = 0x3130'4350'4B56'474E;  // "NGVKPC01", read as a little-endian number

/// Vulkan, section "Pipeline Cache Header": which driver and device the data is for.
bool isMeantFor(std::span<const std::byte> data, const DeviceInfo& device) {
    VkPipelineCacheHeaderVersionOne header{};
    if (data.size() < sizeof header) return false;
    std::memcpy(&header, data.data(), sizeof header);
    return header.headerSize >= sizeof header && header.headerSize <= data.size() &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
           header.vendorID == device.vendorId && header.deviceID == device.deviceId &&
           std::memcmp(header.pipelineCacheUUID, device.pipelineCacheUuid.data(), VK_UUID_SIZE) == 0;
}

Result<std::vector<std::byte>> read(const std::string& path) {
    INGLE_TRY_ASSIGN(const auto file, io::MappedFile::open(path));
    io::ByteReader reader(file->bytes());
    INGLE_TRY_ASSIGN(const uint64_t magic, reader.read<uint64_t>());
    INGLE_TRY_ASSIGN(const uint64_t hash, reader.read<uint64_t>());
    INGLE_TRY_ASSIGN(const auto data, reader.take(reader.remaining()));
    if (magic != kMagic || hash != XXH3_64bits(data.data(), data.size()))
        return fail(ErrorCode::Corrupt, "{}: not a pipeline cache, or damaged", path);
    return std::vector(data.begin(), data.end());
}

}  // namespace

std::string pipelineCachePath(const std::string& folder, const DeviceInfo& device) {
    if (folder.empty()) return {};
    return fmt::format("{}/pipelines-{}", folder, driverIdentity(device));
}

std::vector<std::byte> readPipelineCache(const std::string& path, const DeviceInfo& device) {
    const auto data = read(path);
    return data && isMeantFor(*data, device) ? *data : std::vector<std::byte>();
}

Status writePipelineCache(const std::string& path, std::span<const std::byte> data) {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    const uint64_t head[] = {kMagic, XXH3_64bits(data.data(), data.size())};
    INGLE_TRY(file->write(std::as_bytes(std::span(head))));
    INGLE_TRY(file->write(data));
    // It carries a checksum and can be made again.
    return file->commit(io::Durability::Unflushed);
}

}  // namespace ingle::backend::vulkan
