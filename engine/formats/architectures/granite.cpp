/// Granite 3, and Granite 4: Mamba-2 and attention, experts or a feed-forward. Sources: transformers,
/// modeling_granite.py, modeling_granitemoe.py, modeling_granitemoeshared.py, modeling_granitemoehybrid.py,
/// modeling_granite_swa.py, modeling_granitemoe_swa.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/state_space_config.h"

namespace ingle::formats::granite_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.block_sparse_moe.router.layer.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.block_sparse_moe.input_linear.weight", "blk.#.ffn_*_exps.weight", splitGateUp},
    {"model.layers.#.block_sparse_moe.output_linear.weight", "blk.#.ffn_down_exps.weight"},
    {"model.layers.#.block_sparse_moe.router.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.block_sparse_moe.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", splitGateUp},
    {"model.layers.#.block_sparse_moe.experts.down_proj", "blk.#.ffn_down_exps.weight"},
    {"model.layers.#.self_attn.sinks", "blk.#.attn_sinks.weight"},
    {"model.layers.#.shared_mlp.input_linear.weight", "blk.#.shared"},
    {"model.layers.#.shared_mlp.output_linear.weight", "blk.#.shared_down"},
};

Status setMamba(Translation& t, const DecoderSizes& sizes) {
    constexpr NamedCount kCounts[] = {{"ssm.conv_kernel", "mamba_d_conv", 4},
                                      {"ssm.state_size", "mamba_d_state", 256},
                                      {"ssm.time_step_rank", "mamba_n_heads", 128},
                                      {"ssm.group_count", "mamba_n_groups", 1}};
    INGLE_TRY(setCounts(t, kCounts));
    INGLE_TRY(expectFlag(t.config, "mamba_proj_bias", false, false));
    INGLE_TRY(expectFlag(t.config, "mamba_conv_bias", true, true));
    INGLE_TRY(expectNoStepLimit(t.config));
    INGLE_TRY_ASSIGN(const uint32_t expand, t.config.u32Or("mamba_expand", 2));
    t.setCount("ssm.inner_size", uint64_t{expand} * sizes.dim);
    return {};
}

Status setScales(Translation& t) {
    struct Scale {
        std::string_view key, from;
    };
    constexpr Scale kScales[] = {{"embedding_scale", "embedding_multiplier"},
                                 {"residual_scale", "residual_multiplier"},
                                 {"attention.scale", "attention_multiplier"},
                                 {"logit_scale", "logits_scaling"}};
    for (const Scale& scale : kScales) {
        INGLE_TRY_ASSIGN(const float value, t.config.f32Or(scale.from, 1));
        if (value == 0) return fail(ErrorCode::Unsupported, "{} cannot be 0", scale.from);
        t.set(scale.key, double{value});
    }
    return {};
}

/// Granite 3: a feed-forward, or experts with one more that serves every row.
Status setGranite(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    INGLE_TRY(setScales(t));
    t.set("rope.scaling.finetuned", true);
    return setRope(t, sizes);
}

Status setGraniteMoe(Translation& t) {
    INGLE_TRY(setGranite(t));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32Or("num_local_experts", 8));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", 2));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32Or("shared_intermediate_size", 0));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_shared_feed_forward_length", shared);
    return {};
}

/// Windows, and layers without positions: layer_rope_theta has 0 for them, and one base for the others.
Status setWindows(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 128, 0));
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", numLayers));
    constexpr uint32_t kPeriod = 4;
    if (!windowed) {
        windowed.emplace();
        for (uint32_t layer = 0; layer < numLayers; ++layer) windowed->push_back(layer % kPeriod != 0);
    }
    t.setCount("attention.sliding_window", window);
    t.set("attention.sliding_window_pattern", asFlags(*windowed));
    const MetaValue* bases = t.config.find("layer_rope_theta");
    if (!bases) return {};
    std::vector<double> list;
    if (const auto* numbers = std::get_if<std::vector<double>>(bases)) list = *numbers;
    if (const auto* numbers = std::get_if<std::vector<int64_t>>(bases))
        list.assign(numbers->begin(), numbers->end());
    if (list.size() != numLayers)
        return fail(ErrorCode::Corrupt, "layer_rope_theta holds {} numbers for {} layers", list.size(),
                    numLayers);
    INGLE_TRY_ASSIGN(const double base, t.model.metadata.f32(fmt::format("{}.rope.freq_base", t.family())));
    std::vector<int64_t> areRotated;
    for (const double own : list) {
        if (own != 0 && own != base)
            return fail(ErrorCode::Unsupported, "layer_rope_theta {} beside {} is not supported", own, base);
        areRotated.push_back(own != 0 ? 1 : 0);
    }
    t.set("attention.rope_pattern", std::move(areRotated));
    return {};
}

