// IQ1_M: layout and formula in iq1_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq1_block.h"

namespace ingle::quant::iq1_m_format {

extern const QuantFormat format{.id = kIQ1_M,
                                .name = "IQ1_M",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq1MBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeShiftedGroups<Iq1MBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq1_m_format
