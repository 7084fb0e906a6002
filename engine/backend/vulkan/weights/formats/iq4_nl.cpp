// IQ4_NL: nibbles, halves d.
#include "engine/backend/vulkan/weights/nibble_planes.h"

namespace ingle::backend::vulkan::iq4_nl_weight {

extern const WeightFormat weight{
    .name = "iq4_nl", .id = quant::kIQ4_NL, .planes = {{{32, 16}, {32, 2}}}, .repackRow = repackFourBits<2>};

}  // namespace ingle::backend::vulkan::iq4_nl_weight
