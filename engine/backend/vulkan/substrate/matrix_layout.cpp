#include "engine/backend/vulkan/substrate/matrix_layout.h"

#include <bit>
#include <cstring>
#include <vector>

#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {
namespace {

constexpr std::chrono::seconds kLimit{60};

/// The numbers of the elements that invocations have of sums.
class Elements {
  public:
    Elements(const MatrixUnits& units, std::span<const uint32_t> numbers)
        : m_units(units),
          m_perLane(units.m * units.n / units.subgroupSize),
          m_numbers(numbers.first(size_t{units.m} * units.n)) {}

    uint32_t perLane() const { return m_perLane; }
    uint32_t rowOf(uint32_t lane, uint32_t element) const {
        return m_numbers[lane * m_perLane + element] / m_units.n;
    }
    bool areAll() const {
        std::vector<bool> seen(m_numbers.size());
        for (const uint32_t number : m_numbers) {
            if (number >= seen.size() || seen[number]) return false;
            seen[number] = true;
        }
        return true;
    }
    bool follow(const MatrixLayout& layout) const {
        for (uint32_t lane = 0; lane < m_units.subgroupSize; ++lane) {
            for (uint32_t j = 0; j < m_perLane; ++j) {
                const uint32_t ours = (j >> layout.shift) % layout.rows;
                if (rowOf(lane, j) != rowOf(lane, ours << layout.shift)) return false;
            }
            for (uint32_t bit = 1; bit < m_units.subgroupSize; bit *= 2) {
                for (uint32_t w = 0; (layout.xors & bit) != 0 && w < layout.rows; ++w) {
                    if (rowOf(lane, w << layout.shift) != rowOf(lane ^ bit, w << layout.shift)) return false;
                }
            }
        }
        // Then a row's elements are all that those who share it have.
        return (m_perLane / layout.rows) << std::popcount(layout.xors) == m_units.n;
    }

  private:
    const MatrixUnits& m_units;
    uint32_t m_perLane;
    std::span<const uint32_t> m_numbers;
};

}  // namespace

std::optional<MatrixLayout> layoutOf(const MatrixUnits& units, std::span<const uint32_t> found) {
    const uint32_t sums = units.m * units.n;
    const uint32_t perLane = sums / units.subgroupSize;
    if (units.n != units.k || sums % units.subgroupSize != 0 || !std::has_single_bit(perLane) ||
        found.size() != 2 * sums)
        return std::nullopt;
    for (uint32_t i = 0; i < sums; ++i)
        if (found[sums + i] != i) return std::nullopt;
    const auto numbers = found.first(sums);
    const Elements elements(units, numbers);
    if (!elements.areAll()) return std::nullopt;
    uint32_t xors = 0;
    for (uint32_t bit = 1; bit < units.subgroupSize; bit *= 2)
        if (elements.rowOf(0, 0) == elements.rowOf(bit, 0)) xors |= bit;
    for (uint32_t rows = 1; rows <= perLane; rows *= 2) {
        for (uint32_t shift = 0; rows << shift <= perLane; ++shift) {
            const MatrixLayout layout{rows, shift, xors};
            if (elements.follow(layout)) return layout;
        }
    }
    return std::nullopt;
}

Result<std::optional<MatrixLayout>> findMatrixLayout(Device& device, Pipelines& pipelines) {
    const MatrixUnits& units = device.info().matrixUnits;
    // Elsewhere sums and left factors cannot lie alike.
    if (units.n != units.k || units.m * units.n < units.subgroupSize) return std::nullopt;
    PipelineSpec spec{"matrix_layout", std::vector<uint32_t>(11)};
    spec.constants[0] = units.subgroupSize;
    spec.constants[7] = units.m;
    spec.constants[8] = units.n;
    spec.constants[9] = units.k;
    spec.constants[10] = units.subgroupSize;
    spec.subgroupSize = device.info().features.subgroupSizeControl ? units.subgroupSize : 0;
    INGLE_TRY_ASSIGN(const Pipeline* pipeline, pipelines.compile(spec));
    Allocator memory(device, MemoryUse::HostRead);
    std::vector<uint32_t> found(2 * size_t{units.m} * units.n);
    INGLE_TRY_ASSIGN(const BufferRange range, memory.allocate(found.size() * sizeof(uint32_t)));
    Recorder recorder(device, pipelines);
    INGLE_TRY(recorder.dispatch({.pipeline = pipeline, .bindings = {writes(range)}}));
    INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
    INGLE_TRY(commands->run(kLimit));
    std::memcpy(found.data(), range.host, found.size() * sizeof(uint32_t));
    return layoutOf(units, found);
}

}  // namespace ingle::backend::vulkan
