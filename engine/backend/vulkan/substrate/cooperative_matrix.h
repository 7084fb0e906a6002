/// Products of small matrices that a subgroup computes together, on devices that have units for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ingle::backend::vulkan {

/// The shader in the instructions of SPV_KHR_cooperative_matrix, which all drivers know. glslang 12 (Debian
/// 12's) writes those of SPV_NV_cooperative_matrix, which say the same but for what a matrix is used as; that
/// follows from its shape: a factor with as many rows as the sums is the left one. So a shader names its
/// three sizes by specialization constants of their own. Words without such matrices are returned as they
/// are.
std::vector<uint32_t> withKhrMatrices(std::span<const uint32_t> words);

}  // namespace ingle::backend::vulkan
