// Groups of 128 values of 8 bits: see group_block.h.
#include "engine/quant/group_block.h"

namespace ingle::quant::int8_g128_format {

extern const QuantFormat format = GroupBlock<8, 128>::format("INT8_G128");

}  // namespace ingle::quant::int8_g128_format
