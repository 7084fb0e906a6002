// INT8_G128: bytes less 128, heads.
#include "engine/backend/vulkan/weights/group_planes.h"

namespace ingle::backend::vulkan::int8_g128_weight {

extern const WeightFormat weight = groupWeights<8, 128>("int8_g128");

}  // namespace ingle::backend::vulkan::int8_g128_weight
