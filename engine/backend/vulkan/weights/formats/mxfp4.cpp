// MXFP4: nibbles, bytes E.
#include "engine/backend/vulkan/weights/nibble_planes.h"

namespace ingle::backend::vulkan::mxfp4_weight {

extern const WeightFormat weight{
    .name = "mxfp4", .id = quant::kMXFP4, .planes = {{{32, 16}, {32, 1}}}, .repackRow = repackFourBits<1>};

}  // namespace ingle::backend::vulkan::mxfp4_weight
