// TQ1_0.
#include "engine/backend/vulkan/weights/tq_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat tq1_0_weight;
const WeightFormat tq1_0_weight = ternaryWeights<quant::Tq1Block>({34});

}  // namespace ingle::backend::vulkan
