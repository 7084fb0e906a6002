#include "engine/io/mapped_file.h"
#include "ingle/error_ids.h"

#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ingle::io {
namespace {

/// Where a file is mapped. A signal handler reads it, so that there is no lock.
struct Mapping {
    std::atomic<uintptr_t> begin = 0;  ///< 0: free
    std::atomic<uintptr_t> end = 0;
};
/// More than a model has files.
std::array<Mapping, 256> mappings;
std::atomic<uint32_t> unlisted = 0;  ///< files that had no room there

void list(uintptr_t begin, size_t size) {
    for (Mapping& mapping : mappings) {
        uintptr_t none = 0;
        if (!mapping.begin.compare_exchange_strong(none, begin)) continue;
        mapping.end = begin + size;
        return;
    }
    ++unlisted;
}

void takeOff(uintptr_t begin) {
    for (Mapping& mapping : mappings) {
        if (mapping.begin != begin) continue;
        mapping.end = 0;
        mapping.begin = 0;
        return;
    }
    --unlisted;
}

/// Of whole pages only: what lies beside them may be in use.
void advise(std::span<const std::byte> bytes, int advice) {
    const auto first = reinterpret_cast<uintptr_t>(bytes.data());
    const auto holds = [&](const Mapping& mapping) {
        return mapping.begin <= first && first + bytes.size() <= mapping.end;
    };
    if (std::ranges::none_of(mappings, holds)) return;
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const uintptr_t begin = (first + page - 1) / page * page, end = (first + bytes.size()) / page * page;
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::map(const Source& source) {
    const std::string& path = source.path();
    if (source.isFolder())
        return withId<ErrorId::NotAModel>(fail(ErrorCode::Io, "{}: a folder, where a file is needed", path),
                                          path);
    struct stat info {};
    if (::fstat(source.descriptor(), &info) != 0)
        return fail(ErrorCode::Io, "{}: {}", path, std::strerror(errno));
    if (info.st_size == 0)
        return withId<ErrorId::FileEmpty>(fail(ErrorCode::Corrupt, "{}: the file is empty", path), path);

    const auto size = static_cast<size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, source.descriptor(), 0);
    if (data == MAP_FAILED)
        return fail(ErrorCode::Io, "{}: cannot map {} bytes: {}", path, size, std::strerror(errno));
    list(reinterpret_cast<uintptr_t>(data), size);
    return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    INGLE_TRY_ASSIGN(const Source source, Source::open(path));
    return map(source);
}

MappedFile::~MappedFile() {
    takeOff(reinterpret_cast<uintptr_t>(m_data));
    ::munmap(const_cast<std::byte*>(m_data), m_size);
}

bool MappedFile::isMapped(const void* address) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    const auto holds = [at](const Mapping& mapping) { return mapping.begin <= at && at < mapping.end; };
    return unlisted > 0 || std::ranges::any_of(mappings, holds);
}

void MappedFile::letGo(std::span<const std::byte> bytes) {
    advise(bytes, MADV_DONTNEED);
}

void MappedFile::readAhead(std::span<const std::byte> bytes) {
    advise(bytes, MADV_WILLNEED);
}

void useLargePages(std::span<std::byte> memory) {
    constexpr uintptr_t kLarge = uintptr_t{2} << 20;
    const auto first = reinterpret_cast<uintptr_t>(memory.data());
    const uintptr_t begin = (first + kLarge - 1) / kLarge * kLarge;
    const uintptr_t end = (first + memory.size()) / kLarge * kLarge;
    // An older system, or one without memory in such pieces, leaves it as it is.
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_COLLAPSE);
}

}  // namespace ingle::io
