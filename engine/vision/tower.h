/// Vision towers as data: how patches of a picture become rows, what each layer consists of, and how rows are
/// joined for the projector. A family (family.h) describes its tower so; tensors and graphs follow.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/models/weights.h"
#include "engine/vision/preprocess.h"

namespace ingle::vision {

struct TowerSpec;

/// What ends a row of tokens, or stands for all of a picture.
enum class ClassToken : uint8_t {
    None,
    First,  ///< it has the first position
    Last,   ///< … the last
};

/// How a patch finds its row in v.position_embd.weight.
enum class Positions : uint8_t {
    None,
    OfPatch,         ///< by its number: pictures have as many patches as the table has rows
    AlignedCorners,  ///< the table is a square, and stretched to the grid; corners on corners
    HalfPixels,      ///< the same, with the middles of pixels on each other
    Averaged,        ///< the same; a grid that is smaller than the table averages
    ByAxis,          ///< row x of the first of two tables and row y of the second, added
    Buckets,         ///< the table is a square, and a patch takes the row that its place falls into
};

/// Rotary positions of queries and keys, by a patch's place on the grid.
struct TowerRope {
    backend::RopeStyle style = backend::RopeStyle::HalfSplit;
    std::vector<double> frequencies;  ///< of the pairs of a head, or of half a head
    std::vector<uint8_t> axes;        ///< of these pairs
    /// Each half of a head is rotated by itself: the first by the column, the second by the line.
    bool isOfHalves = false;
    uint32_t first = 0;  ///< number of the first line and column; what is on no grid has 0
};
/// The coordinates that axes count in: those of backend::Coordinates.
inline constexpr uint8_t kLineAxis = 1, kColumnAxis = 2;

/// Layers whose rows see only those of the same square of patches.
struct TowerWindows {
    uint32_t side = 0;            ///< patches
    std::vector<bool> hasWindow;  ///< for each layer
};

/// A layer behind which squares of patches see each other once more and then become one row. Source: OpenBMB,
/// MiniCPM-V 4.6, its published code.
struct EarlyMerge {
    uint32_t layer = 0;
    uint32_t ffnDim = 0;
};

/// How the rows of a cell, a square of patches, become one.
enum class Join : uint8_t {
    PatchByPatch,      ///< the rows of its patches, one behind the other
    ChannelByChannel,  ///< each number of all its patches
    Mean,
};

/// Queries of their own read the tower's rows. Source: Yao et al., "MiniCPM-V" (2024), section 3.1.
struct ResamplerSpec {
    uint32_t numQueries = 0;
    uint32_t headDim = 0;
};

/// y: rows for the text model; x: joined rows.
using ProjectFn = graph::Value (*)(graph::Builder& builder, const TowerSpec& spec,
                                   const models::Weights& weights, graph::Value x);

struct TowerSpec {
    std::string type;  ///< of the projector
    uint32_t imageSize = 0;
    uint32_t patch = 0;  ///< pixels of a patch on each side
    uint32_t dim = 0;
    uint32_t ffnDim = 0;
    uint32_t numLayers = 0;  ///< that are computed
    uint32_t numHeads = 0;
    uint32_t numKvHeads = 0;
    uint32_t headDim = 0;
    uint32_t outDim = 0;  ///< of the projector's rows
    float eps = 0;
    /// What a byte of a channel becomes: (v / 255 - mean) / deviation, times `scale` and plus `offset`.
    std::array<float, 3> mean{}, deviation{1, 1, 1};
    float pixelScale = 1, pixelOffset = 0;

    uint32_t numFrames = 1;     ///< kernels of the patches, all of which see the picture
    bool normsPatches = false;  ///< v.patch_norm.1 and .2 around the matrix of the patches
    ClassToken classToken = ClassToken::None;
    Positions positions = Positions::None;
    uint32_t numPositions = 0;      ///< rows of their table
    std::string positionNorm = {};  ///< of the rows with positions; empty: v.pre_ln, where there is one
    float positionNormEps = 0;      ///< of that; 0: eps

