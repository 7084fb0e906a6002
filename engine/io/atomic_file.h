/// Writes a file so that its final name only ever shows a complete one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::io {

/// What a committed file survives. Without Flushed a power cut may leave it empty or half written: for what
/// carries a checksum and can be made again.
enum class Durability { Flushed, Unflushed };

/// Who may read it.
enum class Access { ByUmask, Private };

/// A temporary file beside the target that commit() renames over it. Without a commit the destructor removes
/// it and the target stays as it was. One thread.
class AtomicFile {
  public:
    /// Errors: Io (no such folder, no permission, something else than a file is there).
    static Result<std::unique_ptr<AtomicFile>> create(const std::string& path,
                                                      Access access = Access::ByUmask);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends. Errors: Io (disk full).
    Status write(std::span<const std::byte> bytes);
    uint64_t bytesWritten() const { return m_bytesWritten; }
    /// Flushes to the disk, renames, flushes the folder. Called once, last. Errors: Io.
    Status commit(Durability durability = Durability::Flushed);

  private:
    AtomicFile(std::string path, std::string temporaryPath, FileDescriptor file)
        : m_path(std::move(path)), m_temporaryPath(std::move(temporaryPath)), m_file(std::move(file)) {}

    std::string m_path;
    std::string m_temporaryPath;  // empty once it has become m_path
    FileDescriptor m_file;
    uint64_t m_bytesWritten = 0;
};

}  // namespace ingle::io
