/// A read-only memory-mapped file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "engine/io/source.h"
#include "ingle/result.h"

namespace ingle::io {

/// The whole file as bytes, for as long as the object lives. Immutable: any thread. The mapping is private
/// and read-only; a file that shrinks underneath raises SIGBUS at an address that isMapped().
class MappedFile {
  public:
    /// Errors: Io, Corrupt (empty).
    static Result<std::shared_ptr<const MappedFile>> map(const Source& source);
    /// Opens the file first: for files of this program's own. Errors: as map() and Source::open().
    static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    /// Whether the address is one of any such file's. May be called in signal handlers.
    static bool isMapped(const void* address);

    /// Gives back the memory of such bytes, which are read from the disk again if somebody looks at them.
    /// Bytes of no such file stay as they are.
    static void letGo(std::span<const std::byte> bytes);
    /// Has the system read such bytes from the disk meanwhile; they take no memory of this process before
    /// somebody looks at them.
    static void readAhead(std::span<const std::byte> bytes);

    std::span<const std::byte> bytes() const { return {m_data, m_size}; }

  private:
    MappedFile(const std::byte* data, size_t size) : m_data(data), m_size(size) {}

    const std::byte* m_data;
    size_t m_size;
};

/// Has the system hold memory that is filled already in large pages, where it can: what is read from end to
/// end for each token spends less time on looking up addresses.
void useLargePages(std::span<std::byte> memory);

}  // namespace ingle::io
