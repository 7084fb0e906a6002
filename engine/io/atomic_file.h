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

/// What becomes of a file that has the name already.
enum class Existing { Replaced, Kept };

/// Makes files and gives them their names in place of a process that may not.
class FileMaker {
  public:
    struct Made {
        FileDescriptor file;  ///< to be written
        std::string id;
    };
    virtual ~FileMaker() = default;
    /// As AtomicFile::create(), and as its commit(), or its end without one. Any thread.
    virtual Result<Made> make(const std::string& path, Access access, Existing existing) = 0;
    virtual Status keep(const std::string& id, Durability durability) = 0;
    virtual void drop(const std::string& id) = 0;
};
/// From now on it is asked where this process is refused. Before there is a second thread.
void useFileMaker(FileMaker* maker);

/// A file without a name, or where the file system has none of these a temporary one beside the target, that
/// commit() puts in the target's place. Without a commit nothing stays of it, also where the process is
/// killed (but for a temporary one), and the target stays as it was. One thread.
class AtomicFile {
  public:
    /// Errors: Io (no such folder, no permission, something else than a file is there; with Existing::Kept:
    /// anything is there).
    static Result<std::unique_ptr<AtomicFile>> create(const std::string& path,
                                                      Access access = Access::ByUmask,
                                                      Existing existing = Existing::Replaced);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends. Errors: Io (disk full, by that id).
    Status write(std::span<const std::byte> bytes);
    uint64_t bytesWritten() const { return m_bytesWritten; }
    /// For somebody else who writes.
    int descriptor() const { return m_file.get(); }
    /// Flushes to the disk, renames, flushes the folder. Called once, last. With Existing::Kept no file is
    /// ever replaced, also one that has come since create().
    /// Errors: Io.
    Status commit(Durability durability = Durability::Flushed);

  private:
    AtomicFile(std::string path, FileDescriptor file, Existing existing)
        : m_path(std::move(path)), m_file(std::move(file)), m_existing(existing) {}

    Status takeName();

    std::string m_path;
    std::string m_temporaryPath;  // empty: it has no name, or has become m_path
    std::string m_nameToBe;       // of a file without a name, on its way to m_path
    std::string m_made;           // by the maker, who knows it by this; empty: by this process
    FileDescriptor m_file;
    Existing m_existing;
    uint64_t m_bytesWritten = 0;
};

}  // namespace ingle::io
