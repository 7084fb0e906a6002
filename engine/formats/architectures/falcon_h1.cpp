/// Falcon-H1, attention and Mamba-2 side by side. What multiplies rows in the model multiplies weights here,
/// as GGUF files have it. Source: transformers, modeling_falcon_h1.py, configuration_falcon_h1.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/scaled_rows.h"
#include "engine/formats/checkpoint/state_space_config.h"

namespace ingle::formats::falcon_h1_architectures {
namespace {

/// Factors that config.json states.
struct Multipliers {
    double embedding, output;
    double attentionIn, attentionOut, keys;
    double gate, down;
    double mambaIn, mambaOut;
    std::vector<double> mamba;  ///< of gates, inputs, B, C and steps
};

/// A list of so many numbers; ones where there is none.
Result<std::vector<double>> listOf(const Config& config, std::string_view key, size_t count) {
    const MetaValue* value = config.find(key);
    if (!value) return std::vector<double>(count, 1.0);
    std::vector<double> list;
    if (const auto* numbers = std::get_if<std::vector<double>>(value)) list = *numbers;
    if (const auto* numbers = std::get_if<std::vector<int64_t>>(value))
        list.assign(numbers->begin(), numbers->end());
    if (list.size() == count) return list;
    return fail(ErrorCode::Corrupt, "{} holds {} numbers, where {} are needed", key, list.size(), count);
}

Result<Multipliers> multipliersOf(const Config& config) {
    Multipliers m{};
    struct Named {
        std::string_view key;
        double& value;
    };
    for (const auto& [key, value] :
         {Named{"embedding_multiplier", m.embedding}, Named{"lm_head_multiplier", m.output},
          Named{"attention_in_multiplier", m.attentionIn}, Named{"attention_out_multiplier", m.attentionOut},
          Named{"key_multiplier", m.keys}, Named{"ssm_in_multiplier", m.mambaIn},
          Named{"ssm_out_multiplier", m.mambaOut}}) {
        INGLE_TRY_ASSIGN(value, config.f32Or(key, 1));
    }
    INGLE_TRY_ASSIGN(const auto ofFeedForward, listOf(config, "mlp_multipliers", 2));
    m.gate = ofFeedForward[0];
    m.down = ofFeedForward[1];
    INGLE_TRY_ASSIGN(m.mamba, listOf(config, "ssm_multipliers", 5));
    return m;
}

Status scaleAll(Translation& t, const StoredTensor& stored, const Place& place,
                double (*factorOf)(const Multipliers&)) {
    INGLE_TRY_ASSIGN(const Multipliers m, multipliersOf(t.config));
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    const RowFactor all[] = {{shape.numRows(), factorOf(m)}};
    return placeScaled(t, stored, place, all);
}

template <auto FactorOf>
Status scaled(Translation& t, const StoredTensor& stored, const Place& place) {
    return scaleAll(t, stored, place, FactorOf);
}

/// Rows of gates, inputs, B, C and steps.
Status scaleMamba(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const Multipliers m, multipliersOf(t.config));
    const auto countOf = [&](std::string_view key) {
        return t.model.metadata.u32(fmt::format("{}.ssm.{}", t.family(), key));
    };
    INGLE_TRY_ASSIGN(const uint64_t inner, countOf("inner_size"));
    INGLE_TRY_ASSIGN(const uint64_t groups, countOf("group_count"));
    INGLE_TRY_ASSIGN(const uint64_t stateSize, countOf("state_size"));
    INGLE_TRY_ASSIGN(const uint64_t heads, countOf("time_step_rank"));
    const uint64_t counts[] = {inner, inner, groups * stateSize, groups * stateSize, heads};
    std::vector<RowFactor> parts;
    for (size_t i = 0; i < m.mamba.size(); ++i) parts.push_back({counts[i], m.mamba[i] * m.mambaIn});
    return placeScaled(t, stored, place, parts);
}

double ofEmbedding(const Multipliers& m) {
    return m.embedding;
}
double ofOutput(const Multipliers& m) {
    return m.output;
}
double ofAttention(const Multipliers& m) {
    return m.attentionIn;
}
double ofKeys(const Multipliers& m) {
    return m.attentionIn * m.keys;
}
double ofAttended(const Multipliers& m) {
    return m.attentionOut;
}
double ofGate(const Multipliers& m) {
    return m.gate;
}
double ofDown(const Multipliers& m) {
    return m.down;
}
double ofMambaOutput(const Multipliers& m) {
    return m.mambaOut;
}

constexpr TensorRule kRules[] = {
    // llama.cpp's files have the bare name.
    {"model.layers.#.pre_ff_layernorm.weight", "blk.#.ffn_norm"},
    {"model.embed_tokens.weight", "token_embd.weight", scaled<ofEmbedding>},
    {"lm_head.weight", "output.weight", scaled<ofOutput>},
    {"model.layers.#.self_attn.q_proj.weight", "blk.#.attn_q.weight", scaled<ofAttention>},
    {"model.layers.#.self_attn.k_proj.weight", "blk.#.attn_k.weight", scaled<ofKeys>},
    {"model.layers.#.self_attn.v_proj.weight", "blk.#.attn_v.weight", scaled<ofAttention>},
    {"model.layers.#.self_attn.o_proj.weight", "blk.#.attn_output.weight", scaled<ofAttended>},
    {"model.layers.#.feed_forward.gate_proj.weight", "blk.#.ffn_gate.weight", scaled<ofGate>},
    {"model.layers.#.feed_forward.down_proj.weight", "blk.#.ffn_down.weight", scaled<ofDown>},
    {"model.layers.#.mamba.in_proj.weight", "blk.#.ssm_in.weight", scaleMamba},
    {"model.layers.#.mamba.out_proj.weight", "blk.#.ssm_out.weight", scaled<ofMambaOutput>},
};

Status setMamba(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY(expectFlag(t.config, "mamba_conv_bias", true, true));
    INGLE_TRY(expectFlag(t.config, "mamba_proj_bias", false, false));
    INGLE_TRY(expectFlag(t.config, "projectors_bias", false, false));
    INGLE_TRY_ASSIGN(const bool isNormed, t.config.boolOr("mamba_rms_norm", false));
    if (isNormed) INGLE_TRY(expectFlag(t.config, "mamba_norm_before_gate", true, false));
    INGLE_TRY(expectNoStepLimit(t.config));
    // Used only where the width itself is null.
    constexpr uint32_t kUsualExpand = 2;
    const bool isUsed = t.config.isNull("mamba_d_ssm");
    INGLE_TRY_ASSIGN(const uint32_t expand, isUsed ? t.config.u32Or("mamba_expand", kUsualExpand)
                                                   : t.config.u32Or("mamba_expand", kUsualExpand, 0));
    INGLE_TRY_ASSIGN(const uint32_t inner, t.config.u32Or("mamba_d_ssm", 1024, expand * sizes.dim));
    t.setCount("ssm.inner_size", inner);
    constexpr NamedCount kCounts[] = {{"ssm.conv_kernel", "mamba_d_conv", 4},
                                      {"ssm.state_size", "mamba_d_state", 256},
                                      {"ssm.group_count", "mamba_n_groups", 1},
                                      {"ssm.time_step_rank", "mamba_n_heads", 128}};
    return setCounts(t, kCounts);
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY(expectFlag(t.config, "mlp_bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualKvHeads = 8, .usualContext = 8192}));
    INGLE_TRY(setMamba(t, sizes));
    INGLE_TRY_ASSIGN(const Multipliers m, multipliersOf(t.config));
    INGLE_TRY_ASSIGN(const bool isShared, t.config.boolOr("tie_word_embeddings", false));
    if (isShared && (m.embedding != 1 || m.output != 1))
        return fail(ErrorCode::Unsupported,
                    "an output that is the embedding, multiplied by {} and {}, is not supported", m.embedding,
                    m.output);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "FalconH1ForCausalLM", .family = "falcon-h1", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::falcon_h1_architectures
