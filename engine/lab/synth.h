/// Models with random weights: for tests, benchmarks and checks against other engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/models/family.h"
#include "ingle/result.h"

namespace ingle::lab {

struct SynthOptions {
    std::string family = "llama";
    models::SynthSizes sizes;
    std::string quant = "Q4_0";  ///< format of the matrices; vectors are F32
    uint64_t seed = 1;
    bool hasHead = false;  ///< that predicts further tokens
    /// With such a head, which is right for this share of all tokens. What the layers compute then adds
    /// nothing, though it takes as long: each token is followed by one of its own.
    std::optional<double> headAgreement = std::nullopt;
};

/// Writes a complete GGUF file: the family's metadata and tensors, and a dummy SentencePiece-like vocabulary
/// (unknown, BOS, EOS, 256 bytes, then short pieces) when there is room for one; 256 ids are bytes. The same
/// options give the same bytes. Errors: InvalidArgument (unknown family or format, sizes that contradict each
/// other), Io.
Status writeSynthModel(const SynthOptions& options, const std::string& path);

}  // namespace ingle::lab
