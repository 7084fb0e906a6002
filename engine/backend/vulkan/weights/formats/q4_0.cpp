// Q4_0: nibbles, halves d.
#include "engine/backend/vulkan/weights/nibble_planes.h"

namespace ingle::backend::vulkan::q4_0_weight {

extern const WeightFormat weight{
    .name = "q4_0", .id = quant::kQ4_0, .planes = {{{32, 16}, {32, 2}}}, .repackRow = repackFourBits<2>};

}  // namespace ingle::backend::vulkan::q4_0_weight
