// INT4_G64: nibbles, heads.
#include "engine/backend/vulkan/weights/group_planes.h"

namespace ingle::backend::vulkan::int4_g64_weight {

extern const WeightFormat weight = groupWeights<4, 64>("int4_g64");

}  // namespace ingle::backend::vulkan::int4_g64_weight
