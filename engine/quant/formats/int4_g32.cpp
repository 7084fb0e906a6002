// Groups of 32 values of 4 bits: see group_block.h.
#include "engine/quant/group_block.h"

namespace ingle::quant {

extern const QuantFormat int4_g32_format;
const QuantFormat int4_g32_format = GroupBlock<4, 32>::format("INT4_G32");

}  // namespace ingle::quant
