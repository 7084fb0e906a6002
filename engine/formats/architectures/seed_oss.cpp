/// Seed-OSS. Source: transformers, modeling_seed_oss.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::seed_oss_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "SeedOssForCausalLM", .family = "seed_oss", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::seed_oss_architectures
