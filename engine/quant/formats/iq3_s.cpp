// IQ3_S: layout and formula in iq3_block.h.
#include "engine/quant/format.h"
#include "engine/quant/iq3_block.h"

namespace ingle::quant::iq3_s_format {

extern const QuantFormat format{.id = kIQ3_S,
                                .name = "IQ3_S",
                                .blockElems = kGridBlockElems,
                                .blockBytes = Iq3SBlock::kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeSignedGroups<Iq3SBlock>,
                                .productVersion = 2};

}  // namespace ingle::quant::iq3_s_format
