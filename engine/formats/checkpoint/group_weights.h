/// Matrices of levels of 4 or 8 bits, with a scale and a zero for each group of columns: however a scheme
/// keeps them, they become blocks of one layout (engine/quant/group_block.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/formats/checkpoint/weight_container.h"
#include "engine/tensor/tensor.h"
#include "ingle/result.h"

namespace ingle::formats {

/// Numbers of a matrix as a scheme has them. Immutable: any thread. Does not own the stored bytes.
class GroupSource {
  public:
    virtual ~GroupSource() = default;
    /// out: [count, width], of rows [first, first + count).
    virtual void readLevels(uint64_t first, uint64_t count, uint8_t* out) const = 0;
    virtual float scale(uint64_t row, uint64_t group) const = 0;
    virtual uint32_t zero(uint64_t row, uint64_t group) const = 0;
    /// As of tensor::RowDecoder.
    virtual void addStored(std::vector<std::span<const std::byte>>& stored) const = 0;
};

struct GroupMatrix {
    std::string name;
    uint64_t width = 0;
    uint64_t numRows = 0;
    uint32_t bits = 4;
    std::vector<uint32_t> groupOfColumn;  ///< [width], in any order
    std::shared_ptr<const GroupSource> source;
};

/// The matrix as a tensor of {width, numRows}; where groups are scattered its columns are ordered by them.
/// Errors: Unsupported (groups that are no multiples of 32 columns).
Result<tensor::Tensor> makeGroupTensor(GroupMatrix matrix);

/// Column i belongs to group i / size.
std::vector<uint32_t> evenGroups(uint64_t width, uint64_t size);
/// As "g_idx" says. Errors: Corrupt (a number of another length, or beyond the groups).
Result<std::vector<uint32_t>> statedGroups(const StoredTensor& stored, uint64_t width, uint64_t numGroups);

/// Little-endian words of 32 bits, at any byte.
inline uint32_t wordAt(std::span<const std::byte> data, uint64_t index) {
    uint32_t word = 0;
    std::memcpy(&word, data.data() + 4 * index, sizeof word);
    return word;
}

/// A table of scales of 16 bits.
class ScaleTable {
  public:
    /// stored: F16 or BF16.
    explicit ScaleTable(const StoredTensor& stored)
        : m_data(stored.data), m_format(quant::findFormat(std::string_view(stored.type))) {}

    float at(uint64_t index) const {
        float value = 0;
        m_format->decodeRow(m_data.data() + 2 * index, {&value, 1});
        return value;
    }
    std::span<const std::byte> data() const { return m_data; }

  private:
    std::span<const std::byte> m_data;
    const quant::QuantFormat* m_format;
};

}  // namespace ingle::formats
