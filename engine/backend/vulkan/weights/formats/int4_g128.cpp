// INT4_G128: nibbles, heads.
#include "engine/backend/vulkan/weights/group_planes.h"

namespace ingle::backend::vulkan::int4_g128_weight {

extern const WeightFormat weight = groupWeights<4, 128>("int4_g128");

}  // namespace ingle::backend::vulkan::int4_g128_weight
