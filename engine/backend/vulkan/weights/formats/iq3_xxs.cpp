// IQ3_XXS.
#include "engine/backend/vulkan/weights/iq3_planes.h"

namespace ingle::backend::vulkan {

extern const WeightFormat iq3_xxs_weight;
const WeightFormat iq3_xxs_weight = iq3Weights<quant::Iq3XxsBlock, 8, 1>({18});

}  // namespace ingle::backend::vulkan
