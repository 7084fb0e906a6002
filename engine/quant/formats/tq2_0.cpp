// TQ2_0: layout and formula in tq_block.h.
#include "engine/quant/format.h"
#include "engine/quant/tq_block.h"

namespace ingle::quant::tq2_0_format {

extern const QuantFormat format{.id = kTQ2_0,
                                .name = "TQ2_0",
                                .blockElems = kTernaryBlockElems,
                                .blockBytes = Tq2Block::kBytes,
                                .maxRelRmse = 0.5,
                                .encodeRow = encodeTernary<Tq2Block>,
                                .decodeRow = decodeTernary<Tq2Block>,
                                .productVersion = 2};

}  // namespace ingle::quant::tq2_0_format
