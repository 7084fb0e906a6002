// Groups of 32 values of 8 bits: see group_block.h.
#include "engine/quant/group_block.h"

namespace ingle::quant::int8_g32_format {

extern const QuantFormat format = GroupBlock<8, 32>::format("INT8_G32");

}  // namespace ingle::quant::int8_g32_format
