/// What the configurations of mixtures with experts behind the first layers have in common.
#pragma once

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// What holds where config.json is silent, since it is what the class that reads it has; 0: it never is.
struct UsualMixture {
    uint32_t scores = 1;  ///< expert_gating_func: 1 softmax, 2 sigmoid; config.json does not say
    uint32_t numExperts = 0, numUsed = 0, numShared = 0, dim = 0;
    uint32_t numDense = 0;
    uint32_t groups = 1, groupsUsed = 1;
    bool renormalises = false;
    double scale = 1;
};

/// Sets leading_dense_block_count and the expert keys, of first_k_dense_replace, n_routed_experts,
/// num_experts_per_tok, n_shared_experts, moe_intermediate_size, n_group, topk_group, norm_topk_prob and
/// routed_scaling_factor. Errors: Corrupt.
Status setMixtureKeys(Translation& translation, const UsualMixture& usual);

}  // namespace ingle::formats
