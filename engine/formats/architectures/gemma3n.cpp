/// The language model of Gemma 3n. Its norms multiply by their weight. Source: transformers,
/// modeling_gemma3n.py and configuration_gemma3n.py.
#include <algorithm>
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/tensor_directory.h"
#include "engine/tensor/joined_rows.h"

namespace ingle::formats::gemma3n_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.embed_tokens_per_layer.weight", "per_layer_token_embd.weight"},
    {"model.per_layer_model_projection.weight", "per_layer_model_proj.weight"},
    {"model.per_layer_projection_norm.weight", "per_layer_proj_norm.weight"},
    {"model.altup_projections.#.weight", "altup_proj.weight", stackExpert},
    {"model.altup_unembed_projections.#.weight", "altup_unembd_proj.weight", stackExpert},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.pre_feedforward_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight"},
    {"model.layers.#.altup.correct_output_scale", "blk.#.altup_correct_scale.weight"},
    {"model.layers.#.altup.correction_coefs.weight", "blk.#.altup_correct_coef.weight"},
    {"model.layers.#.altup.prediction_coefs.weight", "blk.#.altup_predict_coef.weight"},
    {"model.layers.#.altup.modality_router.weight", "blk.#.altup_router.weight"},
    {"model.layers.#.altup.router_norm.weight", "blk.#.altup_router_norm.weight"},
    {"model.layers.#.laurel.linear_left.weight", "blk.#.laurel_l.weight"},
    {"model.layers.#.laurel.linear_right.weight", "blk.#.laurel_r.weight"},
    {"model.layers.#.laurel.post_laurel_norm.weight", "blk.#.laurel_post_norm.weight"},
    {"model.layers.#.per_layer_input_gate.weight", "blk.#.inp_gate.weight"},
    {"model.layers.#.per_layer_projection.weight", "blk.#.proj.weight"},
    {"model.layers.#.post_per_layer_input_norm.weight", "blk.#.post_norm.weight"},
};

/// Of images and sounds.
constexpr std::string_view kOtherParts[] = {"model.vision_tower.", "model.audio_tower.",
                                            "model.embed_vision.", "model.embed_audio."};

// What the family computes with, whatever a configuration says.
constexpr uint32_t kSparseLayers = 10;
constexpr uint32_t kLayersWithCache = 20;
constexpr double kSparsity = 0.95;

Status expectSparsity(const Config& config, uint32_t numLayers) {
    const MetaValue* value = config.find("activation_sparsity_pattern");
    const auto* shares = value ? std::get_if<std::vector<double>>(value) : nullptr;
    if (!value && !config.isNull("activation_sparsity_pattern") && numLayers <= kSparseLayers)
        return fail(ErrorCode::Unsupported, "gates that are all open are not supported for such models");
    if (!value) return {};
    const auto isSparse = [&](uint32_t i) { return std::abs((*shares)[i] - kSparsity) < 1e-6; };
    bool isKnown = shares && shares->size() == numLayers;
    for (uint32_t i = 0; isKnown && i < numLayers; ++i)
        isKnown = i < kSparseLayers ? isSparse(i) : (*shares)[i] == 0;
    if (isKnown) return {};
    return fail(ErrorCode::Unsupported,
                "activation_sparsity_pattern is not {} for the first {} layers and 0 for the others",
                kSparsity, kSparseLayers);
}

