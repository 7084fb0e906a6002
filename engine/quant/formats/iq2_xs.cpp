// IQ2_XS: layout and formula in iq2_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq2_block.h"

namespace ingle::quant::iq2_xs_format {

extern const QuantFormat format{.id = kIQ2_XS,
                                .name = "IQ2_XS",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq2XsBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeSignedGroups<Iq2XsBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq2_xs_format
