/// Hunyuan: heads of q and k are normalised behind their rotation, whose base is stretched. Source: the
/// model as published with transformers,
/// src/transformers/models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py (2025).
#include "engine/models/hunyuan.h"

namespace ingle::models::hunyuan_dense_family {
namespace {

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("hunyuan-dense", sizes, metadata);
    metadata.set("hunyuan-dense.rope.scaling.alpha", 1000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "hunyuan-dense", .describe = readHunyuan, .synthesize = synthesize};

}  // namespace ingle::models::hunyuan_dense_family
