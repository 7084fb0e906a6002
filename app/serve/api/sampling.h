/// How tokens are chosen and when an answer ends, as the API's requests say it.
#pragma once

#include "app/serve/api/fields.h"
#include "ingle/types.h"

namespace ingle::serve::api {

/// Reads temperature, top_p, seed, presence_penalty, frequency_penalty, logit_bias and stop, and top_k,
/// min_p, typical_p, repetition_penalty and grammar beside those of OpenAI, and those of llama.cpp's server.
/// Without a seed it is a random one.
void readSampling(Fields& fields, GenerateRequest& request);

}  // namespace ingle::serve::api
