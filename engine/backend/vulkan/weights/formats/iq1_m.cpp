// IQ1_M.
#include "engine/backend/vulkan/weights/iq1_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq1_m_weight;
const WeightFormat iq1_m_weight = iq1Weights<quant::Iq1MBlock>({29});

}  // namespace ingle::backend::vulkan
