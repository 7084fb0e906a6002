// TQ2_0.
#include "engine/backend/vulkan/weights/tq_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat tq2_0_weight;
const WeightFormat tq2_0_weight = ternaryWeights<quant::Tq2Block>({35});

}  // namespace ingle::backend::vulkan
