// Q5_0: nibbles, fifth bits, halves d.
#include "engine/backend/vulkan/weights/nibble_planes.h"

namespace ingle::backend::vulkan::q5_0_weight {

extern const WeightFormat weight{.name = "q5_0",
                                 .id = quant::kQ5_0,
                                 .planes = {{{32, 16}, {32, 4}, {32, 2}}},
                                 .repackRow = repackFiveBits<2>};

}  // namespace ingle::backend::vulkan::q5_0_weight
