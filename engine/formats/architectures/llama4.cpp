/// The language model of Llama 4. Experts are stored transposed, gate and up in one. Sources: transformers,
/// modeling_llama4.py and configuration_llama4.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/transposed_experts.h"

namespace ingle::formats::llama4_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.feed_forward.router.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.feed_forward.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", splitTransposedGateUp},
    {"model.layers.#.feed_forward.experts.down_proj", "blk.#.ffn_down_exps.weight", placeTransposed},
    {"model.layers.#.feed_forward.shared_expert.gate_proj.weight", "blk.#.ffn_gate_shexp.weight"},
    {"model.layers.#.feed_forward.shared_expert.up_proj.weight", "blk.#.ffn_up_shexp.weight"},
    {"model.layers.#.feed_forward.shared_expert.down_proj.weight", "blk.#.ffn_down_shexp.weight"},
};

constexpr std::string_view kImageParts[] = {"vision_model.", "multi_modal_projector.", "model.vision_model.",
                                            "model.multi_modal_projector."};

// What the family computes with, whatever a configuration says.
constexpr uint32_t kChunk = 8192;
constexpr float kTemperature = 0.1F;
constexpr uint32_t kPeriodWithoutRotation = 4;
constexpr uint32_t kExpertsWithoutHeadNorm = 128;

const std::vector<int64_t>* numbersAt(const Config& config, std::string_view key) {
    const MetaValue* value = config.find(key);
    return value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
}

/// Layers without rotation, their queries, and what the others see.
Status expectAttention(const Config& config, uint32_t numExperts) {
    INGLE_TRY(expectFlag(config, "attention_bias", false, false));
    INGLE_TRY(expectFlag(config, "use_qk_norm", true, numExperts != kExpertsWithoutHeadNorm));
    const auto* rotated = numbersAt(config, "no_rope_layers");
    for (size_t i = 0; rotated && i < rotated->size(); ++i) {
        if (((*rotated)[i] != 0) != ((i + 1) % kPeriodWithoutRotation != 0))
            return fail(ErrorCode::Unsupported, "no_rope_layers names other layers than every fourth");
    }
    INGLE_TRY_ASSIGN(const uint32_t chunk, config.u32Or("attention_chunk_size", kChunk, 0));
    INGLE_TRY_ASSIGN(const uint32_t length, config.u32Or("floor_scale", kChunk));
    INGLE_TRY_ASSIGN(const float temperature, config.f32Or("attn_scale", kTemperature));
    if (chunk != kChunk)
        return fail(ErrorCode::Unsupported, "attention_chunk_size {} is not supported", chunk);
    // Early configurations have 4, which is as good as true.
    const MetaValue* tuning = config.find("attn_temperature_tuning");
    const auto* flag = tuning ? std::get_if<bool>(tuning) : nullptr;
    if (length != kChunk || temperature != kTemperature || (flag && !*flag) ||
        config.isNull("attn_temperature_tuning"))
        return fail(
            ErrorCode::Unsupported,
            "queries that grow with their position otherwise than by {} for {} tokens are not supported",
            kTemperature, kChunk);
    return {};
}

/// Every n-th layer has experts.
Status setStep(Translation& t) {
    INGLE_TRY_ASSIGN(uint32_t step, t.config.u32Or("interleave_moe_layer_step", 1));
    if (const auto* layers = numbersAt(t.config, "moe_layers"); layers && !layers->empty()) {
        step = static_cast<uint32_t>(layers->front() + 1);
        for (size_t i = 0; i < layers->size(); ++i) {
            if ((*layers)[i] + 1 != static_cast<int64_t>(i + 1) * step)
                return fail(ErrorCode::Unsupported, "moe_layers names other layers than every {}th", step);
        }
    }
    t.setCount("interleave_moe_layer_step", step);
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    // What configurations leave out since it is usual.
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.ffnDim = "",
                                                                  .usualEpsilon = 1e-5,
                                                                  .usualHeads = 40,
                                                                  .usualKvHeads = 8,
                                                                  .usualContext = 131072}));
    INGLE_TRY_ASSIGN(const uint32_t ffnDim, t.config.u32Or("intermediate_size_mlp", 16384));
    INGLE_TRY_ASSIGN(const uint32_t expertDim, t.config.u32Or("intermediate_size", 8192));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32Or("num_local_experts", 16));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", 1));
    INGLE_TRY(expectAttention(t.config, numExperts));
    INGLE_TRY(setStep(t));
    t.setCount("feed_forward_length", ffnDim);
    t.setCount("expert_feed_forward_length", expertDim);
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    return setRope(t, sizes, 5e5);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Llama4ForCausalLM", .family = "llama4", .setKeys = setKeys, .tensors = kRules},
    {.name = "Llama4ForConditionalGeneration",
     .family = "llama4",
     .setKeys = setKeys,
     .tensors = kRules,
     .ignored = kImageParts},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::llama4_architectures
