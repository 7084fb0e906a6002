// IQ3_XXS: layout and formula in iq3_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq3_block.h"

namespace ingle::quant::iq3_xxs_format {

extern const QuantFormat format{.id = kIQ3_XXS,
                                .name = "IQ3_XXS",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq3XxsBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeSignedGroups<Iq3XxsBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq3_xxs_format
