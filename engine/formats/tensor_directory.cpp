#include "engine/formats/tensor_directory.h"

namespace ingle::formats {

Result<uint64_t> addTensor(ModelFile& model, std::span<const std::byte> file, std::string name,
                           const tensor::Shape& shape, const quant::QuantFormat& format, uint64_t offset) {
    if (name.empty()) return fail(ErrorCode::Corrupt, "tensor {} has no name", model.tensors.size());
    if (model.tensors.size() == kMaxTensors)
        return fail(ErrorCode::Corrupt, "more than {} tensors", kMaxTensors);
    const auto bytes = tensor::checkedBytes(shape, format);
    if (!bytes) return fail(ErrorCode::Corrupt, "tensor '{}': {}", name, bytes.error().message);
    if (offset > file.size() || *bytes > file.size() - offset)
        return fail(ErrorCode::Corrupt,
                    "tensor '{}' of {} bytes at byte {} ends past the end of the file ({} bytes)", name,
                    *bytes, offset, file.size());
    tensor::Tensor tensor{name, shape, &format, file.subspan(offset, *bytes)};
    if (!model.tensors.try_emplace(name, std::move(tensor)).second)
        return fail(ErrorCode::Corrupt, "tensor '{}' occurs twice", name);
    return *bytes;
}

}  // namespace ingle::formats
