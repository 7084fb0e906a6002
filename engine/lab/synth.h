/// Models with random weights: for tests, benchmarks and checks against other engines.
#pragma once

#include <cstdint>
#include <string>

#include "engine/models/family.h"
#include "ingle/result.h"

namespace ingle::lab {

struct SynthOptions {
    std::string family = "llama";
    models::SynthSizes sizes;
    std::string quant = "Q4_0";  ///< format of the matrices; vectors are F32
    uint64_t seed = 1;
};

/// Writes a complete GGUF file: the family's metadata and tensors, and a dummy SentencePiece-like vocabulary
/// (unknown, BOS, EOS, 256 bytes, then short pieces) when there is room for one; 256 ids are bytes. The same
/// options give the same bytes. Errors: InvalidArgument (unknown family or format, sizes that contradict each
/// other), Io.
Status writeSynthModel(const SynthOptions& options, const std::string& path);

}  // namespace ingle::lab
