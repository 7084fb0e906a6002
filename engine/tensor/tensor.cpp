#include "engine/tensor/tensor.h"

#include <limits>

#include "engine/tensor/side_data.h"

namespace ingle::tensor {
namespace {

constexpr uint64_t kMaxSize = std::numeric_limits<int64_t>::max();

}  // namespace

std::string Shape::text() const {
    size_t used = dims.size();
    while (used > 1 && dims[used - 1] == 1) --used;
    std::string out = "{";
    for (size_t i = 0; i < used; ++i) out += fmt::format("{}{}", i ? ", " : "", dims[i]);
    return out + "}";
}

Result<uint64_t> checkedBytes(const Shape& shape, const quant::QuantFormat& format) {
    INGLE_TRY_ASSIGN(uint64_t bytes, quant::rowBytes(format, shape.rowElems()));
    // Elements are checked beside bytes: most block formats take less than a byte per element.
    uint64_t elems = shape.rowElems();
    for (size_t i = 1; i < shape.dims.size(); ++i) {
        const uint64_t dim = shape.dims[i];
        if (dim == 0) return fail(ErrorCode::Corrupt, "shape {} has a dimension of zero", shape.text());
        if (bytes > kMaxSize / dim || elems > kMaxSize / dim)
            return fail(ErrorCode::Corrupt, "shape {} is too large", shape.text());
        bytes *= dim;
        elems *= dim;
    }
    return bytes;
}

void Tensor::decodeRow(uint64_t row, std::span<float> out) const {
    if (data.empty() && decoder) {
        std::vector<std::byte> blocks(rowBytes());
        decoder->decode(row, 1, blocks.data());
        format->decodeRow(blocks.data(), out);
    } else {
        format->decodeRow(this->row(row), out);
    }
    if (side) side->apply(row, out);
}

}  // namespace ingle::tensor
