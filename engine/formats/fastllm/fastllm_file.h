/// FastLLM's files (.flm) as they are stored: a dictionary of texts, a vocabulary, weights. Source:
/// ztxz16/fastllm, src/fastllm.cpp (WeightMap::LoadFromFile) and tools/fastllm_pytools/torch2flm.py.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/formats/checkpoint/weight_container.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

struct FastLlmToken {
    std::string text;  ///< any bytes
    int32_t id = 0;
    float score = 0;  ///< minus its place in the list where the file has none
};

struct FastLlmFile {
    int32_t version = 0;
    std::map<std::string, std::string, std::less<>> dictionary;
    std::vector<FastLlmToken> tokens;
    std::vector<std::string> specialTokens;
    std::vector<StoredTensor> weights;  ///< pointing into the file
};

/// Whether the file begins like one of version 1 or 2. (Version 0 begins with its vocabulary, and nothing in
/// it says of which model it is.)
bool isFastLlm(std::span<const std::byte> file);

/// Errors: Corrupt, Unsupported (types that its converters do not write).
Result<FastLlmFile> parseFastLlm(std::span<const std::byte> file);

/// The texts of the dictionary as what Python wrote them from: numbers, truth values, lists; none for "None".
Metadata configOf(const FastLlmFile& file);

}  // namespace ingle::formats
