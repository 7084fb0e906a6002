/// Vision towers and their projectors. One file per family: engine/vision/families/<name>.cpp defines `extern
/// const VisionFamily vision` in the namespace `<name>_vision`.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/formats/model_file.h"
#include "engine/models/keys.h"
#include "engine/vision/tower.h"

namespace ingle::vision {

/// What a family reads its tower from. Keys of the metadata begin with "clip."; `spec` has what all files
/// state.
struct VisionFile {
    const models::Keys& keys;
    std::optional<PictureTokens> tokens;  ///< that somebody asked for
    uint32_t mostTokens = UINT32_MAX;     ///< else, of a picture whose model leaves that open

    const formats::ModelFile& file() const { return keys.file(); }
    bool has(std::string_view tensor) const { return file().find(tensor) != nullptr; }
    /// Rows of a matrix that the file has; 0 where it has none.
    uint64_t rowsOf(std::string_view tensor) const;
    /// `usual`, as far as mostTokens allows, unless somebody asked for others.
    PictureTokens tokensOr(PictureTokens usual) const {
        const PictureTokens allowed{std::min(usual.least, mostTokens), std::min(usual.most, mostTokens)};
        return tokens.value_or(allowed);
    }
    /// … where a token is a square of so many pixels on a side, as far as the file has limits of its own.
    /// Errors: Corrupt.
    Result<PictureTokens> tokensOr(PictureTokens usual, uint32_t unit) const;
    /// The same limits in pixels, which the file may state with parts of tokens. Errors: Corrupt.
    Result<PixelLimits> pixelsOr(PictureTokens usual, uint32_t unit) const;
    /// Pictures are resized as the model's own code does it, where that differs from llama.cpp: folders of
    /// models say so. Errors: Corrupt.
    Result<bool> resizesAsTrained() const;
    /// The error of limits, where a family has none to change.
    Status refuseTokens() const;
};

struct VisionFamily {
    std::span<const std::string_view> types;  ///< clip.projector_type
    /// The text models that its files go with, by their architecture; empty: any whose rows are as wide.
    std::span<const std::string_view> archs = {};
    /// Completes what all files state. Errors: Corrupt, Unsupported.
    Status (*read)(const VisionFile& file, TowerSpec& spec);
};

std::span<const VisionFamily* const> allVisionFamilies();

/// A vision file, and its tower with checked weights, which point into the file.
struct BoundTower {
    const VisionFamily* family = nullptr;
    TowerSpec spec;
    models::Weights weights;
};
/// Prepares the file's tensors for reading: patches as rows of a matrix, and matrices that old files hold
/// under each other's names. Then reads and binds. Errors: Unsupported, naming the type; Corrupt;
/// InvalidArgument for `tokens`.
Result<BoundTower> bindTower(formats::ModelFile& file, const std::optional<PictureTokens>& tokens,
                             uint32_t mostTokens = UINT32_MAX);

// What families have in common.

/// Frequencies base^(-2 (first + step j) / dims) of `count` pairs j.
std::vector<double> ropeFrequencies(double base, uint32_t dims, uint32_t count, double first = 0,
                                    double step = 1);
/// Rotary halves: the first half of the pairs by lines, the second by columns, with the same frequencies.
TowerRope ropeByHalves(uint32_t headDim);
/// Rotary neighbours: the first half of a head by columns, the second by lines, counted from 1.
TowerRope ropeByPairs(uint32_t headDim);

/// A table of positions with as many rows as the file has.
Status readPositions(const VisionFile& file, Positions positions, TowerSpec& spec);
/// The patches that a projector joins on each side, under this key. Errors: Corrupt.
Status readMerge(const VisionFile& file, std::string_view key, uint32_t usual, TowerSpec& spec);

/// One picture in whole units, as Qwen's models have it. Errors: Corrupt.
Result<std::unique_ptr<Cutter>> inQwenUnits(const VisionFile& file, uint32_t unit, Marks marks);

/// Whether a picture of tiles may be so large. Errors: Corrupt.
Status checkTiles(const VisionFile& file, Size size);

/// The matrices of a projector: `first` reads rows of `in` numbers, and `second` makes rows of `out` of its
/// own; what is between them is as wide as in the file. Errors: Corrupt.
Status listProjector(const VisionFile& file, const std::string& first, const std::string& second, uint64_t in,
                     uint64_t out, TowerSpec& spec);
/// … and such a projector: second f(first x).
graph::Value projectTwice(graph::Builder& builder, const models::Weights& weights, graph::Value x,
                          const std::string& first, backend::ActivationKind f, const std::string& second);

}  // namespace ingle::vision
