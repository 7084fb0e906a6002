/// How fast a device's kernels were when models were loaded, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ingle::backend::vulkan {

/// A line for each block format, from the files that MatvecShapes and MatmulKernels keep: "Q4_0: 1 row 2310
/// GB/s in bytes, 8 rows …; 512 rows 195 TMAC/s in tiles of 128 × 128". Of several matrices the fastest
/// counts. `identity`: see driverIdentity(). No line: nothing was measured, or nothing is kept.
std::vector<std::string> measuredKernels(const std::string& folder, std::string_view identity);

}  // namespace ingle::backend::vulkan
