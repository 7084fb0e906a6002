/// How the sampler stands in requests of OpenAI's interface, and of that of servers which run models
/// themselves (vLLM): what ingle-serve reads and ingle-bridge writes.
#pragma once

#include "app/codec/codec.h"
#include "ingle/types.h"

namespace ingle::codec {

struct Range {
    double least, most;
};

/// The parameters that are fractions. `off`: what says nothing of a parameter that others may not know.
template <typename V>
void samplerForm(V& v, Of<SamplerParams> auto& p) {
    v.required("temperature", p.temperature, Range{0, 2});
    v.required("top_p", p.topP, Range{0, 1});
    v.sparse("presence_penalty", p.presencePenalty, /*off=*/0, Range{-2, 2});
    v.sparse("frequency_penalty", p.frequencyPenalty, /*off=*/0, Range{-2, 2});
    v.required("min_p", p.minP, Range{0, 1});
    v.sparse("typical_p", p.typicalP, /*off=*/1, Range{0, 1});
    v.sparse("repetition_penalty", p.repeatPenalty, /*off=*/1, Range{0.1, 10});
}

}  // namespace ingle::codec