    bool normsByMean = true;  ///< norms of layers (LayerNorm); else of root mean squares
    bool isGated = false;     ///< ffn_gate
    backend::ActivationKind activation = backend::ActivationKind::GeluQuick;
    std::optional<float> attentionScale = {};  ///< none: 1 / sqrt(headDim)
    std::optional<TowerRope> rope = {};
    std::optional<TowerWindows> windows = {};
    std::optional<EarlyMerge> earlyMerge = {};
    bool hasHeadNorms = false;    ///< attn_q_norm and attn_k_norm, and of values without a gain
    bool hasBranchNorms = false;  ///< attn_post_norm and ffn_post_norm
    bool hasLayerScales = false;  ///< out_scale
    /// What else is read, behind the last layer's rows: those after so many layers each.
    std::vector<uint32_t> features = {};
    bool readsLastLayer = true;               ///< its rows, normalised by lastNorm, come first
    std::string_view lastNorm = "v.post_ln";  ///< where the file has it …
    bool needsLastNorm = false;               ///< … which it has to

    uint32_t merge = 1;  ///< patches of a cell on each side
    Join join = Join::PatchByPatch;
    bool areColumnsFirst = false;  ///< cells are handed over column by column
    std::optional<ResamplerSpec> resampler = {};
    std::vector<models::TensorSpec> projectorTensors = {};
    ProjectFn project = nullptr;
    /// Of projectors whose own code has the other form of it than llama.cpp.
    backend::ActivationKind projectorActivation = backend::ActivationKind::Gelu;
    std::string lineEnd = {};  ///< of a row that ends each line of cells but the last; empty: none
    /// The first tile is all of the picture. The rows of the others become lines of it (packed_tiles.h), each
    /// with `lineEnd`, which the first one has not.
    bool packsTiles = false;

    std::shared_ptr<const Cutter> cutter = {};
    bool hasGrid = false;  ///< EncodedPicture::hasGrid

    /// The width of the rows that are joined.
    uint32_t rowWidth() const {
        return dim * (static_cast<uint32_t>(features.size()) + (readsLastLayer ? 1 : 0));
    }
    uint32_t joinedWidth() const { return rowWidth() * (join == Join::Mean ? 1 : merge * merge); }
    uint32_t patchPixels() const { return 3 * patch * patch; }
};

std::vector<models::TensorSpec> towerTensors(const TowerSpec& spec);

/// "<name>.weight", with the bias if there is one; where the file has them, numbers that x and y are kept
/// between (X.input_min …).
graph::Value towerLinear(graph::Builder& builder, const models::Weights& weights, graph::Value x,
                         const std::string& name);
/// The tensors that towerLinear() reads.
void listTowerLinear(std::vector<models::TensorSpec>& specs, const std::string& name, uint64_t in,
                     uint64_t out, models::Presence bias = models::Presence::Optional);
/// "<name>.weight" and, of a norm of layers, "<name>.bias".
graph::Value towerNorm(graph::Builder& builder, const models::Weights& weights, bool byMean, float eps,
                       graph::Value x, const std::string& name);
void listTowerNorm(std::vector<models::TensorSpec>& specs, const std::string& name, bool byMean, uint64_t dim,
                   models::Presence presence = models::Presence::Required);

/// Pixels of patches, [patches, patchPixels()], to [patches, dim].
Result<graph::Graph> patchGraph(const TowerSpec& spec, const models::Weights& weights);

/// Layers [first, end) of the tower, alike in whether they have windows.
struct LayerRange {
    uint32_t first = 0;
    uint32_t end = 0;
    bool isWindowed = false;
};
/// All layers, cut where windows begin and end and where rows are merged.
std::vector<LayerRange> layerRanges(const TowerSpec& spec);

/// The layers of a range, between them features: [rows, dim] to [rows, (dim of each feature) …, dim], the
/// last layer's rows behind all others; in front of the first layer what is done once, and behind the last as
/// well, in which case the last layer's rows come first.
Result<graph::Graph> layersGraph(const TowerSpec& spec, const models::Weights& weights,
                                 const LayerRange& range);
/// Features that end in the range, by their index.
std::vector<uint32_t> featuresOf(const TowerSpec& spec, const LayerRange& range);

/// Joined rows to the text model's.
Result<graph::Graph> projectorGraph(const TowerSpec& spec, const models::Weights& weights);

/// The two halves of a resampler: rows [rows, dim + outDim], the tower's and their positions, are kept; and
/// queries [numQueries, outDim] read them.
Result<graph::Graph> resamplerKeysGraph(const TowerSpec& spec, const models::Weights& weights);
Result<graph::Graph> resamplerGraph(const TowerSpec& spec, const models::Weights& weights);

}  // namespace ingle::vision
