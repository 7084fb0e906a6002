/// The grid of IQ1_S and IQ1_M: levels are the values plus one.
#pragma once

#include "engine/backend/vulkan/weights/grid.h"
#include "engine/quant/grids/iq1_s.h"

namespace ingle::backend::vulkan {

inline constexpr auto kIq1Levels =
    packGrid(quant::kIq1SGrid, [](uint8_t value) { return static_cast<uint8_t>(value + 1); });

}  // namespace ingle::backend::vulkan
