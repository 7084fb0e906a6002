/// Files that hold tensors and nothing else: what they are in a model, other files say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"
#include "ingle/result.h"

namespace ingle::formats {

/// A tensor as its file describes it.
struct StoredTensor {
    std::string name;
    std::string type;                 ///< "F32", "BF16", "I32", …: safetensors' name, or that of integers
    std::vector<uint64_t> dims;       ///< the contiguous one last; none: one number
    std::span<const std::byte> data;  ///< all of it, one row behind the other
    /// Numbers from one to the next of each dimension; empty: as `data` says. Only until relocate().
    std::vector<uint64_t> strides = {};
    /// Null, or what it is, made of several (packed_scheme.h) or with numbers beside it (fastllm_file.h):
    /// type and data say nothing then.
    std::shared_ptr<const tensor::Tensor> packed = {};
};

struct WeightContainer {
    std::string_view name;
    bool (*probe)(std::span<const std::byte> file);
    /// Names are unique and data is as long as type and dimensions say, for types that are known. Errors:
    /// Corrupt, Unsupported.
    Result<std::vector<StoredTensor>> (*read)(std::span<const std::byte> file);
};

extern const WeightContainer kSafetensors;
extern const WeightContainer kPyTorch;

/// The container whose file this is; null: none.
const WeightContainer* findContainer(std::span<const std::byte> file);

/// Bits of a number of a type of safetensors; 0 when it is unknown.
uint32_t bitsOfType(std::string_view type);

}  // namespace ingle::formats
