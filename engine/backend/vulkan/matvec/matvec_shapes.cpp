#include "engine/backend/vulkan/matvec/matvec_shapes.h"

#include <algorithm>
#include <bit>

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
    const auto candidates = matvecCandidates(m_device.info(), format, m_activations, numRows);
    const auto likely = std::ranges::find(candidates, m_untimed, &MatvecShape::input);
    const bool isGuess = m_untimed == MatvecInput::Floats || likely == candidates.end();
    return isGuess ? simplestMatvec(m_device.info()) : *likely;
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
    INGLE_TRY_ASSIGN(auto trial, MatvecTrial::create(matrix, m_device, m_pipelines));
    for (const uint32_t numRows : {1U, kSurelyMatvec}) {
        const auto candidates = matvecCandidates(m_device.info(), *matrix.format, m_activations, numRows);
        INGLE_TRY_ASSIGN(const auto shape, trial.fastest(candidates, numRows));
        if (shape) m_shapes[kindOf(*matrix.format, matrix.k, numRows)] = *shape;
    }
    const auto several = m_shapes.find(kindOf(*matrix.format, matrix.k, kSurelyMatvec));
    if (several == m_shapes.end()) return {};
    const MatvecShape& shape = several->second.shape;
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
