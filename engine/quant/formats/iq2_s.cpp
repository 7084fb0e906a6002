// IQ2_S: layout and formula in iq2_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq2_block.h"

namespace ingle::quant::iq2_s_format {

extern const QuantFormat format{.id = kIQ2_S,
                                .name = "IQ2_S",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq2SBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeSignedGroups<Iq2SBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq2_s_format
