#include "engine/models/hunyuan.h"

#include <cmath>

namespace ingle::models {

Result<DecoderSpec> readHunyuan(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const float alpha, keys.f32Or("rope.scaling.alpha", 0));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base", 10000));
    if (!(alpha >= 0) || !std::isfinite(alpha)) return keys.cannotBe("rope.scaling.alpha", alpha);
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{.isAfterRotation = true};
        const auto dims = 2 * static_cast<uint32_t>(attention.rope->frequencies.perPair.size());
        if (alpha > 0 && dims > 2)
            attention.rope->frequencies =
                unscaledRope(base * std::pow(double{alpha}, dims / (dims - 2.0)), dims);
    }
    return spec;
}

}  // namespace ingle::models
