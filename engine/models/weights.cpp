#include "engine/models/weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

namespace ingle::models {
namespace {

constexpr std::string_view kFactorSuffix = ".scale";

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

tl::unexpected<Error> cannotBeCut(const formats::ModelFile& file, std::string_view name) {
    return fail(ErrorCode::Unsupported, "{}: the tensor {} is stored in a way that cannot be cut into parts",
                file.path, name);
}

/// The rows of each matrix, or elements of each row of vectors, that `spec` takes from `first` on.
Result<tensor::Tensor> viewOf(const formats::ModelFile& file, const tensor::Tensor& whole,
                              const TensorSpec& spec, uint64_t first) {
    tensor::Tensor view = whole;
    view.name = spec.name;
    view.shape = spec.shape;
    view.rowStride = whole.rowStep();
    view.matrixStride = whole.matrixStep();
    uint64_t offset = first * whole.rowStep();
    if (spec.use == backend::WeightUse::Vector) {
        const auto& [blockElems, blockBytes] = std::pair(whole.format->blockElems, whole.format->blockBytes);
        if (first % blockElems != 0 || spec.shape.rowElems() % blockElems != 0)
            return cannotBeCut(file, whole.name);
        offset = first / blockElems * blockBytes;
    }
    if (whole.decoder || whole.table || whole.side) return cannotBeCut(file, whole.name);
    view.data = whole.data.subspan(offset, view.extent());
    return view;
}

struct LayerName {
    uint32_t layer = 0;
    std::string_view name;  ///< in the layer
};

/// "blk.3.attn_q.weight" is "attn_q.weight" of layer 3. Nothing for a weight of no layer.
std::optional<LayerName> layerName(std::string_view name) {
    constexpr std::string_view kPrefix = "blk.";
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    LayerName found;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), found.layer);
    if (error != std::errc() || end == name.data() + name.size() || *end != '.') return std::nullopt;
    found.name = name.substr(static_cast<size_t>(end - name.data()) + 1);
    return found;
}

/// A vector made at load.
struct MadeVector {
    std::vector<float> values;
    tensor::Tensor tensor;
};

}  // namespace

std::string layerWeight(uint32_t layer, std::string_view name) {
    return fmt::format("blk.{}.{}", layer, name);
}

std::vector<TensorSpec> usualTensors(std::span<const TensorSpec> specs) {
    std::vector<TensorSpec> tensors;
    std::set<std::string> names;
    for (TensorSpec spec : specs) {
        if (spec.isMade()) continue;  // no file holds it
        TensorSource source = spec.usualSource();
        if (!names.insert(source.name).second) continue;  // more rows of one that is there
        spec.name = std::move(source.name);
        spec.shape = source.shape;
        tensors.push_back(std::move(spec));
    }
    return tensors;
}

void Weights::fill(const TensorSpec& spec) {
    auto made = std::make_shared<MadeVector>();
    made->values = spec.numbers;
    if (spec.filledWith) made->values.assign(spec.shape.numElems(), *spec.filledWith);
    made->tensor = {spec.name, spec.shape, quant::findFormat(quant::kF32),
                    std::as_bytes(std::span<const float>(made->values))};
    m_tensors.emplace(spec.name, &made->tensor);
    m_made.push_back(std::move(made));
}

Status Weights::add(const formats::ModelFile& file, const TensorSpec& spec) {
    if (spec.isMade()) {
        fill(spec);
        return {};
    }
    const std::vector<TensorSource> own{{spec.name, spec.shape}};
    const tensor::Tensor* found = nullptr;
    std::optional<Error> misfit;
    for (const TensorSource& source : spec.sources.empty() ? own : spec.sources) {
        const tensor::Tensor* tensor = file.find(source.name);
        if (!tensor) continue;
        if (tensor->shape != source.shape) {
            if (!misfit)
                misfit = fail(ErrorCode::Corrupt, "{}: the tensor {} has shape {} where {} is needed",
                              file.path, source.name, tensor->shape.text(), source.shape.text())
                             .value();
            continue;
        }
        found = tensor;
        if (source.shape.numElems() != spec.shape.numElems()) {
            INGLE_TRY_ASSIGN(tensor::Tensor view, viewOf(file, *tensor, spec, source.firstRow));
            auto kept = std::make_shared<const tensor::Tensor>(std::move(view));
            found = kept.get();
            m_made.push_back(std::move(kept));
        }
        break;
    }
    if (!found && misfit) return tl::unexpected(*std::move(misfit));
    if (!found && spec.presence == Presence::Required) {
        return fail(ErrorCode::Corrupt, "{}: the tensor {} is missing", file.path, spec.usualSource().name);
    }
    m_tensors.emplace(spec.name, found);
    if (!found || spec.numParts == 1) return {};
    if (found->decoder || found->table || found->side || found->extent() != found->bytes())
        return cannotBeCut(file, spec.name);
    m_parts.emplace(spec.name,
                    std::make_shared<const std::vector<tensor::Tensor>>(splitTensor(*found, spec.numParts)));
    return {};
}

