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

/// What such configurations call their keys, under the names of most of them; "" is no name.
struct MixtureNames {
    std::string_view numExperts = "n_routed_experts";
    std::string_view numUsed = "num_experts_per_tok";
    std::string_view dim = "moe_intermediate_size";
    std::string_view numShared = "n_shared_experts";
    std::string_view numDense = "first_k_dense_replace";
    std::string_view groups = "n_group";
    std::string_view renormalises = "norm_topk_prob";
    std::string_view scale = "routed_scaling_factor";
};

/// Sets leading_dense_block_count and the expert keys, of these and topk_group. Where mlp_layer_types names
/// the layers, it decides which have experts. Errors: Corrupt; Unsupported (experts in front of a dense
/// layer).
Status setMixtureKeys(Translation& translation, const UsualMixture& usual, const MixtureNames& names = {});

}  // namespace ingle::formats
