// INT4_G32: nibbles, heads.
#include "engine/backend/vulkan/weights/group_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat int4_g32_weight;
const WeightFormat int4_g32_weight = groupWeights<4, 32>("int4_g32");

}  // namespace ingle::backend::vulkan
