/// Encoders like BERT's: norms stand behind the residuals. Source: Devlin et al., "BERT: Pre-training of Deep
/// Bidirectional Transformers" (2019), section 3.
#pragma once

#include "engine/models/decoder.h"

namespace ingle::models {

/// h = LN(embed [+ type] [+ position]);  each layer:  n = LN(h + attn(h));  [n = LN2(h + n);]  h = LN(n +
/// ffn(n)).
struct BertSpec : DecoderSpec {
    uint32_t numTypes = 0;       ///< of tokens; all are of type 0. 0: there are none
    bool hasSecondNorm = false;  ///< attn_norm_2
};

/// One of the sizes in the file whose tokens all see each other: rotary attention, and a feed-forward without
/// gate. Errors: as of readDecoder() and readPooling().
Result<BertSpec> readBert(const Keys& keys);
std::shared_ptr<const ModelDefinition> bertDefinition(BertSpec spec);
/// The reverse, for made-up models.
void synthesizeBert(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

}  // namespace ingle::models
