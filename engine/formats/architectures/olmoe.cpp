/// OLMoE. Source: transformers, modeling_olmoe.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::olmoe_architectures {
namespace {

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", false, false));
    if (t.config.find("clip_qkv"))
        return fail(ErrorCode::Unsupported, "clip_qkv is not supported for such models");
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32("num_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("num_experts_per_tok"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "OlmoeForCausalLM", .family = "olmoe", .setKeys = setKeys},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::olmoe_architectures
