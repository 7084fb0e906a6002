/// RWKV in GGUF's terms: names of its authors' tensors, and what its files say only through shapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// What a tensor of the authors is called in GGUF's terms; what nothing is known of keeps its name.
std::string rwkvName(std::string_view name);

struct RwkvSizes {
    uint32_t numVocab, numEmbed, numLayers;
};

/// Sets the architecture, its keys and its kind of tokenizer, when all tensors are there under rwkvName() and
/// with the shapes and numbers that rwkv.cpp gives them. GGUF knows RWKV-6 and 7, whose tensors get its
/// shapes; those of RWKV-5 stay as they are: time_decay and time_first are {1, 1, heads} in 5.1 and {1, head
/// size, heads} in 5.2. Errors: Corrupt.
Status setRwkvKeys(ModelFile& model, const RwkvSizes& sizes);

}  // namespace ingle::formats
