// IQ2_XS.
#include "engine/backend/vulkan/weights/iq2_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq2_xs_weight;
const WeightFormat iq2_xs_weight = iq2Weights<quant::Iq2XsBlock>({17});

}  // namespace ingle::backend::vulkan
