// IQ3_S.
#include "engine/backend/vulkan/weights/iq3_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq3_s_weight;
const WeightFormat iq3_s_weight = iq3Weights<quant::Iq3SBlock, 2, 0>({21});

}  // namespace ingle::backend::vulkan
