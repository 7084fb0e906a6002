#include "engine/formats/checkpoint/packed_scheme.h"

#include <algorithm>

#include "engine/formats/checkpoint/json_flattener.h"
#include "engine/tensor/side_data.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

/// Keys under `prefix`, without it.
Metadata settingsUnder(const Config& config, std::string_view prefix) {
    Metadata settings;
    for (const auto& [key, value] : config.all())
        if (key.starts_with(prefix)) settings.set(key.substr(prefix.size()), value);
    return settings;
}

/// Files beside config.json in which older writers say how they packed, with the method that writes each.
struct SettingsFile {
    std::string_view name, method;
};
constexpr SettingsFile kSettingsFiles[] = {
    {"quantize_config.json", "gptq"}, {"quant_config.json", "awq"}, {"hf_quant_config.json", "modelopt"}};

/// Where config.json has the settings of MLX, which names no method.
constexpr std::string_view kMlxPrefix = "quantization.";

Result<std::optional<Metadata>> findSettings(Checkpoint& checkpoint, const io::Source& source,
                                             const Config& config) {
    for (const std::string_view prefix : {"quantization_config.", "compression_config."}) {
        Metadata settings = settingsUnder(config, prefix);
        if (settings.find("quant_method")) return settings;
    }
    if (Metadata settings = settingsUnder(config, kMlxPrefix); settings.find("group_size")) {
        settings.set("quant_method", "mlx");
        return settings;
    }
    for (const SettingsFile& file : kSettingsFiles) {
        INGLE_TRY_ASSIGN(const auto text, findText(checkpoint, source, file.name));
        if (!text) continue;
        INGLE_TRY_ASSIGN(Metadata settings, flattenJson(*text));
        if (!settings.find("quant_method")) settings.set("quant_method", std::string(file.method));
        return settings;
    }
    return std::nullopt;
}

/// Scales of a matrix, as its parts.
Result<tensor::SideData> scalesOf(const StoredTensor& stored, const tensor::Shape& shape, uint64_t blockRows,
                                  uint64_t blockColumns) {
    const quant::QuantFormat* format = quant::findFormat(std::string_view(stored.type));
    if (!format || format->blockElems != 1 || format->blockBytes < 2)
        return fail(ErrorCode::Unsupported, "scales '{}' are stored as {}, which is not supported",
                    shown(stored.name), shown(stored.type));
    std::vector<uint64_t> dims = stored.dims;
    while (!dims.empty() && dims.back() == 1) dims.pop_back();
    tensor::SideData side{.partRows = shape.dims[1], .partColumns = shape.dims[0]};
    if (dims.size() == 1 && dims[0] == shape.dims[1])
        side.partRows = 1;
    else if (!dims.empty())
        side.partRows = blockRows, side.partColumns = blockColumns;
    std::vector<float> scales(stored.data.size() / format->blockBytes);
    format->decodeRow(stored.data.data(), scales);
    side.scales = std::move(scales);
    if (Status status = tensor::checkSideData(side, shape); !status)
        return happenedTo(fmt::format("tensor '{}'", shown(stored.name)), status.error());
    return side;
}

}  // namespace

Status unpackWeights(Checkpoint& checkpoint, const io::Source& source, const Config& config) {
    INGLE_TRY_ASSIGN(const auto settings, findSettings(checkpoint, source, config));
    if (!settings) return {};
    INGLE_TRY_ASSIGN(const std::string method, settings->string("quant_method"));
    for (const PackedScheme* scheme : allPackedSchemes())
        if (std::ranges::find(scheme->methods, method) != scheme->methods.end())
            return scheme->unpack(checkpoint, *settings);
    return fail(ErrorCode::Unsupported, "weights packed by \"{}\" are not supported", shown(method));
}

std::vector<std::string> modulesWith(const Checkpoint& checkpoint, std::string_view suffix) {
    std::vector<std::string> modules;
    for (const auto& [name, tensor] : checkpoint.tensors)
        if (name.ends_with(suffix)) modules.push_back(name.substr(0, name.size() - suffix.size()));
    return modules;
}

std::optional<StoredTensor> take(Checkpoint& checkpoint, const std::string& name) {
    auto found = checkpoint.tensors.extract(name);
    if (!found) return std::nullopt;
    return std::move(found.mapped());
}

Result<StoredTensor> takeTyped(Checkpoint& checkpoint, const std::string& name,
                               std::initializer_list<std::string_view> types, size_t numDims) {
    auto found = take(checkpoint, name);
    if (!found) return fail(ErrorCode::Corrupt, "tensor '{}' is missing", shown(name));
    if (std::ranges::find(types, found->type) == types.end())
        return fail(ErrorCode::Unsupported, "tensor '{}' is stored as {}, which is not supported",
                    shown(name), shown(found->type));
    uint64_t bytes = bitsOfType(found->type) / 8;
    for (const uint64_t dim : found->dims) {
        if (dim == 0 || bytes > found->data.size() / dim)
            return fail(ErrorCode::Corrupt, "tensor '{}' is shorter than its shape says", shown(name));
        bytes *= dim;
    }
    if (found->dims.size() != numDims)
        return fail(ErrorCode::Corrupt, "tensor '{}' has {} dimensions instead of {}", shown(name),
                    found->dims.size(), numDims);
    return *std::move(found);
}

void drop(Checkpoint& checkpoint, std::initializer_list<std::string_view> suffixes) {
    std::erase_if(checkpoint.tensors, [&](const auto& entry) {
        return std::ranges::any_of(suffixes,
                                   [&](std::string_view suffix) { return entry.first.ends_with(suffix); });
    });
}

Status enter(Checkpoint& checkpoint, tensor::Tensor made) {
    StoredTensor stored{.name = made.name, .type = std::string(made.format->name)};
    for (size_t i = 2 + (made.shape.dims[2] > 1); i > 0; --i) stored.dims.push_back(made.shape.dims[i - 1]);
    const std::string name = made.name;
    stored.packed = std::make_shared<const tensor::Tensor>(std::move(made));
    if (!checkpoint.tensors.try_emplace(name, std::move(stored)).second)
        return fail(ErrorCode::Corrupt, "tensor '{}' is there both packed and as it is", shown(name));
    return {};
}

Status unpackFp8(Checkpoint& checkpoint, uint64_t blockRows, uint64_t blockColumns) {
    const quant::QuantFormat* format = quant::findFormat(quant::kF8E4M3);
    for (const std::string& module : modulesWith(checkpoint, ".weight")) {
        const std::string name = module + ".weight";
        if (checkpoint.tensors.at(name).type != format->name) continue;
        INGLE_TRY_ASSIGN(const StoredTensor weights, takeTyped(checkpoint, name, {format->name}, 2));
        auto scales = take(checkpoint, name + "_scale_inv");
        if (!scales) scales = take(checkpoint, name + "_scale");
        if (!scales) return fail(ErrorCode::Corrupt, "tensor '{}' has no scales", shown(name));
        tensor::Tensor made{.name = name,
                            .shape = tensor::Shape::of(weights.dims[1], weights.dims[0]),
                            .format = format,
                            .data = weights.data};
        INGLE_TRY_ASSIGN(tensor::SideData side, scalesOf(*scales, made.shape, blockRows, blockColumns));
        made.side = std::make_shared<const tensor::SideData>(std::move(side));
        INGLE_TRY(enter(checkpoint, std::move(made)));
    }
    drop(checkpoint, {".input_scale", ".output_scale", ".k_scale", ".v_scale", ".q_scale", ".input_scale_inv",
                      ".activation_scale"});
    return {};
}

}  // namespace ingle::formats
