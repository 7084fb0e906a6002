/// Ways of keeping weights packed in folders of Hugging Face. One file per way:
/// engine/formats/packed/<name>.cpp defines `extern const PackedScheme packing` in the namespace
/// `<name>_packing`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/checkpoint/config.h"

namespace ingle::formats {

struct PackedScheme {
    std::span<const std::string_view> methods;  ///< "quant_method" of config.json
    /// Puts a tensor under each module's own name, such as "model.layers.0.mlp.up_proj.weight", in place of
    /// those that it is packed in. `settings`: what config.json says of the packing. Errors: Corrupt,
    /// Unsupported, naming tensor or setting.
    Status (*unpack)(Checkpoint& checkpoint, const Metadata& settings);
};

std::span<const PackedScheme* const> allPackedSchemes();

/// Unpacks what config.json, or an older file beside it, says is packed; nothing where none does. Errors:
/// Unsupported (a way that nobody knows here), those of the schemes.
Status unpackWeights(Checkpoint& checkpoint, const io::Source& source, const Config& config);

// What schemes are made of.

/// Names without `suffix` of all tensors that have it.
std::vector<std::string> modulesWith(const Checkpoint& checkpoint, std::string_view suffix);
/// Takes a tensor out of the checkpoint, if it is there.
std::optional<StoredTensor> take(Checkpoint& checkpoint, const std::string& name);
/// The same. Errors: Corrupt when it is not there, or is of another type or number of dimensions, or shorter
/// than they say.
Result<StoredTensor> takeTyped(Checkpoint& checkpoint, const std::string& name,
                               std::initializer_list<std::string_view> types, size_t numDims);
/// Takes out all tensors whose names end so: nothing that is computed here needs them.
void drop(Checkpoint& checkpoint, std::initializer_list<std::string_view> suffixes);
/// Enters a tensor that is made of others. Errors: Corrupt (one of its name is there).
Status enter(Checkpoint& checkpoint, tensor::Tensor made);
/// Matrices of F8_E4M3 with scales of their own, named like them and "_scale_inv" or "_scale": for the whole,
/// for each row, or for blocks of `blockRows` × `blockColumns`.
Status unpackFp8(Checkpoint& checkpoint, uint64_t blockRows, uint64_t blockColumns);

}  // namespace ingle::formats
