// IQ1_S: layout and formula in iq1_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq1_block.h"

namespace ingle::quant::iq1_s_format {

extern const QuantFormat format{.id = kIQ1_S,
                                .name = "IQ1_S",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq1SBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeShiftedGroups<Iq1SBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq1_s_format
