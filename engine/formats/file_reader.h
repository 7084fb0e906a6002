/// One file per file format: engine/formats/readers/<name>.cpp defines `extern const FileReader reader` in
/// the namespace `<name>_reader`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// How sure a reader is that a file is its own, from the content alone (never from the name).
enum class Match {
    No,
    Size,   ///< no magic, but the sizes in the header give exactly this file size
    Magic,  ///< the format's magic number
};

struct FileReader {
    std::string_view name;
    Match (*probe)(std::span<const std::byte> file);
    /// Only called after a probe other than No. Tensors point into `file` or the model's buffers; path,
    /// sources and mappings are left to openModelFile, which also puts the path before the message of an
    /// error. Errors: Corrupt, Unsupported, OutOfMemory.
    Result<ModelFile> (*read)(std::span<const std::byte> file);
    /// Null, or: adds what lies in files beside the model's. Errors name the file: Io, Corrupt, Unsupported.
    Status (*readCompanions)(ModelFile& model, const io::Source& source) = nullptr;
    /// Null, or called in place of both: a model whose files say only together what it is. Fills in
    /// everything.
    Result<ModelFile> (*open)(const io::Source& source,
                              std::shared_ptr<const io::MappedFile> mapping) = nullptr;
    /// The same of the part that sees, where such files may hold one; null: they do not.
    Result<ModelFile> (*openSight)(const io::Source& source,
                                   std::shared_ptr<const io::MappedFile> mapping) = nullptr;
    /// Names of the files that stand for the folder they are in, those that know of others first.
    std::span<const std::string_view> leads = {};
};

std::span<const FileReader* const> allReaders();

}  // namespace ingle::formats
