#include "engine/import/quant_mix.h"

#include <algorithm>
#include <charconv>

#include "engine/import/name_pattern.h"
#include "engine/quant/integers.h"

namespace ingle::importer {
namespace {

constexpr MixRule kValueMore{Part::Value, Layers::EighthsAndThirds, "Q6_K"};
constexpr MixRule kDownMore{Part::Down, Layers::EighthsAndThirds, "Q6_K"};
constexpr std::array<MixRule, 5> kQ3M{{{Part::Value, Layers::FirstSixteenth, "Q5_K"},
                                       {Part::Value, Layers::All, "Q4_K"},
                                       {Part::Down, Layers::FirstSixteenth, "Q5_K"},
                                       {Part::Down, Layers::All, "Q4_K"},
                                       {Part::Attention, Layers::All, "Q4_K"}}};
constexpr std::array<MixRule, 5> kIq4{
    {{Part::Value, Layers::All, "Q5_K"}, {Part::Down, Layers::FirstEighth, "Q5_K"}}};

constexpr QuantMix kMixes[] = {
    {"F32", 0, "F32", "F32"},
    {"F16", 1, "F16", "F16"},
    {"BF16", 32, "BF16", "BF16"},
    {"Q8_0", 7, "Q8_0", "Q8_0"},
    {"Q4_0", 2, "Q4_0", "Q6_K"},
    {"Q4_1", 3, "Q4_1", "Q6_K"},
    {"Q5_0", 8, "Q5_0", "Q6_K"},
    {"Q5_1", 9, "Q5_1", "Q6_K"},
    {"Q2_K_S",
     21,
     "Q2_K",
     "Q6_K",
     {{{Part::Value, Layers::All, "Q4_K"}, {Part::Down, Layers::FirstEighth, "Q4_K"}}}},
    {"Q2_K",
     10,
     "Q2_K",
     "Q6_K",
     {{{Part::Value, Layers::All, "Q4_K"},
       {Part::Down, Layers::All, "Q3_K"},
       {Part::Attention, Layers::All, "Q3_K"}}}},
    {"Q3_K_S", 11, "Q3_K", "Q6_K"},
    {"Q3_K_M", 12, "Q3_K", "Q6_K", kQ3M},
    {"Q3_K", 12, "Q3_K", "Q6_K", kQ3M},
    {"Q3_K_L",
     13,
     "Q3_K",
     "Q6_K",
     {{{Part::Value, Layers::All, "Q5_K"},
       {Part::Down, Layers::All, "Q5_K"},
       {Part::Attention, Layers::All, "Q5_K"}}}},
    {"Q4_K_S",
     14,
     "Q4_K",
     "Q6_K",
     {{{Part::Value, Layers::FirstEighth, "Q5_K"}, {Part::Down, Layers::FirstEighth, "Q5_K"}}}},
    {"Q4_K_M", 15, "Q4_K", "Q6_K", {{kValueMore, kDownMore}}},
    {"Q4_K", 15, "Q4_K", "Q6_K", {{kValueMore, kDownMore}}},
    {"Q5_K_S",
     16,
     "Q5_K",
     "Q6_K",
     {{{Part::Value, Layers::FirstEighth, "Q6_K"}, {Part::Down, Layers::FirstEighth, "Q6_K"}}}},
    {"Q5_K_M", 17, "Q5_K", "Q6_K", {{kValueMore, kDownMore}}},
    {"Q5_K", 17, "Q5_K", "Q6_K", {{kValueMore, kDownMore}}},
    {"Q6_K", 18, "Q6_K", "Q6_K"},
    {"IQ4_NL", 25, "IQ4_NL", "Q6_K", kIq4},
    {"IQ4_XS", 30, "IQ4_XS", "Q6_K", kIq4},
    {"TQ1_0", 36, "TQ1_0", "Q6_K", {{{Part::Embedding, Layers::All, "Q4_K"}}}},
    {"TQ2_0", 37, "TQ2_0", "Q6_K", {{{Part::Embedding, Layers::All, "Q4_K"}}}},
    {"MXFP4", 38, "MXFP4", "Q8_0", {{{Part::Embedding, Layers::All, "Q8_0"}}}},
    {"MXFP4_MOE", 38, "Q8_0", "Q8_0", {{{Part::Experts, Layers::All, "MXFP4"}}}},
};

/// Parts of the names of tensors that are written as F32, though their shape is that of a matrix: other
/// engines compute with them as they do with vectors. The rule goes by names, since files of unknown families
/// can be imported, too.
constexpr std::array<std::string_view, 22> kSensitive{
    "_norm.",          "ffn_gate_inp.", "position_embd.", "token_types.", "_lerp_",       "time_mix_first.",
    "time_mix_decay",  "time_mix_r_k.", "time_mix_w1.",   "time_mix_w2.", "time_mix_a1.", "time_mix_a2.",
    "time_mix_v1.",    "time_mix_v2.",  "time_mix_g1.",   "time_mix_g2.", "rope_",        "ssm_conv1d.",
    "shortconv.conv.", "ssm_conv1d_",   "altup_router.",  "_coef."};

struct NamedPart {
    std::string_view name;
    Part part;
};
constexpr std::array kParts{NamedPart{"attn_v.", Part::Value},
                            NamedPart{"time_mix_value.", Part::Value},
                            NamedPart{"ffn_down.", Part::Down},
                            NamedPart{"ffn_down_exps.", Part::Down},
                            NamedPart{"channel_mix_value.", Part::Down},
                            NamedPart{"attn_output.", Part::Attention},
                            NamedPart{"time_mix_output.", Part::Attention},
                            NamedPart{"_exps.", Part::Experts},
                            NamedPart{"token_embd.", Part::Embedding}};

bool isPart(std::string_view name, Part part) {
    return std::ranges::any_of(kParts, [&](const NamedPart& each) {
        return each.part == part && name.find(each.name) != std::string_view::npos;
    });
}

/// 3 for "blk.3.attn_v.weight"; nothing for a tensor outside the layers.
std::optional<uint32_t> layerOf(std::string_view name) {
    constexpr std::string_view kPrefix = "blk.";
    uint32_t layer = 0;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), layer);
    return parsed.ec == std::errc{} ? std::optional(layer) : std::nullopt;
}

