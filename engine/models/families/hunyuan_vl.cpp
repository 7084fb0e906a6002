/// The language model of HunyuanOCR: Hunyuan, whose positions have components that are all the same in text.
/// Source: the model's published configuration and code (Tencent, 2025).
#include "engine/models/hunyuan.h"

namespace ingle::models::hunyuan_vl_family {
namespace {

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("hunyuan_vl", sizes, metadata);
    metadata.set("hunyuan_vl.rope.scaling.alpha", 1000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "hunyuan_vl", .describe = readHunyuan, .synthesize = synthesize};

}  // namespace ingle::models::hunyuan_vl_family
