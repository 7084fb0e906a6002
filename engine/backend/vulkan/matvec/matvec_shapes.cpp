#include "engine/backend/vulkan/matvec/matvec_shapes.h"

#include <algorithm>
#include <bit>

#include "engine/backend/vulkan/matvec/matvec_timing.h"

namespace ingle::backend::vulkan {
namespace {

MatrixKind kindOf(const WeightFormat& format, uint32_t k) {
    return {std::string(format.name), std::bit_ceil(k)};
}

bool takesBytes(const ShapeTable::value_type& known) {
    return known.second.input == MatvecInput::Bytes;
}

}  // namespace

MatvecShapes::MatvecShapes(Device& device, Pipelines& pipelines, ActivationType activations,
                           const std::string& cacheFolder)
    : m_device(device),
      m_pipelines(pipelines),
      m_activations(activations),
      m_path(shapeCachePath(cacheFolder, device.info(), activations)) {
    if (!m_path.empty()) m_shapes = readShapeCache(m_path, device.info(), activations);
}

MatvecShape MatvecShapes::find(const WeightFormat& format, uint32_t k) const {
    const auto found = m_shapes.find(kindOf(format, k));
    return found != m_shapes.end() ? found->second : simplestMatvec(m_device.info());
}

Status MatvecShapes::measure(std::span<const DeviceMatrix* const> matrices) {
    if (m_path.empty()) return {};
    bool isNew = false;
    for (const DeviceMatrix* matrix : matrices) {
        const MatrixKind kind = kindOf(*matrix->format, matrix->k);
        if (m_shapes.contains(kind)) continue;
        const auto candidates = matvecCandidates(m_device.info(), *matrix->format, m_activations);
        INGLE_TRY_ASSIGN(const auto shape, fastestMatvec(*matrix, candidates, m_device, m_pipelines));
        if (!shape) continue;
        m_shapes[kind] = *shape;
        isNew = true;
    }
    // What cannot be written is measured again next time.
    if (isNew) (void)writeShapeCache(m_path, m_shapes);
    return {};
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
