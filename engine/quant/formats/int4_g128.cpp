// Groups of 128 values of 4 bits: see group_block.h.
#include "engine/quant/group_block.h"

namespace ingle::quant::int4_g128_format {

extern const QuantFormat format = GroupBlock<4, 128>::format("INT4_G128");

}  // namespace ingle::quant::int4_g128_format
