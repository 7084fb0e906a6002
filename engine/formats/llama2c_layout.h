/// The order of what llama2.c's checkpoints hold. Source: llama2.c's export.py and run.c.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"

namespace ingle::formats::llama2c {

/// Versions from 1 on begin with this number (the text "24ka") and state their version.
inline constexpr uint32_t kMagic = 0x616B3432;
inline constexpr size_t kHeaderBytes = 256;
/// Constants of run.c.
inline constexpr float kEpsilon = 1e-5F;
inline constexpr float kRopeBase = 10000;

/// What the header says.
struct Config {
    uint64_t dim, hiddenDim, numLayers, numHeads, numKvHeads, vocabSize, numPositions;
    bool sharedOutput;

    uint64_t headSize() const { return dim / numHeads; }
    uint64_t kvDim() const { return headSize() * numKvHeads; }
    /// Cosines and sines of all positions, which this engine computes itself.
    uint64_t ropeTableElems() const { return 2 * (numPositions * headSize() / 2); }
};

enum class Extent { OnePerLayer, OnePerModel };
/// Norms are floats in every version.
enum class Role { Matrix, Norm };

/// Arrays in the order of a file, each with all layers one after another. One without a name is skipped.
struct StackedArray {
    std::string_view name;
    tensor::Shape shape;
    Extent extent = Extent::OnePerLayer;
    Role role = Role::Matrix;

    uint64_t count(const Config& c) const { return extent == Extent::OnePerLayer ? c.numLayers : 1; }
};

/// Of version 0, or of the later ones.
std::vector<StackedArray> arraysInOrder(const Config& config, int32_t version);

}  // namespace ingle::formats::llama2c
