// IQ1_M: layout and formula in iq1_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq1_block.h"

namespace ingle::quant {

extern const QuantFormat iq1_m_format;
const QuantFormat iq1_m_format{.id = {29},
                               .name = "IQ1_M",
                               .blockElems = kGridBlockElems,
                               .blockBytes = Iq1MBlock::kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeShiftedGroups<Iq1MBlock>};

}  // namespace ingle::quant
