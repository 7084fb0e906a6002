/// Adds tensors to a ModelFile with the checks every format needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// More tensors than any model has (per-expert files of large mixtures hold tens of thousands); it bounds
/// what the directory of a damaged file can take.
inline constexpr uint64_t kMaxTensors = 1 << 17;

/// Places a tensor whose data begins at `file[offset]`. Returns its size in bytes.
/// Errors: Corrupt when the name is empty or taken, the shape does not fit the format, or the data does not
/// lie in the file; the message names the tensor.
Result<uint64_t> addTensor(ModelFile& model, std::span<const std::byte> file, std::string name,
                           const tensor::Shape& shape, const quant::QuantFormat& format, uint64_t offset);

/// Adds a tensor as it is: where its rows come from the caller has made sure. One with a decoder takes no
/// memory before ModelFile::expand(). Errors: Corrupt as above.
Status addTensor(ModelFile& model, tensor::Tensor tensor);

}  // namespace ingle::formats
