/// FP8: matrices of F8_E4M3, with scales for blocks ("weight_scale_inv", of 128 × 128), for rows or for the
/// whole ("weight_scale"); a value is the product. Sources: DeepSeek-AI, "DeepSeek-V3 Technical Report"
/// (2024), section 3.3.2; transformers, src/transformers/integrations/finegrained_fp8.py and fbgemm_fp8.py.
#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats::fp8_packing {
namespace {

constexpr std::string_view kMethods[] = {"fp8", "fbgemm_fp8"};
constexpr int64_t kUsualBlock = 128;

Status unpack(Checkpoint& checkpoint, const Metadata& settings) {
    INGLE_TRY_ASSIGN(const std::string format, settings.stringOr("fmt", "e4m3"));
    if (format != "e4m3")
        return fail(ErrorCode::Unsupported, "FP8 weights of the kind \"{}\" are not supported",
                    shown(format));
    std::vector<int64_t> block{kUsualBlock, kUsualBlock};
    if (const MetaValue* value = settings.find("weight_block_size")) {
        const auto* stated = std::get_if<std::vector<int64_t>>(value);
        if (!stated || stated->size() != 2 || (*stated)[0] <= 0 || (*stated)[1] <= 0)
            return fail(ErrorCode::Corrupt, "its weight_block_size is no block of rows and columns");
        block = *stated;
    }
    return unpackFp8(checkpoint, static_cast<uint64_t>(block[0]), static_cast<uint64_t>(block[1]));
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::fp8_packing
