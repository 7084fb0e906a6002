#include "engine/import/quant_mix.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ingle::importer {
namespace {

using Layers = QuantMix::Layers;

constexpr QuantMix kMixes[] = {
    {"F32", 0, "F32", "F32", Layers::None, "F32"},
    {"F16", 1, "F16", "F16", Layers::None, "F16"},
    {"BF16", 32, "BF16", "BF16", Layers::None, "BF16"},
    {"Q8_0", 7, "Q8_0", "Q8_0", Layers::None, "Q8_0"},
    {"Q4_0", 2, "Q4_0", "Q4_0", Layers::None, "Q6_K"},
    {"Q4_K_S", 14, "Q4_K", "Q5_K", Layers::FirstEighth, "Q6_K"},
    {"Q4_K_M", 15, "Q4_K", "Q6_K", Layers::EighthsAndThirds, "Q6_K"},
    {"Q4_K", 15, "Q4_K", "Q6_K", Layers::EighthsAndThirds, "Q6_K"},
    {"Q5_K_S", 16, "Q5_K", "Q6_K", Layers::FirstEighth, "Q6_K"},
    {"Q5_K_M", 17, "Q5_K", "Q6_K", Layers::EighthsAndThirds, "Q6_K"},
    {"Q5_K", 17, "Q5_K", "Q6_K", Layers::EighthsAndThirds, "Q6_K"},
    {"Q6_K", 18, "Q6_K", "Q6_K", Layers::None, "Q6_K"},
};

/// Parts of the names of matrices that stay floats.
constexpr std::array<std::string_view, 19> kSensitive{
    "_norm.",          "ffn_gate_inp.",  "position_embd.", "token_types.",   "_lerp_",
    "time_mix_first.", "time_mix_decay", "time_mix_r_k.",  "time_mix_w1.",   "time_mix_w2.",
    "time_mix_a1.",    "time_mix_a2.",   "time_mix_v1.",   "time_mix_v2.",   "time_mix_g1.",
    "time_mix_g2.",    "rope_",          "ssm_conv1d.",    "shortconv.conv."};

constexpr std::array<std::string_view, 5> kValueAndDown{"attn_v.", "ffn_down.", "ffn_down_exps.",
                                                        "time_mix_value.", "channel_mix_value."};

template <size_t N>
bool containsAny(std::string_view name, const std::array<std::string_view, N>& parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

/// 3 for "blk.3.attn_v.weight".
std::optional<uint32_t> layerOf(std::string_view name) {
    constexpr std::string_view kPrefix = "blk.";
    uint32_t layer = 0;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), layer);
    return parsed.ec == std::errc{} ? std::optional(layer) : std::nullopt;
}

bool isBetterLayer(Layers layers, uint32_t layer, uint32_t numLayers) {
    const uint32_t eighth = numLayers / 8;
    if (layers == Layers::FirstEighth) return layer < eighth;
    if (layers != Layers::EighthsAndThirds) return false;
    return layer < eighth || layer >= 7 * uint64_t{numLayers} / 8 || (layer - eighth) % 3 == 2;
}

std::string_view wantedFormat(const QuantMix& mix, const formats::ModelFile& model, std::string_view name) {
    const bool isOutput =
        name == "output.weight" || (name == "token_embd.weight" && !model.find("output.weight"));
    if (isOutput) return mix.output;
    const std::optional<uint32_t> layer = layerOf(name);
    if (!layer || !containsAny(name, kValueAndDown)) return mix.matrices;
    const std::string arch = model.metadata.stringOr("general.architecture", "").value_or("");
    const uint32_t numLayers = model.metadata.u32Or(arch + ".block_count", 0).value_or(0);
    return isBetterLayer(mix.betterLayers, *layer, numLayers) ? mix.better : mix.matrices;
}

bool isFloat(const quant::QuantFormat& format) {
    return format.blockElems == 1;
}

}  // namespace

Result<const QuantMix*> findMix(std::string_view name) {
    const auto* found = std::ranges::find(kMixes, name, &QuantMix::name);
    if (found != std::end(kMixes)) return found;
    std::string names;
    for (const QuantMix& mix : kMixes) names += fmt::format("{}{}", names.empty() ? "" : ", ", mix.name);
    return fail(ErrorCode::InvalidArgument, "\"{}\" cannot be written; there are {}", name, names);
}

bool isQuantizable(std::string_view name, const tensor::Shape& shape) {
    return shape.numRows() > 1 && name.ends_with(".weight") && !containsAny(name, kSensitive);
}

const quant::QuantFormat& formatFor(const QuantMix& mix, const formats::ModelFile& model,
                                    const tensor::Tensor& tensor) {
    const quant::QuantFormat& f32 = *quant::findFormat(quant::kF32);
    if (!isQuantizable(tensor.name, tensor.shape)) {
        const bool isMatrix = tensor.shape.numRows() > 1;
        return isMatrix && isFloat(*tensor.format) ? *tensor.format : f32;
    }
    for (const std::string_view name : {wantedFormat(mix, model, tensor.name), std::string_view("Q8_0")}) {
        const quant::QuantFormat& format = *quant::findFormat(name);
        if (tensor.shape.rowElems() % format.blockElems == 0) return format;
    }
    return *quant::findFormat(quant::kF16);
}

}  // namespace ingle::importer
