#include <cstring>

#include "engine/formats/checkpoint/checkpoint.h"

namespace ingle::formats {
namespace {

constexpr std::string_view kDouble = "F64";

/// Calls visit(place) for the place of each number, in the order of the dimensions.
template <typename Visit>
void forEachNumber(const StoredTensor& tensor, uint64_t count, const Visit& visit) {
    std::vector<uint64_t> strides = tensor.strides, index(tensor.dims.size());
    if (strides.empty()) {
        for (uint64_t i = 0; i < count; ++i) visit(i);
        return;
    }
    uint64_t place = 0;
    for (uint64_t i = 0; i < count; ++i) {
        visit(place);
        for (size_t d = tensor.dims.size(); d-- > 0;) {
            place += strides[d];
            if (++index[d] < tensor.dims[d]) break;
            place -= strides[d] * tensor.dims[d];
            index[d] = 0;
        }
    }
}

float narrowed(const std::byte* number) {
    double value = 0;
    std::memcpy(&value, number, sizeof value);
    return static_cast<float>(value);
}

Status relocate(StoredTensor& tensor, std::vector<base::Buffer>& buffers) {
    const bool isDouble = tensor.type == kDouble;
    const size_t bytes = bitsOfType(tensor.type) / 8;
    const uint64_t count = tensor.data.size() / bytes;
    const size_t newBytes = isDouble ? sizeof(float) : bytes;
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(count * newBytes));
    std::byte* to = buffer.data();
    forEachNumber(tensor, count, [&](uint64_t place) {
        const std::byte* from = tensor.data.data() + place * bytes;
        const float number = isDouble ? narrowed(from) : 0;
        std::memcpy(to, isDouble ? reinterpret_cast<const std::byte*>(&number) : from, newBytes);
        to += newBytes;
    });
    if (isDouble) tensor.type = "F32";
    tensor.data = {buffer.data(), buffer.size()};
    tensor.strides.clear();
    buffers.push_back(std::move(buffer));
    return {};
}

}  // namespace

Status relocate(Checkpoint& checkpoint) {
    for (auto& [name, tensor] : checkpoint.tensors)
        if (tensor.type == kDouble || !tensor.strides.empty())
            INGLE_TRY(relocate(tensor, checkpoint.buffers));
    return {};
}

}  // namespace ingle::formats
