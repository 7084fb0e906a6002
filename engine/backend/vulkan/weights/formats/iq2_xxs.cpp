// IQ2_XXS.
#include "engine/backend/vulkan/weights/iq2_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq2_xxs_weight;
const WeightFormat iq2_xxs_weight = iq2Weights<quant::Iq2XxsBlock>({16});

}  // namespace ingle::backend::vulkan
