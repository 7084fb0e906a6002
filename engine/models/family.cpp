#include "engine/models/family.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

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
            if (tensor->decoder)
                return fail(ErrorCode::Unsupported,
                            "{}: the tensor {} is stored in a way that cannot be cut into parts", file.path,
                            spec.name);
            weights.m_parts.emplace(spec.name, std::make_shared<const std::vector<tensor::Tensor>>(
                                                   splitTensor(*tensor, spec.numParts)));
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
    return found == m_parts.end() ? nullptr : &(*found->second)[index];
}

uint64_t Weights::totalBytes() const {
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : m_tensors) bytes += tensor ? tensor->bytes() : 0;
    return bytes;
}

std::vector<uint32_t> Weights::layersOfEachKind() const {
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
        if (layer < 2 || seen.size() > before) chosen.push_back(layer);
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
    return weights;
}

Result<BoundModel> bindModel(const formats::ModelFile& file) {
    INGLE_TRY_ASSIGN(const std::string arch, file.metadata.string("general.architecture"));
    const auto families = allFamilies();
    const auto family = std::ranges::find(families, arch, &ModelFamily::arch);
    if (family == families.end()) {
        return fail(ErrorCode::Unsupported, "{}: the model family \"{}\" is not supported", file.path,
                    shown(arch));
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

Result<graph::Graph> buildGraph(const BoundModel& model) {
    graph::Builder builder;
    model.family->build(builder, model.config, model.weights);
    Result<graph::Graph> graph = builder.take();
    if (graph) return graph;
    return fail(graph.error().code, "the model family \"{}\" does not fit together: {}", model.family->arch,
                graph.error().message);
}

BoundModel withOneLayerOfEachKind(const BoundModel& model) {
    const std::vector<uint32_t> layers = model.weights.layersOfEachKind();
    BoundModel small{model.family, model.config, model.weights.withLayers(layers)};
    small.config.numLayers = static_cast<uint32_t>(layers.size());
    return small;
}

}  // namespace ingle::models
