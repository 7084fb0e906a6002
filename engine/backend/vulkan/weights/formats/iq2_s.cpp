// IQ2_S.
#include "engine/backend/vulkan/weights/iq2_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq2_s_weight;
const WeightFormat iq2_s_weight = iq2Weights<quant::Iq2SBlock>({22});

}  // namespace ingle::backend::vulkan
