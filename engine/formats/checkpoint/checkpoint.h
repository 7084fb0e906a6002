/// The tensors of a model that lies in one file or in several, and the files beside them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint/weight_container.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

/// Opened files; tensors under the names of their files, pointing into the mappings.
struct Checkpoint {
    std::vector<io::Source> sources;
    std::vector<std::shared_ptr<const io::MappedFile>> mappings;  ///< of the sources, one each
    std::vector<base::Buffer> buffers;  ///< of tensors that do not lie in the files as they are read
    std::string container;
    std::map<std::string, StoredTensor, std::less<>> tensors;
};

/// Names of the files that stand for all of a model, those that know of others first.
inline constexpr std::string_view kLeads[] = {"model.safetensors.index.json", "model.safetensors",
                                              "pytorch_model.bin.index.json", "pytorch_model.bin"};

/// Whether the file is a part of such a model: tensors, an index of parts, or the configuration beside them.
bool isOfCheckpoint(std::span<const std::byte> file);

/// Opens the model that `source` belongs to: all parts, where it is one or their index. Errors begin with the
/// path of the file that is wrong: Io and Corrupt (parts that are missing, or hold other tensors than the
/// index says), those of the containers.
Result<Checkpoint> openCheckpoint(const io::Source& source, std::shared_ptr<const io::MappedFile> mapping);

/// Copies tensors whose numbers lie in another order than their dimensions, and those of F64, which become
/// F32. Errors: OutOfMemory.
Status relocate(Checkpoint& checkpoint);

/// The text of a small file beside `source`, added to the checkpoint's files; nothing where there is none.
/// Errors: Io, Corrupt (larger than any such file).
Result<std::optional<std::string_view>> findText(Checkpoint& checkpoint, const io::Source& source,
                                                 std::string_view name);

}  // namespace ingle::formats
