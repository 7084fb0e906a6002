#include "engine/formats/tensor_directory.h"
#include "ingle/error_ids.h"

namespace ingle::formats {

namespace {

/// Enters a tensor in the directory.
Status enter(ModelFile& model, tensor::Tensor tensor) {
    if (tensor.name.empty()) return fail(ErrorCode::Corrupt, "tensor {} has no name", model.tensors.size());
    if (model.tensors.size() == kMaxTensors)
        return fail(ErrorCode::Corrupt, "more than {} tensors", kMaxTensors);
    const auto [entry, isNew] = model.tensors.try_emplace(tensor.name, tensor);
    if (!isNew) return fail(ErrorCode::Corrupt, "tensor '{}' occurs twice", shown(tensor.name));
    return {};
}

Result<uint64_t> namedBytes(std::string_view name, const tensor::Shape& shape,
                            const quant::QuantFormat& format) {
    auto bytes = tensor::checkedBytes(shape, format);
    if (!bytes) return fail(ErrorCode::Corrupt, "tensor '{}': {}", shown(name), bytes.error().message);
    return bytes;
}

}  // namespace

Result<uint64_t> addTensor(ModelFile& model, std::span<const std::byte> file, std::string name,
                           const tensor::Shape& shape, const quant::QuantFormat& format, uint64_t offset) {
    INGLE_TRY_ASSIGN(const uint64_t bytes, namedBytes(name, shape, format));
    if (offset > file.size() || bytes > file.size() - offset)
        return withId<ErrorId::DownloadCutShort>(
            fail(ErrorCode::Corrupt,
                 "tensor '{}' of {} bytes at byte {} ends past the end of the file ({} bytes)", shown(name),
                 bytes, offset, file.size()),
            file.size());
    INGLE_TRY(enter(model, {std::move(name), shape, &format, file.subspan(offset, bytes)}));
    return bytes;
}

Status addTensor(ModelFile& model, tensor::Tensor tensor) {
    INGLE_TRY(namedBytes(tensor.name, tensor.shape, *tensor.format));
    return enter(model, std::move(tensor));
}

}  // namespace ingle::formats
