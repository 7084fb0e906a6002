// Q4_1: nibbles, halves d and m.
#include "engine/backend/vulkan/weights/nibble_planes.h"

namespace ingle::backend::vulkan::q4_1_weight {

extern const WeightFormat weight{
    .name = "q4_1", .id = quant::kQ4_1, .planes = {{{32, 16}, {32, 4}}}, .repackRow = repackFourBits<4>};

}  // namespace ingle::backend::vulkan::q4_1_weight
