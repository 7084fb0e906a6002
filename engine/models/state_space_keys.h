/// The ssm keys, which mixers with a state have in common.
#pragma once

#include "engine/models/keys.h"

namespace ingle::models {

struct StateSpaceSizes {
    uint32_t kernel = 0;     ///< ssm.conv_kernel: rows of the short convolution
    uint32_t stateSize = 0;  ///< ssm.state_size: of what addresses a head's state (keys; B and C)
    uint32_t groups = 0;     ///< ssm.group_count: of heads that share it
    uint32_t heads = 0;      ///< ssm.time_step_rank, a multiple of the groups
    uint32_t inner = 0;      ///< ssm.inner_size: of all heads together, a multiple of theirs
};

/// Errors: Corrupt.
Result<StateSpaceSizes> readStateSpaceSizes(const Keys& keys);

}  // namespace ingle::models
