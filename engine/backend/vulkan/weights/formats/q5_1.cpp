// Q5_1: nibbles, fifth bits, halves d and m.
#include "engine/backend/vulkan/weights/nibble_planes.h"

namespace ingle::backend::vulkan::q5_1_weight {

extern const WeightFormat weight{.name = "q5_1",
                                 .id = quant::kQ5_1,
                                 .planes = {{{32, 16}, {32, 4}, {32, 4}}},
                                 .repackRow = repackFiveBits<4>};

}  // namespace ingle::backend::vulkan::q5_1_weight
