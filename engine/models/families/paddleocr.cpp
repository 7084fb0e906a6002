/// The language model of PaddleOCR-VL: ERNIE 4.5 whose rotary pairs are halves; its positions have
/// components that are all the same in text. Source: the model's published configuration and code (Baidu,
/// 2025).
#include "engine/models/decoder.h"

namespace ingle::models::paddleocr_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("paddleocr", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "paddleocr", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::paddleocr_family
