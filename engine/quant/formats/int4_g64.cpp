// Groups of 64 values of 4 bits: see group_block.h.
#include "engine/quant/group_block.h"

namespace ingle::quant::int4_g64_format {

extern const QuantFormat format = GroupBlock<4, 64>::format("INT4_G64");

}  // namespace ingle::quant::int4_g64_format
