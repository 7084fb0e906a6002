/// A file that is open already: what readers of model files are given instead of a path.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::io {

/// A regular file opened for reading, and the folder it was found in; or a folder alone, whose files are its
/// siblings. Whoever has one needs no path any more, so the process that parses a stranger's file can be
/// forbidden all others; replacing or removing the file changes nothing for whoever opened it before. Copies
/// share the descriptors. Immutable: any thread.
class Source {
  public:
    /// Opens what a person named. Errors: Io (missing, unreadable, neither a file nor a folder), beginning
    /// with the path.
    static Result<Source> open(const std::string& path);

    /// A folder: it has no bytes to read.
    bool isFolder() const { return m_file == m_folder; }
    /// Opens the file of that name in the same folder. It may be a link to another of its files, or into a
    /// folder "blobs", where download caches keep what their links lead to. Errors: InvalidArgument (a name
    /// that is not one file of the folder: "", ".", "..", or one with a '/'), Unsupported (a link that leads
    /// elsewhere), Io, beginning with the path.
    Result<Source> sibling(std::string_view name) const;
    /// The same, or nothing where there is no such file.
    Result<std::optional<Source>> findSibling(std::string_view name) const;

    /// The names of what is in the folder, sorted; `most` of them at most. Errors: Io.
    Result<std::vector<std::string>> names(size_t most) const;

    /// As the person wrote it, and the same with a sibling's name: for sentences, never to be opened.
    const std::string& path() const { return m_path; }
    /// The last part of the path.
    std::string name() const;
    /// Reading it at a place of one's own choice (pread, mmap) leaves others undisturbed.
    int descriptor() const { return m_file->get(); }

  private:
    enum class Kind { File, FileOrFolder };

    Source(std::string path, std::shared_ptr<const FileDescriptor> folder,
           std::shared_ptr<const FileDescriptor> file)
        : m_path(std::move(path)), m_folder(std::move(folder)), m_file(std::move(file)) {}
    static Result<Source> opened(std::string path, std::shared_ptr<const FileDescriptor> folder,
                                 FileDescriptor file, Kind kind);
    Result<std::string> pathOf(std::string_view name) const;

    std::string m_path;
    std::shared_ptr<const FileDescriptor> m_folder;  ///< for looking up names in it only
    std::shared_ptr<const FileDescriptor> m_file;
};

}  // namespace ingle::io
