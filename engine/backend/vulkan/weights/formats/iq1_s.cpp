// IQ1_S.
#include "engine/backend/vulkan/weights/iq1_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq1_s_weight;
const WeightFormat iq1_s_weight = iq1Weights<quant::Iq1SBlock>({19});

}  // namespace ingle::backend::vulkan
