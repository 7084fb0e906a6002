/// Llama 1-3, Mistral, Mixtral, and models of their layer under other names. Sources: transformers,
/// modeling_llama.py, modeling_mistral.py, modeling_mixtral.py, modeling_smollm3.py; InternLM's
/// modeling_internlm2.py.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::llama_architectures {
namespace {

Status setLlama(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes);
}

Status setMistral(Translation& t) {
    constexpr uint32_t kUsualWindow = 4096;
    return setLlamaKeys(t, {}, kUsualWindow);
}

Status setMixtral(Translation& t) {
    INGLE_TRY(setLlamaKeys(t));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32("num_local_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("num_experts_per_tok"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    return {};
}

/// Every fourth layer has no positions: the family knows that, and nothing else.
Status setSmolLm3(Translation& t) {
    const MetaValue* layers = t.config.find("no_rope_layers");
    const auto* rotated = layers ? std::get_if<std::vector<int64_t>>(layers) : nullptr;
    for (size_t i = 0; rotated && i < rotated->size(); ++i) {
        if (((*rotated)[i] != 0) != ((i + 1) % 4 != 0))
            return fail(ErrorCode::Unsupported, "no_rope_layers names other layers than every fourth");
    }
    return setLlama(t);
}

constexpr Architecture kArchitectures[] = {
    {.name = "LlamaForCausalLM", .family = "llama", .setKeys = setLlama, .rotaryPairs = RotaryPairs::Halves},
    {.name = "MistralForCausalLM",
     .family = "llama",
     .setKeys = setMistral,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "MinistralForCausalLM",
     .family = "llama",
     .setKeys = setMistral,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "MixtralForCausalLM",
     .family = "llama",
     .setKeys = setMixtral,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "SmolLM3ForCausalLM",
     .family = "smollm3",
     .setKeys = setSmolLm3,
     .sharesEmbedding = true,
     .rotaryPairs = RotaryPairs::Halves},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::llama_architectures
