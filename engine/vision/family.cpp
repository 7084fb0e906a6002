#include "engine/vision/family.h"

#include <algorithm>
#include <cmath>

#include "engine/models/limits.h"

namespace ingle::vision {
namespace {

using backend::ActivationKind;

/// What a damaged file says cannot make pictures larger than memory: pixels of a tower's pictures on a side,
/// of patches, of all tiles together; patches of a cell on a side; and tokens that people may ask for.
constexpr uint32_t kMostSide = 2048;
constexpr uint32_t kMostPatch = 64;
constexpr uint64_t kMostTilePixels = uint64_t{64} << 20;
constexpr uint32_t kMostMerge = 8;
constexpr uint32_t kMostTokens = 1 << 14;
/// What a file may ask of a small picture.
constexpr uint32_t kMostLeastTokens = 1 << 10;

constexpr const char* kLeastPixels = "vision.image_min_pixels";
constexpr const char* kMostPixels = "vision.image_max_pixels";

Result<std::string> typeOf(const formats::ModelFile& file) {
    INGLE_TRY_ASSIGN(std::string type, file.metadata.stringOr("clip.projector_type", ""));
    if (!type.empty()) return type;
    INGLE_TRY_ASSIGN(type, file.metadata.stringOr("clip.vision.projector_type", ""));
    if (!type.empty()) return type;
    return fail(ErrorCode::Corrupt, "{}: the vision file states no projector type", file.path);
}

/// Patches as a matrix: [pixels, dim] of [patch, patch, 3, dim].
void flattenPatches(formats::ModelFile& file) {
    for (const std::string_view name : {"v.patch_embd.weight", "v.patch_embd.weight.1"}) {
        const auto found = file.tensors.find(name);
        if (found == file.tensors.end()) continue;
        auto& dims = found->second.shape.dims;
        if (dims[3] > 1) dims = {dims[0] * dims[1] * dims[2], dims[3], 1, 1};
    }
}

/// Old files hold up under the name of down and the reverse.
void exchangeUpAndDown(formats::ModelFile& file, const TowerSpec& spec) {
    if (spec.dim == spec.ffnDim) return;
    for (uint32_t layer = 0; layer < spec.numLayers; ++layer) {
        const std::string up = fmt::format("v.blk.{}.ffn_up", layer);
        const std::string down = fmt::format("v.blk.{}.ffn_down", layer);
        const tensor::Tensor* matrix = file.find(down + ".weight");
        if (!matrix || matrix->shape.dims[0] != spec.dim) continue;
        for (const std::string_view part : {".weight", ".bias"}) {
            const auto one = file.tensors.find(up + std::string(part));
            const auto other = file.tensors.find(down + std::string(part));
            if (one != file.tensors.end() && other != file.tensors.end())
                std::swap(one->second, other->second);
        }
    }
}

Result<std::array<float, 3>> channels(const models::Keys& keys, std::string_view key) {
    INGLE_TRY_ASSIGN(const std::vector<float> values, keys.numberPerLayerOr(key, 3, NAN));
    std::array<float, 3> found{values[0], values[1], values[2]};
    for (const float value : found)
        if (!std::isfinite(value)) return keys.cannotBe(key, value);
    return found;
}

/// Where none of the keys says otherwise, `usual`.
Result<ActivationKind> activationOf(const models::Keys& keys, ActivationKind usual) {
    INGLE_TRY_ASSIGN(const bool isGelu, keys.boolOr("use_gelu", false));
    INGLE_TRY_ASSIGN(const bool isSilu, keys.boolOr("use_silu", false));
    INGLE_TRY_ASSIGN(const bool isErf, keys.boolOr("use_gelu_erf", false));
    if (isGelu && isSilu)
        return fail(ErrorCode::Corrupt, "{}: use_gelu and use_silu at once", keys.file().path);
    if (isErf) return ActivationKind::GeluErf;
    if (isGelu) return ActivationKind::Gelu;
    if (isSilu) return ActivationKind::Silu;
    const bool isStated = keys.file().metadata.find("clip.use_gelu") != nullptr;
    return isStated ? ActivationKind::GeluQuick : usual;
}

/// What every file states.
Result<TowerSpec> readCommon(const models::Keys& keys) {
    TowerSpec spec;
    const auto read = [&](std::string_view key, uint32_t least, uint32_t most, uint32_t& value) -> Status {
        INGLE_TRY_ASSIGN(value, keys.u32(key));
        if (value < least || value > most) return keys.cannotBe(key, value);
        return {};
    };
    INGLE_TRY(read("vision.image_size", 1, kMostSide, spec.imageSize));
    INGLE_TRY(read("vision.patch_size", 1, kMostPatch, spec.patch));
    INGLE_TRY(read("vision.embedding_length", 1, models::kMaxRowElems, spec.dim));
    INGLE_TRY(read("vision.feed_forward_length", 0, models::kMaxRowElems, spec.ffnDim));
    INGLE_TRY(read("vision.block_count", 0, models::kMaxLayers, spec.numLayers));
    INGLE_TRY(read("vision.projection_dim", 1, models::kMaxRowElems, spec.outDim));
    INGLE_TRY(read("vision.attention.head_count", spec.numLayers > 0 ? 1 : 0, spec.dim, spec.numHeads));
    INGLE_TRY_ASSIGN(spec.numKvHeads, keys.u32Or("vision.attention.head_count_kv", spec.numHeads));
    INGLE_TRY_ASSIGN(spec.headDim, keys.u32Or("vision.attention.head_dim",
                                              spec.numHeads > 0 ? spec.dim / spec.numHeads : 0));
    // Rotations take quarters of a head.
    if (spec.headDim > models::kMaxHeadDim || spec.headDim % 4 != 0 ||
        (spec.numLayers > 0 && spec.headDim == 0))
        return keys.cannotBe("vision.attention.head_dim", spec.headDim);
    if (spec.numHeads > 0 && (spec.numKvHeads == 0 || spec.numHeads % spec.numKvHeads != 0))
        return keys.cannotBe("vision.attention.head_count_kv", spec.numKvHeads);
    INGLE_TRY_ASSIGN(spec.eps, keys.f32("vision.attention.layer_norm_epsilon"));
    if (!(spec.eps > 0) || !std::isfinite(spec.eps))
        return keys.cannotBe("vision.attention.layer_norm_epsilon", spec.eps);
    INGLE_TRY_ASSIGN(spec.mean, channels(keys, "vision.image_mean"));
    INGLE_TRY_ASSIGN(spec.deviation, channels(keys, "vision.image_std"));
    for (const float deviation : spec.deviation)
        if (!(deviation > 0)) return keys.cannotBe("vision.image_std", deviation);
    INGLE_TRY_ASSIGN(const bool isErf, keys.boolOr("vision.projector.use_gelu_erf", false));
    if (isErf) spec.projectorActivation = ActivationKind::GeluErf;
    spec.isGated = keys.file().find("v.blk.0.ffn_gate.weight") != nullptr;
    return spec;
}

Status checkTokens(const PictureTokens& tokens) {
    if (tokens.least > 0 && tokens.least <= tokens.most && tokens.most <= kMostTokens) return {};
    return fail(ErrorCode::InvalidArgument, "pictures cannot have {} to {} tokens (at least 1, at most {})",
                tokens.least, tokens.most, kMostTokens);
}

}  // namespace

uint64_t VisionFile::rowsOf(std::string_view tensor) const {
    const tensor::Tensor* found = file().find(tensor);
    return found ? found->shape.dims[1] : 0;
}

Result<PixelLimits> VisionFile::pixelsOr(PictureTokens usual, uint32_t unit) const {
    INGLE_TRY_ASSIGN(const PictureTokens whole, tokensOr(usual, unit));
    const uint64_t area = uint64_t{unit} * unit, all = std::min(kMostTokens, mostTokens) * area;
    PixelLimits limits{whole.least * area, whole.most * area};
    if (tokens) return limits;
    INGLE_TRY_ASSIGN(const uint32_t least, keys.u32Or(kLeastPixels, 0));
    INGLE_TRY_ASSIGN(const uint32_t most, keys.u32Or(kMostPixels, 0));
    if (least > 0) limits.least = std::min(uint64_t{least}, all);
    if (most > 0) limits.most = std::min(uint64_t{most}, all);
    return limits;
}

Result<PictureTokens> VisionFile::tokensOr(PictureTokens usual, uint32_t unit) const {
    const uint64_t area = std::max(uint64_t{unit} * unit, uint64_t{1});
    const auto read = [&](std::string_view key, uint32_t usualCount) -> Result<uint32_t> {
        INGLE_TRY_ASSIGN(const uint32_t pixels, keys.u32Or(key, 0));
        if (pixels == 0) return usualCount;
        return static_cast<uint32_t>(std::clamp(pixels / area, uint64_t{1}, uint64_t{kMostTokens}));
    };
    INGLE_TRY_ASSIGN(usual.most, read(kMostPixels, usual.most));
    INGLE_TRY_ASSIGN(usual.least, read(kLeastPixels, std::min(usual.least, usual.most)));
    if (usual.least > std::min(usual.most, kMostLeastTokens))
        return keys.cannotBe(kLeastPixels, usual.least * area);
    return tokensOr(usual);
}

Result<bool> VisionFile::resizesAsTrained() const {
    return keys.boolOr("vision.preproc_reference", false);
}

Status VisionFile::refuseTokens() const {
    if (!tokens) return {};
    return fail(ErrorCode::InvalidArgument, "{}: pictures of this model always have as many tokens",
                file().path);
}

std::vector<double> ropeFrequencies(double base, uint32_t dims, uint32_t count, double first, double step) {
    std::vector<double> frequencies;
    for (uint32_t j = 0; j < count; ++j)
        frequencies.push_back(std::pow(base, -2 * (first + step * j) / dims));
    return frequencies;
}

TowerRope ropeByHalves(uint32_t headDim) {
    const uint32_t quarter = headDim / 4;
    TowerRope rope;
    for (const uint8_t axis : {kLineAxis, kColumnAxis}) {
        const std::vector<double> frequencies = ropeFrequencies(10000, headDim / 2, quarter);
        rope.frequencies.insert(rope.frequencies.end(), frequencies.begin(), frequencies.end());
        rope.axes.insert(rope.axes.end(), quarter, axis);
    }
    return rope;
}

TowerRope ropeByPairs(uint32_t headDim) {
    TowerRope rope = ropeByHalves(headDim);
    rope.style = backend::RopeStyle::Interleaved;
    for (uint8_t& axis : rope.axes) axis = axis == kLineAxis ? kColumnAxis : kLineAxis;
    rope.first = 1;
    return rope;
}

Status readPositions(const VisionFile& file, Positions positions, TowerSpec& spec) {
    const uint64_t rows = file.rowsOf("v.position_embd.weight");
    if (rows == 0)
        return fail(ErrorCode::Corrupt, "{}: the tensor v.position_embd.weight is missing", file.file().path);
    if (rows > models::kMaxRowElems)
        return fail(ErrorCode::Corrupt, "{}: the tensor v.position_embd.weight has {} rows", file.file().path,
                    rows);
    spec.positions = positions;
    spec.numPositions = static_cast<uint32_t>(rows);
    return {};
}

Status readMerge(const VisionFile& file, std::string_view key, uint32_t usual, TowerSpec& spec) {
    INGLE_TRY_ASSIGN(spec.merge, file.keys.u32Or(key, usual));
    if (spec.merge == 0 || spec.merge > kMostMerge) return file.keys.cannotBe(key, spec.merge);
    return {};
}

Result<std::unique_ptr<Cutter>> inQwenUnits(const VisionFile& file, uint32_t unit, Marks marks) {
    constexpr PictureTokens kUsual{8, 4096};
    INGLE_TRY_ASSIGN(const bool asTrained, file.resizesAsTrained());
    UnitSizes sizes{.unit = unit};
    if (!asTrained) {
        INGLE_TRY_ASSIGN(sizes.tokens, file.tokensOr(kUsual, unit));
        return inUnits(sizes, {}, std::move(marks));
    }
    sizes.rule = SizeRule::ByPixels;
    INGLE_TRY_ASSIGN(sizes.limits, file.pixelsOr(kUsual, unit));
    return inUnits(sizes, {.fit = Fit::Stretched}, std::move(marks));
}

Status checkTiles(const VisionFile& file, Size size) {
    if (size.area() > 0 && size.area() <= kMostTilePixels) return {};
    return fail(ErrorCode::Corrupt, "{}: tiles of {} × {} pixels in all", file.file().path, size.width,
                size.height);
}

Status listProjector(const VisionFile& file, const std::string& first, const std::string& second, uint64_t in,
                     uint64_t out, TowerSpec& spec) {
    const uint64_t between = file.rowsOf(first + ".weight");
    if (between == 0 || between > models::kMaxRowElems)
        return fail(ErrorCode::Corrupt, "{}: the tensor {}.weight {}", file.file().path, first,
                    between == 0 ? "is missing" : fmt::format("has {} rows", between));
    listTowerLinear(spec.projectorTensors, first, in, between);
    listTowerLinear(spec.projectorTensors, second, between, out);
    return {};
}

graph::Value projectTwice(graph::Builder& b, const models::Weights& w, graph::Value x,
                          const std::string& first, ActivationKind f, const std::string& second) {
    return towerLinear(b, w, b.activation(towerLinear(b, w, x, first), f, first + "_act"), second);
}

Result<BoundTower> bindTower(formats::ModelFile& file, const std::optional<PictureTokens>& tokens,
                             uint32_t mostTokens) {
    INGLE_TRY_ASSIGN(const std::string arch, file.metadata.stringOr("general.architecture", ""));
    if (arch != "clip")
        return fail(ErrorCode::Unsupported, "{}: the file is no vision file (mmproj)", file.path);
    INGLE_TRY_ASSIGN(const bool sees, file.metadata.boolOr("clip.has_vision_encoder", false));
    if (!sees) return fail(ErrorCode::Unsupported, "{}: the file has no part that sees", file.path);
    if (tokens) INGLE_TRY(checkTokens(*tokens));
    INGLE_TRY_ASSIGN(const std::string type, typeOf(file));
    const auto families = allVisionFamilies();
    const auto family = std::ranges::find_if(families, [&](const VisionFamily* one) {
        return std::ranges::find(one->types, type) != one->types.end();
    });
    if (family == families.end())
        return fail(ErrorCode::Unsupported, "{}: vision files of the type \"{}\" are not supported",
                    file.path, shown(type));
    flattenPatches(file);
    INGLE_TRY_ASSIGN(const models::Keys keys, models::Keys::of(file));
    BoundTower tower{.family = *family, .spec = {}, .weights = {}};
    INGLE_TRY_ASSIGN(tower.spec, readCommon(keys));
    tower.spec.type = type;
    exchangeUpAndDown(file, tower.spec);
    const VisionFile read{keys, tokens, mostTokens};
    INGLE_TRY((*family)->read(read, tower.spec));
    INGLE_TRY_ASSIGN(tower.spec.activation, activationOf(keys, tower.spec.activation));
    INGLE_TRY_ASSIGN(tower.weights, models::Weights::bind(file, towerTensors(tower.spec)));
    return tower;
}

}  // namespace ingle::vision
