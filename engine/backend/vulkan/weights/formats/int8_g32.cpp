// INT8_G32: bytes less 128, heads.
#include "engine/backend/vulkan/weights/group_planes.h"

namespace ingle::backend::vulkan::int8_g32_weight {

extern const WeightFormat weight = groupWeights<8, 32>("int8_g32");

}  // namespace ingle::backend::vulkan::int8_g32_weight
