// TQ1_0: layout and formula in tq_block.h.
#include "engine/quant/format.h"
#include "engine/quant/tq_block.h"

namespace ingle::quant::tq1_0_format {

extern const QuantFormat format{.id = kTQ1_0,
                                .name = "TQ1_0",
                                .blockElems = kTernaryBlockElems,
                                .blockBytes = Tq1Block::kBytes,
                                .maxRelRmse = 0.5,
                                .encodeRow = encodeTernary<Tq1Block>,
                                .decodeRow = decodeTernary<Tq1Block>,
                                .productVersion = 2};

}  // namespace ingle::quant::tq1_0_format
