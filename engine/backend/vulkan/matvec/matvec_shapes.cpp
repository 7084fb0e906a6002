#include "engine/backend/vulkan/matvec/matvec_shapes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/backend/vulkan/matvec/matvec_timing.h"

namespace ingle::backend::vulkan {
namespace {

MatrixKind kindOf(const WeightFormat& format, uint32_t k, uint32_t numRows) {
    const uint32_t measured = *std::ranges::lower_bound(kMeasuredRows, numRows);
    return {std::string(format.name), std::bit_ceil(k), measured};
}

bool takesBytes(const ShapeTable::value_type& known) {
    return known.second.shape.input == MatvecInput::Bytes;
}

struct AlikeShapes {
    TimedShape ofOne, ofSeveral;
};

/// Which take the least time together, of those that give the same for a row alone and beside others.
std::optional<AlikeShapes> fastestAlike(std::span<const TimedShape> ofOne,
                                        std::span<const TimedShape> ofSeveral) {
    const auto secondsOf = [](const TimedShape& timed) {
        return timed.bytesPerSecond > 0 ? 1 / static_cast<double>(timed.bytesPerSecond) : INFINITY;
    };
    std::optional<AlikeShapes> best;
    double least = INFINITY;
    for (const TimedShape& one : ofOne) {
        for (const TimedShape& several : ofSeveral) {
            const double seconds = secondsOf(one) + secondsOf(several);
            if (seconds >= least || !one.shape.addsUpLike(several.shape)) continue;
            least = seconds;
            best = {one, several};
        }
    }
    return best;
}

}  // namespace

MatvecShapes::MatvecShapes(Device& device, Pipelines& pipelines, ActivationType activations,
                           const std::string& cacheFolder, MatvecInput untimed)
    : m_device(device),
      m_pipelines(pipelines),
      m_activations(activations),
      m_path(shapeCachePath(cacheFolder, device.info(), activations)),
      m_untimed(untimed) {
    if (!m_path.empty()) m_shapes = readShapeCache(m_path, device.info(), activations);
}

std::optional<MatvecShape> MatvecShapes::find(const WeightFormat& format, uint32_t k,
                                              uint32_t numRows) const {
    const auto found = m_shapes.find(kindOf(format, k, numRows));
    if (found != m_shapes.end())
        return found->second.shape == kNoMatvec ? std::nullopt : std::optional(found->second.shape);
    if (numRows > kSurelyMatvec) return std::nullopt;
    return guess(format, numRows);
}

MatvecShape MatvecShapes::guess(const WeightFormat& format, uint32_t numRows) const {
    if (m_untimed == MatvecInput::Floats) return simplestMatvec(m_device.info());
    const auto ofOne = matvecCandidates(m_device.info(), format, m_activations, 1);
    const auto likely = std::ranges::find(ofOne, m_untimed, &MatvecShape::input);
    if (likely == ofOne.end()) return simplestMatvec(m_device.info());
    if (numRows == 1) return *likely;
    const auto ofSeveral = matvecCandidates(m_device.info(), format, m_activations, numRows);
    return *std::ranges::find_if(ofSeveral,
                                 [&](const MatvecShape& shape) { return shape.addsUpLike(*likely); });
}

Status MatvecShapes::measure(std::span<const DeviceMatrix* const> matrices,
                             const MatmulKernels& matmulKernels) {
    if (m_path.empty()) return {};
    const ShapeTable known = m_shapes;
    for (const DeviceMatrix* matrix : matrices) INGLE_TRY(measureKind(*matrix, matmulKernels));
    // What cannot be written is measured again next time.
    if (m_shapes != known) (void)writeShapeCache(m_path, m_shapes);
    return {};
}

Status MatvecShapes::measureKind(const DeviceMatrix& matrix, const MatmulKernels& matmulKernels) {
    const auto isKnown = [&](uint32_t numRows) {
        return m_shapes.contains(kindOf(*matrix.format, matrix.k, numRows));
    };
    if (std::ranges::all_of(kMeasuredRows, isKnown)) return {};
    auto made = MatvecTrial::create(matrix, m_device, m_pipelines);
    // Next to a model that fills the memory nothing is measured: the guess has to do.
    if (!made && made.error().code == ErrorCode::OutOfMemory) return {};
    INGLE_TRY_ASSIGN(MatvecTrial trial, std::move(made));
    const auto timed = [&](uint32_t numRows) {
        return trial.timed(matvecCandidates(m_device.info(), *matrix.format, m_activations, numRows),
                           numRows);
    };
    INGLE_TRY_ASSIGN(const std::vector<TimedShape> ofOne, timed(1));
    INGLE_TRY_ASSIGN(const std::vector<TimedShape> ofSeveral, timed(kSurelyMatvec));
    const auto best = fastestAlike(ofOne, ofSeveral);
    if (!best) return {};
    m_shapes[kindOf(*matrix.format, matrix.k, 1)] = best->ofOne;
    m_shapes[kindOf(*matrix.format, matrix.k, kSurelyMatvec)] = best->ofSeveral;
    const MatvecShape& shape = best->ofSeveral.shape;
    INGLE_TRY_ASSIGN(const bool isFaster, trial.isFasterThan(matmulKernels, shape, kMaxMatvecRows));
    m_shapes[kindOf(*matrix.format, matrix.k, kMaxMatvecRows)] = {isFaster ? shape : kNoMatvec, 0};
    return {};
}

bool MatvecShapes::mayHaveBytes() const {
    return m_activations == ActivationType::Auto && m_device.info().features.integerDot;
}

bool MatvecShapes::haveBytes() const {
    return std::ranges::any_of(m_shapes, takesBytes);
}

bool MatvecShapes::dropBytes() {
    m_activations = ActivationType::F32;
    const size_t dropped = std::erase_if(m_shapes, takesBytes);
    // What cannot be written fails the check again next time.
    if (dropped > 0) (void)writeShapeCache(m_path, m_shapes);
    return dropped > 0;
}

}  // namespace ingle::backend::vulkan