Status setGraniteSwa(Translation& t) {
    INGLE_TRY(setGranite(t));
    return setWindows(t);
}

Status setGraniteMoeSwa(Translation& t) {
    INGLE_TRY(setGraniteMoe(t));
    return setWindows(t);
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    INGLE_TRY(setMamba(t, sizes));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32Or("num_local_experts", 0, 0));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32("shared_intermediate_size"));
    if (numExperts > 0) {
        INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("num_experts_per_tok"));
        t.setCount("expert_count", numExperts);
        t.setCount("expert_used_count", numUsed);
        t.setCount("expert_shared_feed_forward_length", shared);
    } else {
        t.setCount("feed_forward_length", shared);
    }
    INGLE_TRY_ASSIGN(const auto attending, layersOfKind(t.config, "attention", sizes.numLayers));
    // transformers has called them so since its version 5.
    INGLE_TRY_ASSIGN(const auto seeing, layersOfKind(t.config, "full_attention", sizes.numLayers));
    if (!attending) return fail(ErrorCode::Corrupt, "layer_types does not say which layers attend");
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
        heads.push_back((*attending)[layer] || (*seeing)[layer] ? int64_t{sizes.numKvHeads} : 0);
    t.set("attention.head_count_kv", std::move(heads));
    INGLE_TRY(setScales(t));
    INGLE_TRY_ASSIGN(const std::string positions,
                     t.config.stringOr("position_embedding_type", "nope", "nope"));
    t.set("rope.scaling.finetuned", positions == "rope");
    return setRope(t, sizes);
}

/// The expert that serves every row is a feed-forward where there are no others.
Status finish(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    INGLE_TRY_ASSIGN(const uint32_t numExperts,
                     t.model.metadata.u32Or(fmt::format("{}.expert_count", t.family()), 0));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32Or("shared_intermediate_size", 0));
    const std::string_view suffix = numExperts > 0 ? "_shexp" : "";
    for (uint32_t layer = 0; layer < numLayers; ++layer) {
        if (shared == 0) {  // none, even if it lies there
            for (const char* part : {"shared", "shared_down"})
                t.model.tensors.erase(fmt::format("blk.{}.{}", layer, part));
            continue;
        }
        const auto name = [&](std::string_view part) {
            return fmt::format("blk.{}.ffn_{}{}.weight", layer, part, suffix);
        };
        const Translation::Part parts[] = {{name("gate"), shared}, {name("up"), shared}};
        INGLE_TRY(t.split(fmt::format("blk.{}.shared", layer), parts));
        auto down = t.model.tensors.extract(fmt::format("blk.{}.shared_down", layer));
        if (down.empty()) continue;
        down.key() = down.mapped().name = name("down");
        t.model.tensors.insert(std::move(down));
    }
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "GraniteForCausalLM",
     .family = "granite",
     .setKeys = setGranite,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "GraniteMoeForCausalLM",
     .family = "granitemoe",
     .setKeys = setGraniteMoe,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "GraniteMoeSharedForCausalLM",
     .family = "granitemoe",
     .setKeys = setGraniteMoe,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves,
     .finish = finish},
    {.name = "GraniteSWAForCausalLM",
     .family = "granite_swa",
     .setKeys = setGraniteSwa,
     .tensors = kRules,
     .sharesEmbedding = true,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "GraniteMoeSWAForCausalLM",
     .family = "granite_swa",
     .setKeys = setGraniteMoeSwa,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves},
    {.name = "GraniteMoeHybridForCausalLM",
     .family = "granitehybrid",
     .setKeys = setKeys,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves,
     .finish = finish},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::granite_architectures
