#include "engine/models/family.h"

#include <algorithm>

namespace ingle::models {

namespace {

/// Views of equal parts along the slowest dimension that is longer than 1. The family chose a number that
/// divides it.
std::vector<tensor::Tensor> splitTensor(const tensor::Tensor& whole, uint32_t numParts) {
    tensor::Shape shape = whole.shape;
    auto slowest = std::find_if(shape.dims.rbegin(), shape.dims.rend(), [](uint64_t dim) { return dim > 1; });
    *slowest /= numParts;
    const size_t bytes = whole.data.size() / numParts;
    std::vector<tensor::Tensor> parts;
    for (uint32_t i = 0; i < numParts; ++i) {
        parts.push_back(
            {fmt::format("{}.{}", whole.name, i), shape, whole.format, whole.data.subspan(i * bytes, bytes)});
    }
    return parts;
}

}  // namespace

Result<Weights> Weights::bind(const formats::ModelFile& file, std::span<const TensorSpec> specs) {
    Weights weights;
    for (const TensorSpec& spec : specs) {
        const tensor::Tensor* tensor = file.find(spec.name);
        if (!tensor && spec.presence == Presence::Required) {
            return fail(ErrorCode::Corrupt, "{}: the tensor {} is missing", file.path, spec.name);
        }
        if (tensor && tensor->shape != spec.shape) {
            return fail(ErrorCode::Corrupt, "{}: the tensor {} has shape {} where {} is needed", file.path,
                        spec.name, tensor->shape.text(), spec.shape.text());
        }
        weights.m_tensors.emplace(spec.name, tensor);
        if (tensor && spec.numParts > 1) {
            weights.m_parts.emplace(spec.name, splitTensor(*tensor, spec.numParts));
        }
    }
    return weights;
}

const tensor::Tensor* Weights::operator[](std::string_view name) const {
    const auto found = m_tensors.find(name);
    return found == m_tensors.end() ? nullptr : found->second;
}

const tensor::Tensor* Weights::part(std::string_view name, uint32_t index) const {
    const auto found = m_parts.find(name);
    return found == m_parts.end() ? nullptr : &found->second[index];
}

uint64_t Weights::totalBytes() const {
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : m_tensors) bytes += tensor ? tensor->data.size() : 0;
    return bytes;
}

Result<BoundModel> bindModel(const formats::ModelFile& file) {
    INGLE_TRY_ASSIGN(const std::string arch, file.metadata.string("general.architecture"));
    const auto families = allFamilies();
    const auto family = std::ranges::find(families, arch, &ModelFamily::arch);
    if (family == families.end()) {
        return fail(ErrorCode::Unsupported, "{}: the model family \"{}\" is not supported", file.path, arch);
    }
    BoundModel model{.family = *family};
    INGLE_TRY_ASSIGN(model.config, model.family->readConfig(file));
    // Every layer has tensors of its own: a damaged count cannot make the list below longer than the file.
    if (model.config.numLayers == 0 || model.config.numLayers > file.tensors.size()) {
        return fail(ErrorCode::Corrupt, "{}: {} layers, but only {} tensors", file.path,
                    model.config.numLayers, file.tensors.size());
    }
    INGLE_TRY_ASSIGN(model.weights, Weights::bind(file, model.family->tensors(model.config)));
    return model;
}

}  // namespace ingle::models
