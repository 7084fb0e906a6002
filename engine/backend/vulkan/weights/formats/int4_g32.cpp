// INT4_G32: nibbles, heads.
#include "engine/backend/vulkan/weights/group_planes.h"

namespace ingle::backend::vulkan::int4_g32_weight {

extern const WeightFormat weight = groupWeights<4, 32>("int4_g32");

}  // namespace ingle::backend::vulkan::int4_g32_weight
