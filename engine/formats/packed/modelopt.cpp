/// NVIDIA's Model Optimizer: matrices of F8_E4M3 with one scale ("weight_scale"), and of NVFP4, two levels in
/// a byte, with scales for 16 neighbours ("weight_scale") and one for the whole ("weight_scale_2"); a value
/// is the product. Source: NVIDIA/Model-Optimizer, modelopt/torch/quantization/qtensor/nvfp4_tensor.py and
/// modelopt/torch/export/quant_utils.py.
#include "engine/formats/checkpoint/nvfp4_weights.h"

namespace ingle::formats::modelopt_packing {
namespace {

constexpr std::string_view kMethods[] = {"modelopt", "modelopt_fp4", "modelopt_mixed"};

Status unpackModule(Checkpoint& checkpoint, const std::string& module) {
    Nvfp4Parts parts;
    INGLE_TRY_ASSIGN(parts.factor, onlyNumber(*take(checkpoint, module + ".weight_scale_2")));
    INGLE_TRY_ASSIGN(parts.levels, takeTyped(checkpoint, module + ".weight", {"U8"}, 2));
    INGLE_TRY_ASSIGN(parts.scales, takeTyped(checkpoint, module + ".weight_scale", {"F8_E4M3"}, 2));
    return enterNvfp4(checkpoint, module, parts);
}

Status unpack(Checkpoint& checkpoint, const Metadata& settings) {
    INGLE_TRY_ASSIGN(const std::string algorithm, settings.stringOr("quant_algo", "NVFP4"));
    // Of the others the levels are packed in other ways (INT4_AWQ, W4A8_AWQ, MXFP8 …).
    if (algorithm.find("NVFP4") == algorithm.npos && !algorithm.starts_with("FP8") &&
        algorithm != "MIXED_PRECISION")
        return fail(ErrorCode::Unsupported, "weights packed by Model Optimizer as \"{}\" are not supported",
                    shown(algorithm));
    // Activations would have to be scaled, too.
    if (const auto smoothed = modulesWith(checkpoint, ".pre_quant_scale"); !smoothed.empty())
        return fail(ErrorCode::Unsupported, "weights with scales of activations ('{}') are not supported",
                    shown(smoothed.front() + ".pre_quant_scale"));
    for (const std::string& module : modulesWith(checkpoint, ".weight_scale_2"))
        INGLE_TRY(unpackModule(checkpoint, module));
    return unpackFp8(checkpoint, 0, 0);
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::modelopt_packing
