/// InternLM2 and 2.5, whose matrices of queries, keys and values lie in one by heads of keys. Source:
/// InternLM's modeling_internlm2.py and configuration_internlm2.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/grouped_heads.h"

namespace ingle::formats::internlm2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.tok_embeddings.weight", "token_embd.weight"},
    {"output.weight", "output.weight"},
    {"model.layers.#.attention_norm.weight", "blk.#.attn_norm.weight"},
    {"model.layers.#.attention.wqkv.weight", "blk.#.attn_*.weight", splitGroupedHeads},
    {"model.layers.#.attention.wo.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.ffn_norm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.feed_forward.w1.weight", "blk.#.ffn_gate.weight"},
    {"model.layers.#.feed_forward.w3.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.feed_forward.w2.weight", "blk.#.ffn_down.weight"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "InternLM2ForCausalLM",
     .family = "internlm2",
     .setKeys = setKeys,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::internlm2_architectures
