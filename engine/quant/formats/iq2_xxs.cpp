// IQ2_XXS: layout and formula in iq2_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq2_block.h"

namespace ingle::quant::iq2_xxs_format {

extern const QuantFormat format{.id = kIQ2_XXS,
                                .name = "IQ2_XXS",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq2XxsBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeSignedGroups<Iq2XxsBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq2_xxs_format
