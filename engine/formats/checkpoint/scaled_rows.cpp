#include "engine/formats/checkpoint/scaled_rows.h"

#include <algorithm>
#include <cstring>

#include "engine/formats/tensor_directory.h"

namespace ingle::formats {
namespace {

class ScaledRows final : public tensor::RowDecoder {
  public:
    ScaledRows(tensor::Tensor of, std::span<const RowFactor> factors)
        : m_of(std::move(of)), m_factors(factors.begin(), factors.end()) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        std::vector<float> numbers(m_of.shape.rowElems());
        for (uint64_t row = first; row < first + count; ++row) {
            m_of.decodeRow(row, numbers);
            const double factor = factorOf(row);
            for (float& number : numbers) number = static_cast<float>(number * factor);
            out = std::ranges::copy(std::as_bytes(std::span(std::as_const(numbers))), out).out;
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.push_back(m_of.data);
    }

  private:
    double factorOf(uint64_t row) const {
        for (const RowFactor& part : m_factors) {
            if (row < part.rows) return part.factor;
            row -= part.rows;
        }
        return 1;
    }

    tensor::Tensor m_of;
    std::vector<RowFactor> m_factors;
};

}  // namespace

Status placeScaled(Translation& translation, const StoredTensor& stored, const Place& place,
                   std::span<const RowFactor> factors) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(tensor::Tensor tensor, translation.tensorOf(stored, place.name, shape));
    uint64_t numRows = 0;
    for (const RowFactor& part : factors) numRows += part.rows;
    if (numRows != shape.numRows())
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} has not the {} rows of its parts",
                    shown(stored.name), shape.text(), numRows);
    if (std::ranges::all_of(factors, [](const RowFactor& part) { return part.factor == 1; }))
        return addTensor(translation.model, std::move(tensor));
    if (stored.packed)
        return fail(ErrorCode::Unsupported, "tensor '{}' is packed, and multiplied by what config.json says",
                    shown(stored.name));
    tensor::Tensor made{.name = place.name, .shape = shape, .format = quant::findFormat(quant::kF32)};
    INGLE_TRY(tensor::checkedBytes(made.shape, *made.format));
    made.decoder = std::make_shared<ScaledRows>(std::move(tensor), factors);
    return addTensor(translation.model, std::move(made));
}

}  // namespace ingle::formats
