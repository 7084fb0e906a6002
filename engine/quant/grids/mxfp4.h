/// The sixteen levels of MXFP4: a sign, two bits of exponent and one of fraction, times 2.
/// Source: Open Compute Project, "OCP Microscaling Formats (MX) Specification" 1.0 (2023), section 5.3.3.
#pragma once

namespace ingle::quant {

inline constexpr float kMxfp4Levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace ingle::quant