Status Weights::divide(const formats::ModelFile& file, const TensorSpec& spec) {
    const tensor::Tensor* bias = (*this)[spec.name];
    if (!bias || !(*this)[spec.dividedBy]) return {};
    std::vector<float> factors((*this)[spec.dividedBy]->shape.rowElems());
    (*this)[spec.dividedBy]->decodeRow(0, factors);
    auto made = std::make_shared<MadeVector>();
    made->values.resize(bias->shape.numElems());
    const uint64_t width = bias->shape.rowElems();
    for (uint64_t row = 0; row < bias->shape.numRows(); ++row) {
        const float factor = factors[factors.size() == 1 ? 0 : row];
        if (!std::isnormal(factor))
            return fail(ErrorCode::Corrupt, "{}: the tensor {} holds {}", file.path, spec.dividedBy, factor);
        const std::span<float> values = std::span(made->values).subspan(row * width, width);
        bias->decodeRow(row, values);
        for (float& value : values) value /= factor;
    }
    made->tensor = {bias->name, bias->shape, quant::findFormat(quant::kF32),
                    std::as_bytes(std::span<const float>(made->values))};
    m_tensors.insert_or_assign(spec.name, &made->tensor);
    m_made.push_back(std::move(made));
    return {};
}

Result<Weights> Weights::bind(const formats::ModelFile& file, std::span<const TensorSpec> specs) {
    Weights weights;
    for (const TensorSpec& spec : specs) INGLE_TRY(weights.add(file, spec));
    for (const TensorSpec& spec : specs) {
        if (!spec.dividedBy.empty()) INGLE_TRY(weights.divide(file, spec));
    }
    // A factor that the family does not know of would be forgotten. (One that it lists and leaves alone
    // is left alone by other engines, too.)
    for (const TensorSpec& spec : specs) {
        if (spec.use != backend::WeightUse::Matrix || !spec.name.ends_with(".weight")) continue;
        const std::string factor = spec.name.substr(0, spec.name.rfind('.')) + std::string(kFactorSuffix);
        if (file.find(factor) && !weights.m_tensors.contains(factor))
            return fail(ErrorCode::Unsupported, "{}: the tensor {} is not supported", file.path, factor);
    }
    return weights;
}

const tensor::Tensor* Weights::operator[](std::string_view name) const {
    const auto found = m_tensors.find(name);
    return found == m_tensors.end() ? nullptr : found->second;
}

const tensor::Tensor* Weights::part(std::string_view name, uint32_t index) const {
    const auto found = m_parts.find(name);
    return found == m_parts.end() ? nullptr : &(*found->second)[index];
}

float Weights::factor(std::string_view name) const {
    const tensor::Tensor* factor = (*this)[name];
    float value = 1;
    if (factor) factor->decodeRow(0, {&value, 1});
    return value;
}

uint64_t Weights::totalBytes() const {
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : m_tensors) bytes += tensor ? tensor->bytes() : 0;
    return bytes;
}

std::vector<uint32_t> Weights::layersOfEachKind(
    const std::function<bool(uint32_t, uint32_t)>& areAlike) const {
    using Kind = std::tuple<std::string_view, const quant::QuantFormat*, std::string>;
    std::map<uint32_t, std::vector<Kind>> layers;
    for (const auto& [name, tensor] : m_tensors) {
        const auto of = layerName(name);
        if (of && tensor) layers[of->layer].push_back({of->name, tensor->format, tensor->shape.text()});
    }
    std::vector<uint32_t> chosen;
    std::set<Kind> seen;
    for (const auto& [layer, kinds] : layers) {
        const size_t before = seen.size();
        seen.insert(kinds.begin(), kinds.end());
        const bool isNew =
            seen.size() > before ||
            std::ranges::none_of(chosen, [&, at = layer](uint32_t other) { return areAlike(at, other); });
        if (layer < 2 || isNew) chosen.push_back(layer);
    }
    return chosen;
}

Weights Weights::withLayers(std::span<const uint32_t> layers) const {
    const auto pick = [&](const auto& from, auto& to) {
        for (const auto& [name, weight] : from) {
            const auto of = layerName(name);
            if (!of) {
                to.emplace(name, weight);
                continue;
            }
            const auto found = std::ranges::find(layers, of->layer);
            if (found != layers.end())
                to.emplace(fmt::format("blk.{}.{}", found - layers.begin(), of->name), weight);
        }
    };
    Weights weights;
    pick(m_tensors, weights.m_tensors);
    pick(m_parts, weights.m_parts);
    weights.m_made = m_made;
    return weights;
}

}  // namespace ingle::models
