/// A head behind a decoder's layers that predicts the token after the next one, from what the decoder hands
/// to its output layer and from the next token. Its own output takes the place of the decoder's to predict
/// one more. Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 2.2.
#pragma once

#include <memory>

#include "engine/models/decoder.h"

namespace ingle::models {

/// x_t = Wproj [enorm(embed(token t + 1)); hnorm(hidden row t)];  h = layer(x);  n = shared_head_norm(h),
/// which is the hidden row of a further guess;  logits = Wout n. The embedding and Wout are the decoder's
/// where the head has none of its own.
struct HeadSpec {
    ModelFacts facts;
    DecoderSpec decoder;  ///< of no layers
    LayerSpec layer;
    uint32_t block = 0;  ///< the layer's number in the file

    bool areAlike(uint32_t, uint32_t) const { return true; }
    void keepLayers(std::span<const uint32_t>) {}
};

/// Of the first of the layers that predict: one like the decoder's last layer with attention. Null: there are
/// none.
std::shared_ptr<const ModelDefinition> headOf(const DecoderSpec& spec);

}  // namespace ingle::models