/// Numbers that are the same for all models of the family.
Status expectConstants(const Config& config) {
    struct Constant {
        std::string_view key;
        uint32_t known;
    };
    constexpr Constant kConstants[] = {{"altup_num_inputs", 4},
                                       {"altup_active_idx", 0},
                                       {"laurel_rank", 64},
                                       {"hidden_size_per_layer_input", 256}};
    for (const auto& [key, known] : kConstants) {
        INGLE_TRY_ASSIGN(const uint32_t value, config.u32Or(key, known));
        if (value != known) return fail(ErrorCode::Unsupported, "{} {} is not supported", key, value);
    }
    static_cast<void>(config.find("query_pre_attn_scalar"));  // scores are not scaled, whatever it says
    INGLE_TRY(expectFlag(config, "altup_correct_scale", true, true));
    INGLE_TRY(expectFlag(config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(const float cap, config.f32Or("final_logit_softcapping", 30));
    if (cap != 30) return fail(ErrorCode::Unsupported, "final_logit_softcapping {} is not supported", cap);
    return expectText(config, "hidden_activation", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"});
}

/// One width for all layers, or one for each.
Status setWidths(Translation& t) {
    const MetaValue* value = t.config.find("intermediate_size");
    if (const auto* each = value ? std::get_if<std::vector<int64_t>>(value) : nullptr) {
        t.set("feed_forward_length", *each);
        return {};
    }
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32Or("intermediate_size", 16384));
    t.setCount("feed_forward_length", width);
    return {};
}

Status setWindows(Translation& t, const DecoderSizes& sizes) {
    constexpr uint32_t kUsualPeriod = 5;
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (!windowed) {
        windowed.emplace();
        for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
            windowed->push_back((layer + 1) % kUsualPeriod != 0);
    }
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 512));
    t.set("attention.sliding_window_pattern", asFlags(*windowed));
    t.setCount("attention.sliding_window", window);
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.config.u32Or("num_kv_shared_layers", 15));
    const uint32_t known = sizes.numLayers - std::min(sizes.numLayers, kLayersWithCache);
    if (numShared == known) return {};
    return fail(ErrorCode::Unsupported, "num_kv_shared_layers {} of {} layers is not supported", numShared,
                sizes.numLayers);
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectConstants(t.config));
    INGLE_TRY_ASSIGN(
        const DecoderSizes sizes,
        setDecoderKeys(t, {.ffnDim = "", .usualHeads = 8, .usualKvHeads = 2, .usualContext = 32768}));
    INGLE_TRY(expectSparsity(t.config, sizes.numLayers));
    INGLE_TRY(setWidths(t));
    INGLE_TRY(setWindows(t, sizes));
    // transformers has the deviation of all, llama.cpp that of a sample: of one less than all.
    t.set("activation_sparsity_of_sample", false);
    constexpr std::string_view kLocal = "rope_parameters.sliding_attention.rope_theta";
    INGLE_TRY_ASSIGN(const float local, t.config.find(kLocal)
                                            ? t.config.f32(kLocal)
                                            : t.config.f32Or("rope_local_base_freq", 10000));
    t.set("rope.freq_base_swa", double{local});
    const bool isSplit = t.config.find("rope_parameters.full_attention.rope_theta") != nullptr;
    return setRope(t, sizes, 1e6, isSplit ? "rope_parameters.full_attention" : "rope_parameters");
}

/// The last layers read others' keys and values. Other engines want tensors there, which nobody reads.
void fillUnread(Translation& t, uint32_t numLayers) {
    for (uint32_t layer = kLayersWithCache; layer < numLayers; ++layer) {
        for (const char* part : {"attn_k.weight", "attn_v.weight", "attn_k_norm.weight"}) {
            const std::string name = fmt::format("blk.{}.{}", layer, part);
            const tensor::Tensor* other = t.model.find(fmt::format("blk.{}.{}", kLayersWithCache - 1, part));
            if (!other || t.model.find(name)) continue;
            tensor::Tensor same = *other;
            same.name = name;
            t.model.tensors.emplace(name, std::move(same));
        }
    }
}

/// The matrices of all streams, one behind the other: the family takes them apart.
Status joinStreams(Translation& t, const std::string& name) {
    const auto found = t.model.tensors.find(name);
    if (found == t.model.tensors.end() || found->second.decoder) return {};
    tensor::Tensor& streams = found->second;
    if (!streams.table && streams.extent() == streams.bytes()) return {};
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(streams.bytes()));
    for (uint64_t row = 0; row < streams.shape.numRows(); ++row)
        std::copy_n(streams.row(row), streams.rowBytes(), buffer.data() + row * streams.rowBytes());
    streams.table = {};
    streams.rowStride = streams.matrixStride = 0;
    streams.data = {std::as_const(buffer).data(), buffer.size()};
    t.model.buffers.push_back(std::move(buffer));
    return {};
}

/// Tokens of images and sounds, the last ones, have no embeddings of the layers' own: they read the first.
Status fillOwnEmbeddings(Translation& t) {
    const auto found = t.model.tensors.find("per_layer_token_embd.weight");
    if (found == t.model.tensors.end() || !t.model.find("token_embd.weight")) return {};
    const uint64_t rows = found->second.shape.numRows(), numTokens = t.numTokens();
    if (rows == numTokens) return {};
    if (rows > numTokens)
        return fail(ErrorCode::Corrupt, "{} tokens have {} embeddings of the layers' own", numTokens, rows);
    const auto whole = std::make_shared<const tensor::Tensor>(std::move(found->second));
    t.model.tensors.erase(found);
    std::vector<tensor::RowRange> ranges{{whole, 0, rows}};
    ranges.resize(1 + numTokens - rows, {whole, 0, 1});
    INGLE_TRY_ASSIGN(tensor::Tensor made, tensor::joinRows(std::move(ranges)));
    return addTensor(t.model, std::move(made));
}

Status finish(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    fillUnread(t, numLayers);
    for (const char* name : {"altup_proj.weight", "altup_unembd_proj.weight"})
        INGLE_TRY(joinStreams(t, name));
    return fillOwnEmbeddings(t);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Gemma3nForCausalLM",
     .family = "gemma3n",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true,
     .finish = finish},
    {.name = "Gemma3nForConditionalGeneration",
     .family = "gemma3n",
     .setKeys = setKeys,
     .tensors = kRules,
     .ignored = kOtherParts,
     .sharesEmbedding = true,
     .finish = finish},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gemma3n_architectures