bool isAmong(Layers layers, std::optional<uint32_t> layer, uint32_t numLayers) {
    if (layers == Layers::All) return true;
    if (!layer) return false;
    const uint32_t eighth = numLayers / 8;
    if (layers == Layers::FirstSixteenth) return *layer < numLayers / 16;
    if (layers == Layers::FirstEighth) return *layer < eighth;
    return *layer < eighth || *layer >= 7 * uint64_t{numLayers} / 8 || (*layer - eighth) % 3 == 2;
}

std::string_view wantedFormat(const QuantMix& mix, const formats::ModelFile& model, std::string_view name) {
    const bool isOutput =
        name == "output.weight" || (name == "token_embd.weight" && !model.find("output.weight"));
    if (isOutput) return mix.output;
    const std::string arch = model.metadata.stringOr("general.architecture", "").value_or("");
    const uint32_t numLayers = model.metadata.u32Or(arch + ".block_count", 0).value_or(0);
    const auto rule = std::ranges::find_if(mix.rules, [&](const MixRule& each) {
        return !each.format.empty() && isPart(name, each.part) &&
               isAmong(each.layers, layerOf(name), numLayers);
    });
    return rule == mix.rules.end() ? mix.matrices : rule->format;
}

}  // namespace

struct TensorFormats::Wanted {
    NamePattern pattern;
    const quant::QuantFormat* format;
};

Result<const QuantMix*> findMix(std::string_view name) {
    const auto* found = std::ranges::find(kMixes, name, &QuantMix::name);
    if (found != std::end(kMixes)) return found;
    return fail(ErrorCode::InvalidArgument, "\"{}\" cannot be written; there are {}", name, mixNames());
}

std::string mixNames() {
    std::string names;
    for (const QuantMix& mix : kMixes) names += fmt::format("{}{}", names.empty() ? "" : ", ", mix.name);
    return names;
}

bool isQuantizable(std::string_view name, const tensor::Shape& shape) {
    const auto isIn = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
    return shape.numRows() > 1 && name.ends_with(".weight") && std::ranges::none_of(kSensitive, isIn);
}

Result<TensorFormats> TensorFormats::create(const QuantMix* mix, std::span<const TensorType> wanted) {
    TensorFormats formats;
    formats.m_mix = mix;
    for (const TensorType& each : wanted) {
        const quant::QuantFormat* format = quant::findFormat(each.format);
        if (!format || !format->encodeRow)
            return fail(ErrorCode::InvalidArgument, "no tensor can be written as \"{}\"", each.format);
        INGLE_TRY_ASSIGN(NamePattern pattern, NamePattern::create(each.pattern));
        formats.m_wanted.push_back(std::make_shared<const Wanted>(Wanted{std::move(pattern), format}));
    }
    return formats;
}

Status TensorFormats::checkNames(const formats::ModelFile& model) const {
    for (const auto& each : m_wanted) {
        const bool isAny = std::ranges::any_of(
            model.tensors, [&](const auto& entry) { return each->pattern.isIn(entry.first); });
        if (!isAny)
            return fail(ErrorCode::InvalidArgument, "no tensor of this model has a name like \"{}\"",
                        each->pattern.text());
    }
    return {};
}

TensorFormats::Choice TensorFormats::of(const formats::ModelFile& model, const tensor::Tensor& tensor) const {
    const bool isMatrix = tensor.shape.numRows() > 1;
    const quant::QuantFormat* wanted = nullptr;
    for (const auto& each : m_wanted)
        if (isMatrix && !wanted && each->pattern.isIn(tensor.name)) wanted = each->format;
    const quant::QuantFormat* f32 = quant::findFormat(quant::kF32);
    if (!wanted && !isQuantizable(tensor.name, tensor.shape)) return {f32};
    if (!wanted && !m_mix) return {quant::findInteger(tensor.format->id) ? f32 : tensor.format};
    if (!wanted) wanted = quant::findFormat(wantedFormat(*m_mix, model, tensor.name));
    for (const quant::QuantFormat* format : {wanted, quant::findFormat("Q8_0"), quant::findFormat("F16")}) {
        if (tensor.shape.rowElems() % format->blockElems == 0)
            return {format, format == wanted ? nullptr : wanted};
    }
    return {tensor.format};  // F16 always fits
}

uint64_t bytesAs(std::string_view mix, const formats::ModelFile& model) {
    const auto* found = std::ranges::find(kMixes, mix, &QuantMix::name);
    const TensorFormats formats = TensorFormats::create(found, {}).value();
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : model.tensors) {
        const quant::QuantFormat& format = *formats.of(model, tensor).format;
        bytes += tensor.shape.numElems() / format.blockElems * format.blockBytes;
    }
    return bytes;
}

}  // namespace ingle::importer
