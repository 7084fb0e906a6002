#include "engine/formats/checkpoint/mixture_config.h"

#include "engine/formats/checkpoint/layer_kinds.h"

namespace ingle::formats {

Status setMixtureKeys(Translation& t, const UsualMixture& usual, const MixtureNames& names) {
    struct Count {
        std::string_view key, from;
        uint32_t usual;
    };
    const Count counts[] = {{"expert_count", names.numExperts, usual.numExperts},
                            {"expert_used_count", names.numUsed, usual.numUsed},
                            {"expert_feed_forward_length", names.dim, usual.dim}};
    for (const auto& [key, from, otherwise] : counts) {
        INGLE_TRY_ASSIGN(const uint32_t value,
                         otherwise ? t.config.u32Or(from, otherwise) : t.config.u32(from));
        t.setCount(key, value);
    }
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.config.u32Or(names.numShared, usual.numShared, 0));
    INGLE_TRY_ASSIGN(uint32_t numDense, t.config.u32Or(names.numDense, usual.numDense));
    INGLE_TRY_ASSIGN(const auto named, numDenseLayers(t.config));
    if (named) numDense = *named;
    INGLE_TRY_ASSIGN(const uint32_t groups, t.config.u32Or(names.groups, usual.groups, 1));
    INGLE_TRY_ASSIGN(const uint32_t groupsUsed, t.config.u32Or("topk_group", usual.groupsUsed, 1));
    INGLE_TRY_ASSIGN(const bool renormalises, t.config.boolOr(names.renormalises, usual.renormalises));
    INGLE_TRY_ASSIGN(const float scale, t.config.f32Or(names.scale, static_cast<float>(usual.scale)));
    t.setCount("expert_shared_count", numShared);
    t.setCount("leading_dense_block_count", numDense);
    t.setCount("expert_gating_func", usual.scores);
    t.setCount("expert_group_count", groups);
    t.setCount("expert_group_used_count", groupsUsed);
    t.set("expert_weights_norm", renormalises);
    t.set("expert_weights_scale", double{scale});
    return {};
}

}  // namespace ingle::formats
