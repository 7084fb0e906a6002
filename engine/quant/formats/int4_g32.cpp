// Groups of 32 values of 4 bits: see group_block.h.
#include "engine/quant/group_block.h"

namespace ingle::quant::int4_g32_format {

extern const QuantFormat format = GroupBlock<4, 32>::format("INT4_G32");

}  // namespace ingle::quant::int4_g32_format
